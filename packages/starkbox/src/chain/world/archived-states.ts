// Interface to the states that are no longer in memory.
import type { Slot, State } from '@starkbox/engine';

/** Slots of a contract, ascending by key. */
export interface Slots {
  readonly slots: readonly Slot[];
  /** The slots are complete up to this key; `undefined` if they are complete. */
  readonly upTo: string | undefined;
}

export interface ArchivedStates {
  /** The state after a block, as a base for the next block. */
  stateAfter(number: number): State;
  /** A slot in the state after a block; `undefined` if no local block has written it. */
  storageAt(address: string, key: string, number: number): string | undefined;
  /** The block up to `number` that last wrote a slot. */
  storageSince(address: string, key: string, number: number): number | undefined;
  /** The slots of a contract with keys greater than `after`, in the state after a block. */
  slots(address: string, after: string | undefined, number: number, limit: number): Slots;
  /** The block that declared a class. */
  classSince(classHash: string): number | undefined;
}
