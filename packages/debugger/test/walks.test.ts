// Random moves on random transactions: each is as a slow reference says, and their inverses lead back.

import { Random } from '@starkbox/test-support/random';
import { SEED } from '@starkbox/test-support/seed';
import { expect, test } from 'vitest';
import { type Debugger, openDebugger, type RunOptions, type Stop } from '../src/index.js';
import { Corpus } from './support/corpus.js';
import { Reference } from './support/reference.js';

/**
 * By hand, for other transactions and walks:
 * TEST_SEED=7 TEST_WALKS=50000 npx vitest run packages/debugger/test/walks.test.ts
 */
const WALKS = Number(process.env['TEST_WALKS'] ?? 2_500);
const TRANSACTIONS = 50;
const MAX_MOVES = 8;

type Direction = 'forward' | 'backward';
type Kind = NonNullable<RunOptions['until']>[number];
type Move =
  | { readonly step: 'in' | 'over' | 'out' | 'instruction' }
  | { readonly until: Kind }
  | { readonly line: { readonly file: string; readonly line: number } };

const opposite = (direction: Direction): Direction =>
  direction === 'forward' ? 'backward' : 'forward';

function makeMove(subject: Debugger, move: Move, direction: Direction): Promise<Stop> {
  if ('until' in move) return subject.run({ direction, until: [move.until] });
  if ('line' in move) {
    return subject.run({ direction, breakpoints: [{ id: 'line', line: move.line }] });
  }
  switch (move.step) {
    case 'in':
      return subject.stepIn(direction);
    case 'over':
      return subject.stepOver(direction);
    case 'out':
      return subject.stepOut(direction);
    default:
      return subject.stepInstruction(direction);
  }
}

/** Where a step leads by its definition. */
function expected(
  reference: Reference,
  step: 'in' | 'over' | 'out' | 'instruction',
  direction: Direction,
  from: number,
): number {
  const isForward = direction === 'forward';
  switch (step) {
    case 'in':
      return isForward ? reference.next(from) : reference.previous(from);
    case 'over':
      return isForward ? reference.over(from) : reference.overBack(from);
    case 'out':
      return isForward ? reference.out(from) : reference.outBack(from);
    default:
      return Math.max(0, Math.min(reference.last, from + (isForward ? 1 : -1)));
  }
}

/** Whether the same move in the other direction leads back: see the comments of `Debugger`. */
function hasInverse(
  reference: Reference,
  move: Move,
  { from, to, reason }: { readonly from: number; readonly to: number; readonly reason: string },
): boolean {
  if (from === to) return false;
  if ('step' in move) {
    const isStop = from === 0 || from === reference.last || reference.isStop(from);
    if (move.step === 'instruction') return true;
    if (move.step === 'in') return isStop;
    if (move.step === 'out') return false;
    const [earlier, later] = [Math.min(from, to), Math.max(from, to)];
    const [first, second] = [reference.anchor(earlier), reference.anchor(later)];
    // The line of the same function changes, and not a line that called it.
    return (
      first !== undefined &&
      first.frame === second?.frame &&
      reference.level(earlier) > 0 &&
      reference.level(later) === first.level &&
      !reference.isLeft(earlier, later)
    );
  }
  return reason === 'again';
}

interface Made {
  readonly move: Move;
  readonly direction: Direction;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

function randomMove(random: Random, lines: readonly { file: string; line: number }[]): Move {
  const number = random.below(10);
  if (number < 7) {
    return { step: random.pick(['in', 'in', 'over', 'over', 'out', 'instruction'] as const) };
  }
  if (number < 9 || lines.length === 0) {
    return { until: random.pick(['call', 'event', 'write', 'failure'] as const) };
  }
  return { line: random.pick(lines) };
}

test(`${WALKS} walks of random moves and their inverses end where they began`, {
  timeout: 600_000,
}, async () => {
  const random = new Random(SEED);
  const corpus = await Corpus.create();
  const inverses = { exact: 0, byRun: 0 };
  let inlined = 0;
  for (let transaction = 0; transaction < TRANSACTIONS; transaction += 1) {
    const hash = await corpus.send(random);
    const subject = await openDebugger(corpus.caller, { transactionHash: hash });
    const reference = await Reference.create(corpus.caller, subject.trace);
    expect(subject.length).toBe(reference.last + 1);
    const lines: { file: string; line: number }[] = [];
    for (const { file } of await subject.sources()) {
      for (const line of await subject.codeLines(file)) lines.push({ file, line });
    }
    const positions = Array.from({ length: subject.length }, (_, position) => position);
    const stops = positions.filter((position) => reference.isStop(position));
    for (let walk = 0; walk < WALKS / TRANSACTIONS; walk += 1) {
      const start = random.below(4) > 0 ? random.pick(stops) : random.below(subject.length);
      await subject.goTo(start);
      const moves: Made[] = [];
      const text = () =>
        `seed ${SEED}, transaction ${transaction}, from ${start}: ${JSON.stringify(moves)}`;
      for (let count = 1 + random.below(MAX_MOVES); count > 0; count -= 1) {
        const move = randomMove(random, lines);
        const direction = random.pick(['forward', 'backward'] as const);
        const from = subject.position;
        if ((reference.anchor(from)?.level ?? 0) > 1) inlined += 1;
        const stop = await makeMove(subject, move, direction);
        // A run to marks or lines is undone by the same run if it began at one of them.
        const isAgain = 'step' in move ? false : await isReached(subject, move, from, stop);
        moves.push({ move, direction, from, to: stop.position, reason: isAgain ? 'again' : '' });
        if ('step' in move) {
          const position = expected(reference, move.step, direction, from);
          expect(stop.position, text()).toBe(position);
        }
      }
      for (const { move, direction, from, to, reason } of moves.toReversed()) {
        if (hasInverse(reference, move, { from, to, reason })) {
          inverses.exact += 1;
          await makeMove(subject, move, opposite(direction));
        } else if (from !== to) {
          inverses.byRun += 1;
          await subject.run({ direction: from < to ? 'backward' : 'forward', to: from });
        }
        expect(subject.position, text()).toBe(from);
      }
      expect(subject.position).toBe(start);
    }
    await subject.close();
  }
  console.log(`seed ${SEED}: ${inverses.exact} inverse moves, ${inverses.byRun} runs to the start`);
  console.log(`${inlined} moves began in functions that were inlined`);
  expect(inlined).toBeGreaterThan(WALKS / 50);
  expect(inverses.exact).toBeGreaterThan(inverses.byRun / 2);
});

/** Whether a position is one that the run stops at, and the run ended at another one. */
async function isReached(
  subject: Debugger,
  move: Move,
  from: number,
  stop: Stop,
): Promise<boolean> {
  if (stop.reason === 'end' || stop.reason === 'start' || from === 0) return false;
  await subject.goTo(from - 1);
  const reached = await makeMove(subject, move, 'forward');
  await subject.goTo(stop.position);
  return reached.position === from && reached.reason === stop.reason;
}
