// Age of an object: by two clocks, because one can be set, and the other may stand still while a machine is suspended.
import { realMilliseconds, stopwatch } from 'starkbox/registry';

export class Age {
  /** Older than any limit. */
  static readonly UNKNOWN: Age = new Age(Number.POSITIVE_INFINITY);
  readonly #first: number;
  readonly #elapsed = stopwatch();
  readonly #begun = realMilliseconds();

  /** @param first the age now, in seconds */
  constructor(first: number) {
    this.#first = first;
  }

  /** By the clock that tells more. */
  get seconds(): number {
    const byDate = (realMilliseconds() - this.#begun) / 1000;
    return this.#first + Math.max(byDate, this.#elapsed());
  }
}
