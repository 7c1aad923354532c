// Interface to the states that are no longer in memory.
import type { Slot, State } from '@starkbox/engine';

/** Slots of a contract in the order of their keys. */
export interface Slots {
  readonly slots: readonly Slot[];
  /** Every slot up to this key is among them; without it, every slot there is. */
  readonly upTo: string | undefined;
}

/** States that are no longer in memory. */
export interface ArchivedStates {
  /** The state that a block left behind; the next block can be written onto it. */
  stateAfter(number: number): State;
  /** The block up to `number` that last wrote a slot. */
  storageSince(address: string, key: string, number: number): number | undefined;
  /** What the slots of a contract behind `after` held when a block was closed. */
  slots(address: string, after: string | undefined, number: number, limit: number): Slots;
  /** The block that declared a class. */
  classSince(classHash: string): number | undefined;
}
