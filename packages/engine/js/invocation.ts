// A call that keeps its changes, read when needed.
import type * as binding from '../binding.js';
import { callNow } from './call.js';
import { parseReport } from './error.js';
import type { CallFailure, EventData } from './execution.js';

/** A written slot. */
export interface StorageWrite {
  readonly address: string;
  readonly key: string;
  readonly value: string;
}

/** A call of a function that ran, with the state `S` after it. */
export class Invocation<S> {
  readonly hasFailed: boolean;
  /** Returned felts; empty if it failed. */
  readonly result: readonly string[];
  readonly #native: binding.Invocation;
  readonly #before: S;
  readonly #stateOf: (native: binding.State) => S;

  /** @internal */
  constructor(native: binding.Invocation, before: S, stateOf: (native: binding.State) => S) {
    this.#native = native;
    this.hasFailed = native.hasFailed;
    this.result = native.result;
    this.#before = before;
    this.#stateOf = stateOf;
  }

  /** The state after it; of a call that failed, the state before. */
  get next(): S {
    const next = callNow(() => this.#native.next);
    return next ? this.#stateOf(next) : this.#before;
  }

  /** Why it failed. */
  get failure(): CallFailure | undefined {
    if (!this.hasFailed) return undefined;
    const text = callNow(() => this.#native.failure);
    return text === null ? undefined : parseReport<CallFailure>(text);
  }

  /** Sierra gas; 0 if it did not run to an end. */
  get gas(): number {
    return callNow(() => this.#native.gas);
  }

  /** Events in the order in which they were emitted. */
  events(): readonly EventData[] {
    const text = callNow(() => this.#native.events());
    return text === null ? [] : parseReport<readonly EventData[]>(text);
  }

  /** The slots that it wrote, in the order of addresses and keys. */
  writes(): readonly StorageWrite[] {
    const felts = callNow(() => this.#native.writes());
    const writes: StorageWrite[] = [];
    for (let index = 0; index + 2 < felts.length; index += 3) {
      writes.push({
        address: felts[index] ?? '',
        key: felts[index + 1] ?? '',
        value: felts[index + 2] ?? '',
      });
    }
    return writes;
  }

  /** The tree of its calls as JSON text; undefined if it did not run to an end. */
  traceText(): string | undefined {
    return callNow(() => this.#native.trace()) ?? undefined;
  }
}
