// Histories of calls: generated from ABIs, mutated, shrunk and encoded.
import * as fc from 'fast-check';
import { xorshift128plus } from 'pure-rand/generator/xorshift128plus';
import type { CallStep, History, Step, StepValue } from '../model/history.js';
import { SeenCollector, type SeenValues } from '../values/seen.js';
import { HistoryArbitrary } from './history-arbitrary.js';
import type { Drawing, Guide, StepResult } from './run.js';
import { RunDrawing } from './run-drawing.js';
import { UniformDrawing } from './uniform-drawing.js';
import { type HistoriesOptions, Vocabulary } from './vocabulary.js';

/** A call as the engine takes it. */
export interface EncodedCall {
  readonly caller: string;
  readonly contract: string;
  readonly selector: string;
  readonly calldata: readonly string[];
}

/** Values of each kind that rounds keep. */
const MAX_SEEN = 512;

/** Draws, shrinks and encodes histories. */
export class Histories {
  /** Shrinks any history of these targets without context: fewer steps, then simpler ones. */
  readonly shrinker: fc.Arbitrary<History>;
  readonly #words: Vocabulary;
  /** Draws steps without a guide. */
  readonly #uniform: fc.Arbitrary<Step> | undefined;

  /** @throws TypeError if a function or a type is not in the ABI */
  constructor(options: HistoriesOptions) {
    this.#words = new Vocabulary(options);
    this.shrinker = new HistoryArbitrary(this.#words);
    this.#uniform = options.strategy === 'random' ? this.#words.uniformSteps() : undefined;
  }

  /** Values seen before the first run: constants of classes. */
  get constants(): SeenValues {
    const collector = new SeenCollector(MAX_SEEN);
    for (const value of this.#words.constants) collector.addLarge(value);
    return collector.values();
  }

  /** An arbitrary of whole histories, for runners of fast-check. */
  arbitrary(guide?: Guide): fc.Arbitrary<History> {
    return new HistoryArbitrary(this.#words, guide);
  }

  /**
   * The steps of a run, one by one.
   *
   * @throws TypeError if there is nothing to call, or no actor
   */
  draw(seed: number, run: number, guide: Guide): Drawing {
    this.#words.assertDrawable();
    const random = new fc.Random(xorshift128plus(runSeed(seed, run)));
    if (this.#uniform) return new UniformDrawing(this.#uniform, random, this.#words.options.depth);
    return new RunDrawing(this.#words, random, guide);
  }

  /** All steps of a run, drawn without results. */
  generate(seed: number, run: number, guide: Guide): History {
    const drawing = this.draw(seed, run, guide);
    while (drawing.next());
    return drawing.history;
  }

  /** Merges values of runs in their order. */
  merge(before: SeenValues, ...runs: readonly SeenValues[]): SeenValues {
    const merged = new SeenCollector(MAX_SEEN);
    for (const values of [before, ...runs]) merged.addAll(values);
    return merged.values();
  }

  /**
   * Views with no arguments or one address, by an actor: their results are worth drawing.
   * `observed` takes them.
   */
  probes(): readonly CallStep[] {
    return this.#words.probes();
  }

  /** Values that a call has shown outside of a run. */
  observed(step: CallStep, result: StepResult): SeenValues {
    const collector = new SeenCollector(MAX_SEEN);
    this.#words.collect(step, result, collector);
    return collector.values();
  }

  /** @throws TypeError if the contract, the function or the arguments are unknown */
  encode(step: CallStep): EncodedCall {
    return this.encodeCall(step.from, step.to, step.function, step.arguments);
  }

  /** @throws TypeError if the contract, the function or the arguments are unknown */
  encodeCall(
    caller: string,
    contract: string,
    name: string,
    values: readonly unknown[],
  ): EncodedCall {
    const codec = this.#words.functionOf(contract, name);
    return { caller, contract, selector: codec.selector, calldata: codec.encode(values) };
  }

  /**
   * The value that a function returned: undefined for none, a list for several.
   *
   * @throws TypeError if the contract or the function is unknown
   * @throws RangeError if the felts do not fit the type
   */
  decode(contract: string, name: string, result: readonly string[]): StepValue | undefined {
    return this.#words.functionOf(contract, name).decode(result);
  }
}

/** What runners use of it. */
export type HistorySource = Pick<Histories, keyof Histories>;

/** The seed of a run: neighbouring runs and seeds have unrelated ones. */
function runSeed(seed: number, run: number): number {
  let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(run + 1, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return mixed ^ (mixed >>> 16);
}
