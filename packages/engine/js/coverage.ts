// Offsets of bytecode that calls reach.
import type * as binding from '../binding.js';
import { addon } from './addon.js';
import { callNow } from './call.js';
import { parseReport } from './error.js';

/** Offsets of bytecode by the hash of their class. */
export type CoveredOffsets = Readonly<Record<string, readonly number[]>>;

/**
 * A set of offsets that calls of `State.invoke` reached. Those of the current run are apart, so that a run gives the
 * same whichever runs came before it.
 */
export class Coverage {
  /** @internal */
  readonly native: binding.Coverage = callNow(() => new addon.Coverage());

  /** The number of offsets. */
  get size(): number {
    return callNow(() => this.native.size);
  }

  /** Drops the offsets of the current run and begins another. */
  start(): void {
    callNow(() => this.native.start());
  }

  /** The offsets that the current run added. They are not kept, and another run begins. */
  take(): CoveredOffsets {
    return parseReport<CoveredOffsets>(callNow(() => this.native.take()));
  }

  /** Adds offsets of runs. */
  add(offsets: CoveredOffsets): void {
    const text = JSON.stringify(offsets);
    callNow(() => this.native.add(text));
  }
}
