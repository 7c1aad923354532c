// Random numbers that a seed repeats.
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xorshift128plus } from 'pure-rand/generator/xorshift128plus';

export class Random {
  readonly #generator: ReturnType<typeof xorshift128plus>;

  constructor(seed: number) {
    this.#generator = xorshift128plus(seed);
  }

  /** A whole number from 0, below a bound. */
  below(bound: number): number {
    return uniformInt(this.#generator, 0, bound - 1);
  }

  bytes(length: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from({ length }, () => this.below(256));
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined) throw new RangeError('there is nothing to pick from');
    return choice;
  }
}
