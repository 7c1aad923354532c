// Histories: the same seed draws the same steps, and fast-check shrinks drawn and mutated ones without context.
import { createHash } from 'node:crypto';
import { encodeArguments, readAbi } from '@starkbox/abi';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Histories } from '../../src/properties/histories/histories.js';
import { withAddresses, withPositions } from '../../src/properties/histories/replaced-values.js';
import type { StepResult } from '../../src/properties/histories/run.js';
import type { CallStep, History, Step } from '../../src/properties/model/history.js';
import { NOTHING_SEEN } from '../../src/properties/values/seen.js';

const U256 = 'core::integer::u256';
const ADDRESS = 'core::starknet::contract_address::ContractAddress';

const fn = (
  name: string,
  inputs: readonly string[],
  outputs: readonly string[] = [],
  view = false,
) => ({
  type: 'function',
  name,
  inputs: inputs.map((type, at) => ({ name: `input_${at}`, type })),
  outputs: outputs.map((type) => ({ type })),
  state_mutability: view ? 'view' : 'external',
});

const ABI = [
  fn('deposit', [U256]),
  fn('withdraw', [U256], [U256]),
  fn('send', [ADDRESS, U256]),
  fn('balance_of', [ADDRESS], [U256], true),
  fn('total', [], [U256], true),
];

const VAULT = '0xabc';
const ALICE = '0xa11ce';
const BOB = '0xb0b';
const CAROL = '0xca201';

const create = (changes: Partial<ConstructorParameters<typeof Histories>[0]> = {}) =>
  new Histories({
    targets: [{ name: 'vault', address: VAULT, abi: readAbi(ABI) }],
    actors: [
      { name: 'alice', address: ALICE },
      { name: 'bob', address: BOB },
      { name: 'carol', address: CAROL },
    ],
    depth: 20,
    blocks: true,
    startTime: 1_000_000,
    ...changes,
  });

const NO_GUIDE = { corpus: [], seen: NOTHING_SEEN };

const call = (from: string, name: string, ...values: CallStep['arguments']): CallStep => ({
  kind: 'call',
  from,
  to: VAULT,
  function: name,
  arguments: values,
});

const returned = (result: readonly string[], writes: readonly string[] = []): StepResult => ({
  hasFailed: false,
  result,
  events: () => [],
  writes: () => writes.map((value) => ({ value })),
});

