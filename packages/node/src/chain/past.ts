// Knows how states are read that are no longer in memory.
import type { State } from '@starkbox/engine';

/** States that are no longer in memory. */
export interface Past {
  /** The state that a block left behind; the next block can be written onto it. */
  stateAfter(number: number): State;
  /** The block up to `number` that last wrote a slot. */
  storageSince(address: string, key: string, number: number): number | undefined;
  /** The block that declared a class. */
  classSince(classHash: string): number | undefined;
}
