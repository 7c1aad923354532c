// Knows how many executions may run at once beside the writer's, and who is next.
import { refuse } from '../errors.js';
import { stopwatch } from '../probe.js';

interface Waiting {
  readonly seconds: () => number;
  readonly answer: (isAdmitted: boolean) => void;
}

/**
 * Lets in so many at a time. However many calls come, each that runs has its share of the processor, and
 * so has the transaction that is being executed.
 */
export class Turnstile {
  readonly #patience: number;
  readonly #waiting: Waiting[] = [];
  #free: number;

  /** @param patience seconds: whoever gets a place later is refused, because nobody waits for it */
  constructor(
    places: number = Number.POSITIVE_INFINITY,
    patience: number = Number.POSITIVE_INFINITY,
  ) {
    this.#free = places;
    this.#patience = patience;
  }

  async pass<T>(run: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn();
    try {
      return await run();
    } finally {
      this.#leave();
    }
  }

  async #turn(): Promise<void> {
    const isAdmitted = await new Promise<boolean>((resolve) => {
      this.#waiting.push({ seconds: stopwatch(), answer: resolve });
    });
    if (isAdmitted) return;
    refuse(`The node is busy: after ${this.#patience} s of waiting, this was given up`);
  }

  /** The place goes to the first who still waits for it. */
  #leave(): void {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const isAdmitted = next.seconds() <= this.#patience;
      next.answer(isAdmitted);
      if (isAdmitted) return;
    }
    this.#free += 1;
  }
}