describe('drawing', () => {
  test('depends on the seed, the index of the run and the guide alone', () => {
    const draw = (run: number, seed = 7): History => create().generate(seed, run, NO_GUIDE);
    expect(draw(3)).toEqual(draw(3));
    expect(draw(3)).not.toEqual(draw(4));
    expect(draw(3)).not.toEqual(draw(3, 8));
    const guide = { corpus: [draw(1), draw(2)], seen: { ...NOTHING_SEEN, numbers: [77n] } };
    const guided = () => create().generate(7, 3, guide);
    expect(guided()).toEqual(guided());
    expect(guided()).not.toEqual(draw(3));
  });

  /** It may change on purpose; then a seed that a user has noted draws another history. */
  test('is the same as in earlier versions', () => {
    const digest = (value: unknown): string =>
      createHash('sha256')
        .update(JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part)))
        .digest('hex')
        .slice(0, 12);
    const target = { name: 'vault', address: VAULT, abi: readAbi(ABI), constants: [86_400n, 500n] };
    const changes = {
      targets: [target],
      actions: [
        { name: 'poke', weight: 2 },
        { name: 'never', weight: 0 },
      ],
      classHashes: ['0xc1a55'],
      depth: 30,
    };
    const callers = [`${VAULT} deposit ${BOB}`, `${VAULT} send ${CAROL}`];
    const seen = { ...NOTHING_SEEN, numbers: [77n, 1_000_900n], felts: [0xfe17n], callers };
    const histories = create(changes);
    const runs = (source: Histories, corpus: readonly History[]) =>
      Array.from({ length: 60 }, (_, run) => {
        const drawing = source.draw(3, run, { corpus, seen });
        for (let time = 1_000_000, step = drawing.next(time), at = 0; step; at += 1) {
          if (step.kind === 'time') time += step.seconds;
          const hasFailed = at % 5 === 4;
          drawing.observe({
            ...returned(['0x9', '0x0'], [`0x${(at + 500).toString(16)}`]),
            hasFailed,
          });
          step = drawing.next(time);
        }
        return [drawing.history, drawing.seen()] as const;
      });
    const first = runs(histories, []);
    const corpus = first.map(([history]) => history).slice(0, 6);
    const mutated = runs(histories, corpus);
    const uniform = runs(create({ ...changes, strategy: 'random' }), []);
    const candidates = corpus.flatMap((history) =>
      [...histories.shrinker.shrink(history, undefined).take(300)].map(({ value }) => value),
    );
    expect(candidates.length).toBeGreaterThan(100);
    expect({
      drawn: digest(first),
      mutated: digest(mutated),
      uniform: digest(uniform),
      shrunk: digest(candidates),
      merged: digest(histories.merge(seen, ...first.map(([, values]) => values))),
      constants: digest(histories.constants),
    }).toEqual({
      constants: '88120c11876d',
      drawn: '7b058537dca0',
      merged: '32a2a221552c',
      mutated: '9a3cc8649a9a',
      shrunk: '25867e06caa2',
      uniform: 'ce2932d5c0c2',
    });
  });

  test('has calls of external functions, jumps and blocks within the depth', () => {
    const histories = create();
    const all = Array.from({ length: 200 }, (_, run) => histories.generate(1, run, NO_GUIDE));
    const names = new Set(
      all.flat().map((step) => (step.kind === 'call' ? step.function : step.kind)),
    );
    expect([...names].sort()).toEqual(['block', 'deposit', 'send', 'time', 'withdraw']);
    expect(Math.max(...all.map(({ length }) => length))).toBe(20);
    const callers = new Set(all.flat().flatMap((step) => (step.kind === 'call' ? step.from : [])));
    expect([...callers].sort()).toEqual([ALICE, BOB, CAROL].sort());
  });

  test('leaves out jumps, blocks and functions on request', () => {
    const histories = create({
      targets: [{ name: 'vault', address: VAULT, abi: readAbi(ABI), exclude: ['send'] }],
      time: false,
      blocks: false,
    });
    const steps = Array.from({ length: 100 }, (_, run) => histories.generate(1, run, NO_GUIDE));
    const names = new Set(
      steps.flat().map((step) => (step.kind === 'call' ? step.function : step.kind)),
    );
    expect([...names].sort()).toEqual(['deposit', 'withdraw']);
  });

  test('uses values that the steps before have shown', () => {
    const histories = create();
    const shown = 0x1234567890n;
    let uses = 0;
    for (let run = 0; run < 50; run++) {
      const drawing = histories.draw(1, run, NO_GUIDE);
      while (drawing.next()) drawing.observe(returned([], ['0x1234567890']));
      uses += drawing.history.filter(
        (step) => step.kind === 'call' && step.arguments.includes(shown),
      ).length;
      expect(drawing.seen().numbers).toContain(shown);
    }
    expect(uses).toBeGreaterThan(20);
  });

  test('jumps to times that storage has shown, and to one second before', () => {
    const histories = create();
    const deadline = 1_086_400;
    const reached = new Set<number>();
    for (let run = 0; run < 200; run++) {
      const drawing = histories.draw(1, run, NO_GUIDE);
      let time = 1_000_000;
      for (let step = drawing.next(time); step; step = drawing.next(time)) {
        if (step.kind === 'time') time += step.seconds;
        reached.add(time);
        drawing.observe(returned([], [`0x${deadline.toString(16)}`]));
      }
    }
    expect([deadline - 1, deadline, deadline + 1].filter((time) => !reached.has(time))).toEqual([]);
  });

  test('mutates the histories of the corpus', () => {
    const histories = create();
    const marked = call(CAROL, 'withdraw', 987_654_321n);
    const corpus = [Array.from({ length: 10 }, () => marked)];
    const runs = Array.from({ length: 100 }, (_, run) =>
      histories.generate(1, run, { ...NO_GUIDE, corpus }),
    );
    const withMark = runs.filter((history) => history.includes(marked));
    expect(withMark.length).toBeGreaterThan(25);
    const counts = withMark.map((history) => history.filter((step) => step === marked).length);
    expect(new Set(counts).size).toBeGreaterThan(4);
  });

  test('draws arguments of actions', () => {
    const histories = create({
      actions: [{ name: 'swap', arguments: fc.tuple(fc.bigInt({ min: 5n, max: 9n })), weight: 3 }],
    });
    const steps = Array.from({ length: 50 }, (_, run) =>
      histories.generate(1, run, NO_GUIDE),
    ).flat();
    const actions = steps.filter((step) => step.kind === 'action');
    expect(actions.length).toBeGreaterThan(50);
    expect(actions.every(({ arguments: [value = 0n] }) => /^[5-9]$/.test(String(value)))).toBe(
      true,
    );
  });
});

