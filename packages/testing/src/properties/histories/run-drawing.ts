// The steps of one run, drawn one by one.
import type * as fc from 'fast-check';
import type { History, Step } from '../model/history.js';
import { anyOf, type ValuePool } from '../values/drawing.js';
import { SeenCollector, type SeenValues } from '../values/seen.js';
import { mutate } from './mutation.js';
import type { Drawing, Guide, StepResult } from './run.js';
import type { Choice, Vocabulary } from './vocabulary.js';

/** Values of each kind that a run remembers: its own storage and results. */
const MAX_RECENT = 64;

export class RunDrawing implements Drawing {
  readonly #words: Vocabulary;
  readonly #random: fc.Random;
  readonly #seen = new SeenCollector(MAX_RECENT);
  readonly #pool: { -readonly [name in keyof ValuePool]: ValuePool[name] };
  readonly #choices: readonly Choice[];
  readonly #steps: Step[] = [];
  /** Steps that did not fail. */
  readonly #succeeded: Step[] = [];
  readonly #callers: ReadonlyMap<string, readonly string[]>;
  readonly #length: number;
  /** Steps of a mutated history that come first. */
  readonly #planned: readonly Step[];

  constructor(words: Vocabulary, random: fc.Random, { corpus, seen }: Guide) {
    this.#words = words;
    this.#random = random;
    const { depth, classHashes = [], startTime = 0 } = words.options;
    this.#pool = {
      recent: this.#seen,
      numbers: seen.numbers,
      felts: seen.felts,
      constants: words.constants,
      actors: words.actors,
      contracts: words.contracts,
      addresses: seen.addresses,
      classHashes,
      caller: undefined,
      time: BigInt(startTime),
    };
    this.#callers = callersOf(seen);
    this.#length = random.nextInt(0, 3) === 0 ? random.nextInt(1, depth) : depth;
    const base = random.nextInt(0, 1) === 0 ? undefined : anyOf(corpus, random);
    this.#planned = base ? mutate(base, random, this.#pool, words, corpus) : [];
    this.#choices = this.#choose();
  }

  /** Half of the runs leave out some functions: the others come more often in a row. */
  #choose(): readonly Choice[] {
    const { choices } = this.#words;
    if (choices.length < 3 || this.#random.nextInt(0, 1) === 0) return choices;
    const chosen = choices.filter(() => this.#random.nextInt(0, 1) === 0);
    return chosen.length === 0 ? choices : chosen;
  }

  get history(): History {
    return this.#steps;
  }

  next(time?: number): Step | undefined {
    const at = this.#steps.length;
    if (time !== undefined) this.#pool.time = BigInt(time);
    const planned = this.#planned[at];
    if (!planned && at >= this.#length) return undefined;
    const step = planned ?? this.#draw();
    this.#steps.push(step);
    if (step.kind === 'time' && time === undefined) this.#pool.time += BigInt(step.seconds);
    return step;
  }

  #draw(): Step {
    const random = this.#random;
    const { longestJump, options } = this.#words;
    const kind = random.nextInt(0, 39);
    if (kind < 4 && longestJump > 0) return this.#words.drawJump(random, this.#pool);
    // A closed block costs as much as several calls.
    if (kind === 4 && options.blocks === true && random.nextInt(0, 2) === 0)
      return { kind: 'block' };
    if (kind < 11) {
      const repeated = this.#repeatStep();
      if (repeated) return repeated;
    }
    const choice = anyOf(this.#choices, random);
    if (!choice) return { kind: 'block' };
    this.#pool.caller = this.#caller(choice);
    return this.#words.drawStep(choice, random, this.#pool);
  }

  /** An earlier step of the run that did not fail, by the same caller or another. */
  #repeatStep(): Step | undefined {
    const step = anyOf(this.#succeeded, this.#random);
    if (step?.kind !== 'call' || this.#random.nextInt(0, 1) === 0) return step;
    return { ...step, from: anyOf(this.#words.actors, this.#random) ?? step.from };
  }

  #caller(choice: Choice): string | undefined {
    const { caller } = this.#pool;
    // Many functions work for few callers.
    if (choice.kind === 'call' && this.#random.nextInt(0, 1) === 0) {
      const { target, codec } = choice;
      const callers = this.#callers.get(`${target.address} ${codec.name}`) ?? [];
      const successful = anyOf(callers, this.#random);
      if (successful !== undefined && callers.length < this.#words.actors.length) return successful;
    }
    if (caller !== undefined && this.#random.nextInt(0, 1) === 0) return caller;
    return anyOf(this.#words.actors, this.#random);
  }

  observe(result: StepResult, readsEvents = true): void {
    const step = this.#steps.at(-1);
    if (!step) return;
    this.#words.collect(step, result, this.#seen, readsEvents);
    if (!result.hasFailed) this.#succeeded.push(step);
  }

  seen(): SeenValues {
    return this.#seen.values();
  }
}

const callerMaps = new WeakMap<SeenValues, ReadonlyMap<string, readonly string[]>>();

/** The callers for which a function did not fail, by contract and function. The same for all runs of a round. */
function callersOf(seen: SeenValues): ReadonlyMap<string, readonly string[]> {
  const existing = callerMaps.get(seen);
  if (existing) return existing;
  const callers = new Map<string, string[]>();
  for (const call of seen.callers) {
    const [contract, name, caller = ''] = call.split(' ');
    const key = `${contract} ${name}`;
    const list = callers.get(key) ?? [];
    list.push(caller);
    callers.set(key, list);
  }
  callerMaps.set(seen, callers);
  return callers;
}
