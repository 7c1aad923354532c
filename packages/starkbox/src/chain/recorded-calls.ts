// Distinct calls that were made outside of transactions, for the coverage.
import type { FUNCTION_CALL } from '@starkbox/spec';
import { BoundedMap } from '../bounded-map.js';

/** Distinct calls that are kept, and felts of their calldata together. */
const MAX_CALLS = 1_000;
const MAX_FELTS = 100_000;

export interface RecordedCall {
  readonly call: FUNCTION_CALL;
  /** The block on whose state it was made. */
  readonly number: number;
  readonly times: number;
}

/** Those that were made last. */
export class RecordedCalls {
  readonly #calls = new BoundedMap<string, RecordedCall>(MAX_CALLS, {
    sizeOf: ({ call }) => call.calldata.length,
    most: MAX_FELTS,
  });

  add(call: FUNCTION_CALL, number: number): void {
    const { contract_address, entry_point_selector, calldata } = call;
    const key = [number, contract_address, entry_point_selector, ...calldata].join();
    this.#calls.set(key, { call, number, times: (this.#calls.get(key)?.times ?? 0) + 1 });
  }

  get all(): readonly RecordedCall[] {
    return [...this.#calls.values()];
  }
}
