// Memory budget of the requests and answers of all clients.
import { ERRORS } from '@starkbox/spec';
import { RpcError } from '../errors.js';

/** Requests that hold no more than this may use the reserve. */
const SMALL = 64 * 1024;
/** A reserve for small requests. */
const RESERVE = 1 / 8;

/** Counts bytes against one limit. Each request has a share of its own. */
export class MemoryBudget {
  readonly limit: number;
  #held = 0;

  constructor(limit: number = Number.POSITIVE_INFINITY) {
    this.limit = limit;
  }

  /** Bytes that are counted now. */
  get held(): number {
    return this.#held;
  }

  open(): Share {
    return new Share(this);
  }

  /** Counts the bytes unless that would exceed the limit. */
  take(bytes: number, isSmall: boolean): boolean {
    const most = isSmall ? this.limit : this.limit * (1 - RESERVE);
    if (this.#held + bytes > most) return false;
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }

  refusal(): RpcError {
    return new RpcError(
      ERRORS.SERVICE_BUSY.code,
      `The node has reached its memory budget for clients (${this.limit} bytes); try again later, or raise --memory-budget`,
    );
  }
}

/** The part of the budget that one request holds: its body, its values, its answer. */
export class Share {
  readonly #budget: MemoryBudget;
  #held = 0;
  #isClosed = false;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  get held(): number {
    return this.#held;
  }

  /** False if the budget does not allow it; then nothing is counted. */
  take(bytes: number): boolean {
    if (this.#isClosed) return false;
    if (!this.#budget.take(bytes, this.#held + bytes <= SMALL)) return false;
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    const less = Math.min(bytes, this.#held);
    this.#held -= less;
    this.#budget.give(less);
  }

  /** Returns everything to the budget. Nothing can be taken afterwards. */
  close(): void {
    this.#isClosed = true;
    this.give(this.#held);
  }

  refusal(): RpcError {
    return this.#budget.refusal();
  }
}