/** The number of histories that were tried, and the smallest one that fails. */
function shrink(history: History, fails: (history: History) => boolean) {
  let tries = 0;
  const { counterexample } = fc.check(
    fc.property(create().shrinker, (candidate) => {
      tries += 1;
      return !fails(candidate);
    }),
    { examples: [[history]], numRuns: 1, seed: 1 },
  );
  return { tries, smallest: counterexample?.[0] };
}

describe('shrinking', () => {
  test('every drawn and mutated history is shrunk without context', () => {
    const histories = create({ actions: [{ name: 'poke' }] });
    const corpus = [histories.generate(1, 1, NO_GUIDE), histories.generate(1, 2, NO_GUIDE)];
    for (let run = 0; run < 100; run++) {
      const history = histories.generate(2, run, { ...NO_GUIDE, corpus });
      expect(histories.shrinker.canShrinkWithoutContext(history)).toBe(true);
    }
  });

  test('leaves the steps that a failure needs, with the smallest values and the first actor', () => {
    const needs = (name: string, least: bigint) => (step: Step) =>
      step.kind === 'call' && step.function === name && Object(step.arguments.at(-1)) >= least;
    const fails = (history: History): boolean => {
      const deposit = history.findIndex(needs('deposit', 1000n));
      const jump = history.findIndex(
        (step, at) => at > deposit && step.kind === 'time' && step.seconds >= 3600,
      );
      const withdrawal = history.findLastIndex(needs('withdraw', 7n));
      return deposit >= 0 && deposit < jump && jump < withdrawal;
    };
    const noise = create().generate(5, 1, NO_GUIDE);
    const history = [
      ...noise,
      call(CAROL, 'deposit', 10n ** 30n),
      ...noise,
      { kind: 'time', seconds: 999_999 } as const,
      ...noise,
      call(BOB, 'withdraw', 10n ** 20n),
      ...noise,
    ];
    const { smallest, tries } = shrink(history, fails);
    expect(smallest).toEqual([
      call(ALICE, 'deposit', 1000n),
      { kind: 'time', seconds: 3600 },
      call(ALICE, 'withdraw', 7n),
    ]);
    expect(tries).toBeLessThan(1500);
  });

  test('replaces a number and an actor in all steps at once', () => {
    // A withdrawal of as much as was deposited, by another actor than the one who sent.
    const fails = (history: History): boolean => {
      const amountOf = (name: string) =>
        history.flatMap((step) =>
          step.kind === 'call' && step.function === name ? [step.arguments.at(-1)] : [],
        );
      const senders = history.flatMap((step) =>
        step.kind === 'call' && step.function === 'send' ? [step.from, step.arguments[0]] : [],
      );
      const [deposited] = amountOf('deposit');
      return (
        deposited !== undefined &&
        amountOf('withdraw').includes(deposited) &&
        senders.length > 0 &&
        senders[0] !== senders[1]
      );
    };
    const { smallest } = shrink(
      [
        call(CAROL, 'deposit', 123_456_789n),
        call(CAROL, 'send', BOB, 5n),
        call(CAROL, 'withdraw', 123_456_789n),
      ],
      fails,
    );
    expect(smallest).toEqual([
      call(ALICE, 'deposit', 0n),
      call(ALICE, 'send', BOB, 0n),
      call(ALICE, 'withdraw', 0n),
    ]);
  });

  test('a number that several steps share is not shrunk below the minimum of its types', () => {
    const abi = readAbi([fn('split', ['core::zeroable::NonZero::<core::integer::u64>']), ...ABI]);
    const histories = create({ targets: [{ name: 'vault', address: VAULT, abi }] });
    const tried: History[] = [];
    void fc.check(
      fc.property(histories.shrinker, (candidate) => {
        tried.push(candidate);
        return candidate.length < 2;
      }),
      { examples: [[[call(BOB, 'split', 77n), call(BOB, 'deposit', 77n)]]], numRuns: 1, seed: 1 },
    );
    expect(tried.length).toBeGreaterThan(5);
    const calls = tried.flat().filter((step) => step.kind === 'call');
    for (const step of calls) expect(() => histories.encode(step)).not.toThrow();
    expect(tried.findLast(({ length }) => length === 2)).toEqual([
      call(ALICE, 'split', 1n),
      call(ALICE, 'deposit', 0n),
    ]);
  });

  test('a value that is simpler only after a later one is tried again', () => {
    // The first amount must be above the second: it cannot become small before the second is.
    const fails = (history: History): boolean => {
      const [first, second] = history.flatMap((step) =>
        'arguments' in step ? step.arguments : [],
      );
      return typeof first === 'bigint' && typeof second === 'bigint' && first > second;
    };
    const { smallest } = shrink(
      [call(ALICE, 'deposit', 5000n), call(ALICE, 'withdraw', 4000n)],
      fails,
    );
    expect(smallest).toEqual([call(ALICE, 'deposit', 1n), call(ALICE, 'withdraw', 0n)]);
  });

  test('two jumps become one', () => {
    const seconds = (history: History): number =>
      history.reduce((sum, step) => sum + (step.kind === 'time' ? step.seconds : 0), 0);
    const { smallest } = shrink(
      [{ kind: 'time', seconds: 50 }, { kind: 'block' }, { kind: 'time', seconds: 60 }],
      (history) => seconds(history) >= 100,
    );
    expect(smallest).toEqual([{ kind: 'time', seconds: 100 }]);
  });
});

