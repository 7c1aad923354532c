// Histories as an arbitrary of fast-check: drawn from a vocabulary, shrunk by fast-check's arrays and values.
import * as fc from 'fast-check';
import type { CallStep, History, Step, StepValue } from '../model/history.js';
import { NOTHING_SEEN } from '../values/seen.js';
import { withReplaced } from './replaced-values.js';
import type { Guide } from './run.js';
import { RunDrawing } from './run-drawing.js';
import type { Vocabulary } from './vocabulary.js';

/** Histories of a corpus may be longer than drawn ones. */
const MAX_STEPS = 100_000;
const ANY_LENGTH = { maxLength: MAX_STEPS, size: 'max' } as const;

/** Where shrinking continues: the contexts of fast-check's arrays keep their bisections. */
type Context =
  | { readonly kind: 'steps'; readonly inner: unknown }
  | { readonly kind: 'values'; readonly inner: unknown };

/** Generates histories, and shrinks them without context: fewer steps first, then simpler callers and values. */
export class HistoryArbitrary extends fc.Arbitrary<History> {
  readonly #words: Vocabulary;
  readonly #guide: Guide;
  readonly #steps: fc.Arbitrary<Step[]>;
  readonly #values: fc.Arbitrary<Step[]>;

  constructor(words: Vocabulary, guide: Guide = { corpus: [], seen: NOTHING_SEEN }) {
    super();
    this.#words = words;
    this.#guide = guide;
    const step = words.stepShrinker();
    this.#steps = fc.array(fc.noShrink(step), ANY_LENGTH);
    this.#values = fc.array(step, ANY_LENGTH);
  }

  generate(random: fc.Random): fc.Value<History> {
    const drawing = new RunDrawing(this.#words, random, this.#guide);
    while (drawing.next());
    return new fc.Value(drawing.history, undefined);
  }

  canShrinkWithoutContext(value: unknown): value is History {
    return this.#values.canShrinkWithoutContext(value);
  }

  shrink(history: History, context?: unknown): fc.Stream<fc.Value<History>> {
    const stage = isContext(context) ? context : undefined;
    const steps = (): fc.Stream<fc.Value<History>> =>
      this.#fewerSteps(history, stage?.kind === 'steps' ? stage.inner : undefined);
    const together = (): fc.Stream<fc.Value<History>> => plain(this.#togetherSimpler(history));
    const values = (): fc.Stream<fc.Value<History>> =>
      this.#simplerValues(history, stage?.kind === 'values' ? stage.inner : undefined);
    // A bisection that is under way is finished before steps are tried again.
    // After it, values of earlier steps may be simpler than before: they are tried anew at the end.
    const anew = (): fc.Stream<fc.Value<History>> => this.#simplerValues(history, undefined);
    const stages =
      stage?.kind === 'values' ? [values, steps, together, anew] : [steps, together, values];
    return fc.stream(joinStages(stages));
  }

  #fewerSteps(history: History, inner: unknown): fc.Stream<fc.Value<History>> {
    const merged = plain(mergedJumps(history));
    const removed = this.#steps
      .shrink([...history], inner)
      .map((value) => contextual(value, 'steps'));
    return removed.join(merged);
  }

  #simplerValues(history: History, inner: unknown): fc.Stream<fc.Value<History>> {
    return this.#values
      .shrink([...history], inner)
      .filter(({ value }) => value.length === history.length)
      .map((value) => contextual(value, 'values'));
  }

  /** Changes of all steps at once: an actor that another replaces, a number that several steps share. */
  *#togetherSimpler(history: History): Generator<History> {
    yield* fewerActors(history, this.#words.actors);
    for (const number of sharedNumbers(history)) {
      for (const { value } of fc.bigInt().shrink(number, undefined)) {
        const candidate = withReplaced(history, (part) => (part === number ? value : part));
        // A place of the number may have another type, with a larger minimum.
        if (this.#values.canShrinkWithoutContext(candidate)) yield candidate;
      }
    }
  }
}

function* joinStages(
  stages: readonly (() => fc.Stream<fc.Value<History>>)[],
): Generator<fc.Value<History>> {
  for (const candidates of stages) yield* candidates();
}

function contextual(value: fc.Value<Step[]>, kind: Context['kind']): fc.Value<History> {
  const context: Context = { kind, inner: value.context };
  return new fc.Value(value.value, context);
}

function isContext(context: unknown): context is Context {
  return typeof context === 'object' && context !== null && 'kind' in context && 'inner' in context;
}

function plain(histories: Iterable<History>): fc.Stream<fc.Value<History>> {
  return fc.stream(values(histories));
}

function* values(histories: Iterable<History>): Generator<fc.Value<History>> {
  for (const history of histories) yield new fc.Value(history, undefined);
}

/** Two jumps that follow each other are one. */
function* mergedJumps(history: History): Generator<History> {
  for (let at = 1; at < history.length; at++) {
    const [before, step] = [history[at - 1], history[at]];
    if (before?.kind !== 'time' || step?.kind !== 'time') continue;
    const seconds = before.seconds + step.seconds;
    yield [...history.slice(0, at - 1), { kind: 'time', seconds }, ...history.slice(at + 1)];
  }
}

function* fewerActors(history: History, actors: readonly string[]): Generator<History> {
  const present = actors.filter((actor) => mentions(history, actor));
  for (const actor of present.toReversed()) {
    for (const simpler of actors.slice(0, actors.indexOf(actor))) {
      yield withReplaced(history, (part) => (part === actor ? simpler : part));
    }
  }
}

const mentions = (history: History, address: string): boolean =>
  history.some(
    (step) => step.kind === 'call' && (step.from === address || [...parts(step)].includes(address)),
  );

function* parts(value: StepValue | CallStep): Generator<StepValue> {
  if (typeof value !== 'object') yield value;
  else for (const part of Object.values(value)) yield* parts(part);
}

/** Numbers above 1 in more than one place, the largest first. */
function sharedNumbers(history: History): readonly bigint[] {
  const counts = new Map<bigint, number>();
  for (const step of history) {
    if (step.kind !== 'call') continue;
    for (const part of parts(step)) {
      if (typeof part === 'bigint' && part > 1n) counts.set(part, (counts.get(part) ?? 0) + 1);
    }
  }
  const shared = [...counts].filter(([, count]) => count > 1).map(([number]) => number);
  return shared.sort((a, b) => (a < b ? 1 : -1));
}
