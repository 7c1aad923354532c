// Memory budget of the answers that are under way from the origins of forks.

/** Answers that hold no more than this may use the reserve. */
const SMALL = 64 * 1024;
/** A reserve for small answers. */
const RESERVE = 1 / 8;

/** Counts bytes against one limit. Each answer has a share of its own. */
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
}

/** The part of the budget that one answer holds. */
export class Share {
  readonly #budget: MemoryBudget;
  #held = 0;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  get held(): number {
    return this.#held;
  }

  /** False if the budget does not allow it; then nothing is counted. */
  take(bytes: number): boolean {
    if (!this.#budget.take(bytes, this.#held + bytes <= SMALL)) return false;
    this.#held += bytes;
    return true;
  }

  /** Returns everything to the budget. */
  close(): void {
    this.#budget.give(this.#held);
    this.#held = 0;
  }
}
