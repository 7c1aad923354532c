// Deadlines of many pieces of work with the same time limit: one timer serves all of them.
import { milliseconds } from './slices.js';

/** The longest time that a timer takes. */
const LONGEST_MILLISECONDS = 2 ** 31 - 1;

/** Work with a deadline. */
export interface Expiring {
  /** Called at the deadline. */
  expire(): void;
}

/** The deadline of a piece of work, between its neighbours in the order of beginnings. */
export interface Deadline {
  readonly begin: number;
  readonly work: Expiring;
  earlier: Deadline | undefined;
  later: Deadline | undefined;
}

/**
 * A timer for each piece of work would cost more than a read. The deadlines are linked, because a map of entries that
 * come and go keeps the garbage collector busy: the tables that it outgrows hold each other.
 */
export class Deadlines {
  readonly #limit: number;
  #first: Deadline | undefined;
  #last: Deadline | undefined;
  #isTimerSet = false;

  /** @param limit in milliseconds */
  constructor(limit: number) {
    this.#limit = Math.min(limit, LONGEST_MILLISECONDS);
  }

  add(work: Expiring): Deadline {
    const deadline = { begin: milliseconds(), work, earlier: this.#last, later: undefined };
    if (this.#last) this.#last.later = deadline;
    else this.#first = deadline;
    this.#last = deadline;
    if (!this.#isTimerSet) this.#setTimer(this.#limit);
    return deadline;
  }

  /** The work has ended. */
  delete(deadline: Deadline): void {
    const { earlier, later } = deadline;
    if (earlier) earlier.later = later;
    else if (this.#first === deadline) this.#first = later;
    if (later) later.earlier = earlier;
    else if (this.#last === deadline) this.#last = earlier;
    deadline.earlier = undefined;
    deadline.later = undefined;
  }

  #setTimer(delay: number): void {
    this.#isTimerSet = true;
    // The work may have ended long before: the timer must not keep the process alive.
    setTimeout(this.#expireDue, delay).unref();
  }

  readonly #expireDue = (): void => {
    this.#isTimerSet = false;
    const now = milliseconds();
    for (let first = this.#first; first; first = this.#first) {
      const remaining = first.begin + this.#limit - now;
      if (remaining > 0) {
        this.#setTimer(Math.ceil(remaining));
        return;
      }
      this.delete(first);
      first.work.expire();
    }
  };
}