test('positions stand for the addresses of contracts and actors', () => {
  const history: History = [
    call(BOB, 'send', ALICE, 5n),
    { kind: 'action', name: 'poke', arguments: [[VAULT], { to: '0x5' }] },
    { kind: 'block' },
  ];
  const positioned = withPositions(history, { contracts: [VAULT], actors: [ALICE, BOB] });
  expect(positioned).toMatchObject([
    { from: 'actor:1', to: 'contract:0', arguments: ['actor:0', 5n] },
    { arguments: [['contract:0'], { to: '0x5' }] },
    { kind: 'block' },
  ]);
  const elsewhere = { contracts: ['0x77'], actors: [CAROL, BOB] };
  expect(withAddresses(positioned, elsewhere)[0]).toMatchObject({
    from: BOB,
    to: '0x77',
    arguments: [CAROL, 5n],
  });
});

test('a step is encoded as encodeArguments does', () => {
  const histories = create();
  const abi = readAbi(ABI);
  const functions = new Map([...abi.functions.values()].map((of) => [of.name, of]));
  for (const step of histories.generate(1, 1, NO_GUIDE)) {
    if (step.kind !== 'call') continue;
    const of = functions.get(step.function);
    if (!of) throw new Error(`no function ${step.function}`);
    const encoded = histories.encode(step);
    expect(encoded).toMatchObject({ caller: step.from, contract: VAULT });
    expect(encoded.calldata).toEqual(encodeArguments(of, step.arguments, abi));
  }
  expect(histories.decode(VAULT, 'balance_of', ['0x5', '0x1'])).toBe((1n << 128n) + 5n);
  expect(histories.decode(VAULT, 'deposit', [])).toBe(undefined);
});

test('probes are views without arguments, and of each address', () => {
  expect(
    create()
      .probes()
      .map((step) => [step.function, ...step.arguments]),
  ).toEqual([
    ['balance_of', ALICE],
    ['balance_of', BOB],
    ['balance_of', CAROL],
    ['balance_of', VAULT],
    ['total'],
  ]);
});

test('a function that does not exist is rejected with the names of the others', () => {
  const target = { name: 'vault', address: VAULT, abi: readAbi(ABI) };
  expect(() => create({ targets: [{ ...target, functions: ['depositt'] }] })).toThrow(
    'The contract vault has no function depositt; it has deposit, withdraw, send, balance_of, total',
  );
  const nothing = create({ targets: [{ ...target, functions: [] }] });
  expect(() => nothing.draw(1, 1, NO_GUIDE)).toThrow(
    'Expected at least one external function or action',
  );
  expect(() => create({ actors: [] }).draw(1, 1, NO_GUIDE)).toThrow('Expected at least one actor');
});
