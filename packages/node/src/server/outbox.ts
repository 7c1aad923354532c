// Knows when subscribers get their news: after calls, and without taking the processor from those who execute them.

/** Somebody to whom something is to be written. */
export interface Reader {
  /** Writes a part of it; whether more could be written. */
  flush(): boolean;
}

/** How long calls may have to wait for writing that has begun. */
const TURN_MILLISECONDS = 1;
/** A chain is busy while it has news at least this often. */
const BUSY_MILLISECONDS = 25;

/**
 * Writes to everybody in turn. A busy chain goes first: after each turn we rest as long as it took, so that
 * cores are left to execution and messages gather, which are cheaper to write together. Otherwise we go on
 * as soon as calls have been seen to.
 */
export class Outbox {
  readonly #readers = new Set<Reader>();
  #isScheduled = false;
  #hasNews = false;
  #isLate = false;
  #lastNews = Number.NEGATIVE_INFINITY;

  /** @param isLate if so much waits for this reader that there is no more time to rest */
  add(reader: Reader, isLate: boolean): void {
    this.#readers.add(reader);
    this.#hasNews = true;
    if (isLate) this.#isLate = true;
    if (!this.#isScheduled) this.#schedule(0);
  }

  #schedule(rest: number): void {
    this.#isScheduled = true;
    if (rest > 0) setTimeout(this.#turn, rest);
    else setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    this.#isScheduled = false;
    const begin = milliseconds();
    if (this.#hasNews) this.#lastNews = begin;
    this.#hasNews = false;
    let took = 0;
    for (const reader of this.#readers) {
      this.#readers.delete(reader);
      if (reader.flush()) this.#readers.add(reader);
      took = milliseconds() - begin;
      if (took >= TURN_MILLISECONDS) break;
    }
    if (this.#readers.size === 0) {
      this.#isLate = false;
      return;
    }
    const isBusy = begin - this.#lastNews < BUSY_MILLISECONDS;
    this.#schedule(isBusy && !this.#isLate ? took : 0);
  };
}

function milliseconds(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
