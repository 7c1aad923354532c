// Knows when subscribers get their news: after calls, and without taking the processor from those who execute them.
import { milliseconds } from '../../scheduling/turns.js';

/** Somebody to whom something is to be written. */
export interface Reader {
  /** Writes a piece of it; whether another one could be written. */
  flush(): boolean;
}

/** How long calls may have to wait for writing that has begun. */
const TURN_MILLISECONDS = 1;
/** How much longer we rest than we wrote, while a chain has news. */
const REST = 10;
const LONGEST_REST_MILLISECONDS = 500;
/** Timers are not more exact. */
const SHORTEST_REST_MILLISECONDS = 1;

/**
 * Writes in rounds, to everybody who has something to read, and calls go first: a round is interrupted for
 * them every millisecond. After a round we rest as long as it was expensive, so that cores are left to
 * execution and messages gather: to write one costs nearly as much as to write a hundred. A few subscribers
 * therefore get everything at once, and a thousand get it in bundles while the chain is busy.
 */
export class Outbox {
  /** To whom something is written in this round, and in the next one. */
  #round = new Set<Reader>();
  #next = new Set<Reader>();
  /** Writing has begun, or will as soon as calls have been seen to. */
  #isWriting = false;
  #resting: NodeJS.Timeout | undefined;
  #restUntil = 0;
  /** Milliseconds of this round. */
  #spent = 0;
  /** Since the last round began. */
  #hasNews = false;

  /** Something new is to be written. The reader need not be added again until it was flushed. */
  add(reader: Reader): void {
    this.#hasNews = true;
    this.resume(reader);
  }

  /** Something old can be written at last. */
  resume(reader: Reader): void {
    this.#next.add(reader);
    if (this.#isWriting || this.#resting) return;
    const rest = this.#restUntil - milliseconds();
    if (rest < SHORTEST_REST_MILLISECONDS) this.hurry();
    else this.#resting = setTimeout(() => this.hurry(), rest);
  }

  /** There is no time to rest. */
  hurry(): void {
    clearTimeout(this.#resting);
    this.#resting = undefined;
    if (this.#isWriting) return;
    this.#isWriting = true;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    const begin = milliseconds();
    let now = begin;
    if (this.#round.size === 0) [this.#round, this.#next] = [this.#next, this.#round];
    for (const reader of this.#round) {
      this.#round.delete(reader);
      let hasMore: boolean;
      do {
        hasMore = reader.flush();
        now = milliseconds();
      } while (hasMore && now - begin < TURN_MILLISECONDS);
      if (hasMore) this.#round.add(reader);
      if (now - begin >= TURN_MILLISECONDS) break;
    }
    this.#spent += now - begin;
    if (this.#round.size > 0) setImmediate(this.#turn);
    else this.#endRound(now);
  };

  #endRound(now: number): void {
    this.#isWriting = false;
    const rest = this.#hasNews ? Math.min(REST * this.#spent, LONGEST_REST_MILLISECONDS) : 0;
    this.#restUntil = now + rest;
    this.#hasNews = false;
    this.#spent = 0;
    const [first] = this.#next;
    if (first) this.resume(first);
  }
}
