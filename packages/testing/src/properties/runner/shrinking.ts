// The search for the shortest history: steps and values are taken away while the same invariant is violated.
import * as fc from 'fast-check';
import { shorterHistories } from '../histories/shorter.js';
import type { History } from '../model/history.js';
import { stepToJson } from './history-text.js';

/** A violated invariant in a run. */
export interface FoundViolation {
  readonly invariant: string;
  readonly message: string;
  /** Steps up to the violation. */
  readonly steps: number;
}

/** Milliseconds after which the shortest history so far is reported. */
export const MAX_SHRINKING = 20_000;
/** Histories that are executed at most. */
const MAX_ATTEMPTS = 4_000;
/** Of these, for simpler values of as many steps: two values that depend on each other shrink by one at a time. */
const MAX_OF_VALUES = 1_000;

export class Shrinking {
  /** The shortest history so far, and how it violates the invariant. */
  history: History;
  violation: FoundViolation;
  /** Histories that were executed. */
  attempts = 0;
  /** Whether an execution has violated the invariant again. */
  isRepeated = false;
  readonly #replay: (history: History) => Promise<FoundViolation | undefined>;
  /** Violations by history: after each shorter one, many are proposed again. */
  readonly #judged = new Map<string, FoundViolation | undefined>();
  readonly #started = performance.now();
  /** Attempts since the last history with fewer steps. */
  #sinceFewer = 0;

  constructor(
    history: History,
    violation: FoundViolation,
    replay: (history: History) => Promise<FoundViolation | undefined>,
  ) {
    this.history = history.slice(0, violation.steps);
    this.violation = violation;
    this.#replay = replay;
  }

  /** Whether time or attempts have ended the search. */
  get isEnded(): boolean {
    return this.attempts >= MAX_ATTEMPTS || performance.now() - this.#started >= MAX_SHRINKING;
  }

  async run(simpler: fc.Arbitrary<History>): Promise<void> {
    const property = fc.asyncProperty(
      simpler,
      async (history) => this.#sinceFewer >= MAX_OF_VALUES || !(await this.#violates(history)),
    );
    do {
      // The example is the only run: fast-check shrinks it.
      await fc.check(property, { examples: [[this.history]], numRuns: 1, seed: 0 });
      // With simpler values, other steps have no effect.
    } while (await this.#removeSteps());
  }

  async #removeSteps(): Promise<boolean> {
    const before = this.history.length;
    for (let at = before - 2; at >= 0; at -= 1) {
      for (const history of shorterHistories(this.history, at)) {
        if (await this.#violates(history)) break;
      }
    }
    return this.history.length < before;
  }

  async #violates(history: History): Promise<boolean> {
    const key = JSON.stringify(history.map(stepToJson));
    if (!this.#judged.has(key)) {
      if (this.isEnded) return false;
      this.attempts += 1;
      this.#sinceFewer += 1;
      this.#judged.set(key, await this.#replay(history));
    }
    const judged = this.#judged.get(key);
    if (judged?.invariant !== this.violation.invariant) return false;
    this.isRepeated = true;
    if (judged.steps < this.history.length) this.#sinceFewer = 0;
    this.history = history.slice(0, judged.steps);
    this.violation = judged;
    return true;
  }
}
