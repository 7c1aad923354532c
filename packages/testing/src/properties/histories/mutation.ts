// Mutation of a history that reached new code.
import type * as fc from 'fast-check';
import type { CallStep, History, Step, StepValue } from '../model/history.js';
import { anyOf, type ValuePool } from '../values/drawing.js';
import type { Vocabulary } from './vocabulary.js';

const MAX_MUTATIONS = 4;

type Mutation = (
  steps: Step[],
  random: fc.Random,
  pool: ValuePool,
  words: Vocabulary,
  corpus: readonly History[],
) => Step[];

const position = (steps: readonly Step[], random: fc.Random): number =>
  random.nextInt(0, Math.max(0, steps.length - 1));

const drop: Mutation = (steps, random) => steps.toSpliced(position(steps, random), 1);

/** Removes some steps in a row, and puts new ones there. */
const splice: Mutation = (steps, random, pool, words) => {
  const inserted = Array.from({ length: random.nextInt(1, 3) }, () => {
    const choice = anyOf(words.choices, random);
    const caller = anyOf(words.actors, random);
    return choice ? [words.drawStep(choice, random, { ...pool, caller })] : [];
  }).flat();
  return steps.toSpliced(position(steps, random), random.nextInt(0, 2), ...inserted);
};

const duplicate: Mutation = (steps, random) => {
  const step = steps[position(steps, random)];
  return step ? steps.toSpliced(random.nextInt(0, steps.length), 0, step) : steps;
};

const swap: Mutation = (steps, random) => {
  const [a, b] = [position(steps, random), position(steps, random)];
  const [first, second] = [steps[a], steps[b]];
  return first && second ? steps.with(a, second).with(b, first) : steps;
};

const changeArgument: Mutation = (steps, random, pool, words) => {
  const at = position(steps, random);
  const step = steps[at];
  if (step?.kind === 'time') return steps.with(at, words.drawJump(random, pool));
  if (step?.kind !== 'call') return steps;
  const draws = words.calledBy(step)?.draws ?? [];
  const argument = random.nextInt(0, Math.max(0, draws.length - 1));
  const draw = draws[argument];
  if (!draw) return steps;
  const before = step.arguments[argument];
  const value = nudge(before, random) ?? draw(random, { ...pool, caller: step.from }, 0);
  return steps.with(at, { ...step, arguments: step.arguments.with(argument, value) });
};

/** A number close to the one before, half of the time. */
function nudge(value: StepValue | undefined, random: fc.Random): StepValue | undefined {
  if (typeof value !== 'bigint' || value < 2n || random.nextInt(0, 1) === 0) return undefined;
  return random.nextInt(0, 1) === 0 ? value - 1n : value / 2n;
}

const changeCaller: Mutation = (steps, random, _pool, words) => {
  const at = position(steps, random);
  const step = steps[at];
  const from = anyOf(words.actors, random);
  if (step?.kind !== 'call' || from === undefined) return steps;
  return steps.with(at, { ...step, from });
};

/** Exchanges two actors in all steps after a position. */
const swapCallers: Mutation = (steps, random, _pool, words) => {
  const first = anyOf(words.actors, random);
  const second = anyOf(words.actors, random);
  if (first === undefined || second === undefined) return steps;
  const start = position(steps, random);
  const exchangeActor = (step: CallStep): CallStep =>
    step.from === first
      ? { ...step, from: second }
      : step.from === second
        ? { ...step, from: first }
        : step;
  return steps.map((step, at) =>
    step.kind === 'call' && at >= start ? exchangeActor(step) : step,
  );
};

/** The start of this history, and the end of another. */
const crossOver: Mutation = (steps, random, _pool, _words, corpus) => {
  const other = anyOf(corpus, random) ?? [];
  return [
    ...steps.slice(0, random.nextInt(0, steps.length)),
    ...other.slice(position([...other], random)),
  ];
};

/** The start of the history: the run continues with new steps. */
const cut: Mutation = (steps, random) =>
  steps.slice(0, random.nextInt(1, Math.max(1, steps.length)));

const MUTATIONS: readonly Mutation[] = [
  drop,
  splice,
  splice,
  duplicate,
  swap,
  changeArgument,
  changeArgument,
  changeArgument,
  changeCaller,
  swapCallers,
  crossOver,
  cut,
];

/** A history of the corpus with a few changes; sometimes without any, to be extended at its end. */
export function mutate(
  history: History,
  random: fc.Random,
  pool: ValuePool,
  words: Vocabulary,
  corpus: readonly History[],
): Step[] {
  let steps = [...history];
  const count = random.nextInt(0, MAX_MUTATIONS);
  for (let mutated = 0; mutated < count; mutated++) {
    const mutation = anyOf(MUTATIONS, random);
    if (mutation) steps = mutation(steps, random, pool, words, corpus);
  }
  return steps.slice(0, words.options.depth);
}
