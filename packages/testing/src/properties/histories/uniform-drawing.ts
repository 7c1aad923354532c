// The steps of one run without a guide: for comparison with guided runs.
import type * as fc from 'fast-check';
import type { History, Step } from '../model/history.js';
import { NOTHING_SEEN, type SeenValues } from '../values/seen.js';
import type { Drawing } from './run.js';

/** Draws functions, callers and values with equal chances: nothing depends on earlier steps or runs. */
export class UniformDrawing implements Drawing {
  readonly #steps: fc.Arbitrary<Step>;
  readonly #random: fc.Random;
  readonly #length: number;
  readonly #history: Step[] = [];

  constructor(steps: fc.Arbitrary<Step>, random: fc.Random, length: number) {
    this.#steps = steps;
    this.#random = random;
    this.#length = length;
  }

  get history(): History {
    return this.#history;
  }

  next(): Step | undefined {
    if (this.#history.length >= this.#length) return undefined;
    // Without a bias, fast-check draws evenly.
    const { value } = this.#steps.generate(this.#random, undefined);
    this.#history.push(value);
    return value;
  }

  observe(): void {}

  seen(): SeenValues {
    return NOTHING_SEEN;
  }
}
