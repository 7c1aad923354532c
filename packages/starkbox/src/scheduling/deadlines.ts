// Deadlines of many pieces of work with the same time limit: one timer serves all of them.
import { milliseconds } from './slices.js';

/** The longest time that a timer takes. */
const LONGEST_MILLISECONDS = 2 ** 31 - 1;

/** Work with a deadline. */
export interface Expiring {
  /** Called at the deadline. */
  expire(): void;
}

/** A timer for each piece of work would cost more than a read. */
export class Deadlines {
  readonly #limit: number;
  /** When each piece of work began, oldest first. */
  readonly #beginnings = new Map<Expiring, number>();
  #isTimerSet = false;

  /** @param limit in milliseconds */
  constructor(limit: number) {
    this.#limit = Math.min(limit, LONGEST_MILLISECONDS);
  }

  add(work: Expiring): void {
    this.#beginnings.set(work, milliseconds());
    if (!this.#isTimerSet) this.#setTimer(this.#limit);
  }

  /** The work has ended. */
  delete(work: Expiring): void {
    this.#beginnings.delete(work);
  }

  #setTimer(delay: number): void {
    this.#isTimerSet = true;
    // The work may have ended long before: the timer must not keep the process alive.
    setTimeout(this.#expireDue, delay).unref();
  }

  readonly #expireDue = (): void => {
    this.#isTimerSet = false;
    const now = milliseconds();
    for (const [work, begin] of this.#beginnings) {
      const remaining = begin + this.#limit - now;
      if (remaining > 0) {
        this.#setTimer(Math.ceil(remaining));
        return;
      }
      this.#beginnings.delete(work);
      work.expire();
    }
  };
}
