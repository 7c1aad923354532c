// Weights of a block under construction: what fits, what counts once, and the form in storage.

import {
  type AppliedWithin,
  BlockWeights,
  type CapacityFigures,
  EngineError,
  type Full,
  State,
  StateSource,
  Transaction,
  type WeightName,
} from '@starkbox/engine';
import { describe, expect, test } from 'vitest';
import {
  accountClass,
  block,
  CHAIN_ID,
  contractClass,
  declareValues,
  firstAccount,
  genesis,
  invoke,
  place,
  STRK,
  transfer,
} from '../fixtures/chain.js';
import { applied, balanceKey, CONTRACT, deposit } from '../fixtures/transactions.js';

const chain = await genesis(await accountClass());
const account = firstAccount(chain);

/** `block_max_capacity` in `batcher_config.json` of the sequencer, August 2026. */
const NETWORK_CAPACITY: CapacityFigures = {
  l1_gas: 4_400_000,
  message_segment_length: 3_700,
  n_events: 5_000,
  n_txs: 500,
  state_diff_size: 4_000,
  sierra_gas: 5_000_000_000,
  proving_gas: 5_000_000_000,
  receipt_l2_gas: 5_800_000_000,
};

interface Filling {
  readonly state: State;
  readonly weights: BlockWeights;
}

const EMPTY: Filling = { state: chain.state, weights: BlockWeights.empty() };

const within = (
  { state, weights }: Filling,
  transaction: Transaction,
  changes: Partial<CapacityFigures> = {},
) =>
  state.executeWithin(
    block(),
    transaction,
    {},
    { weights, capacity: { ...NETWORK_CAPACITY, ...changes } },
  );

async function fitting(
  filling: Filling,
  transaction: Transaction,
  changes: Partial<CapacityFigures> = {},
): Promise<AppliedWithin & Filling> {
  const execution = await within(filling, transaction, changes);
  if (!('weights' in execution)) throw new Error(`it was ${execution.outcome}`);
  return { ...execution, state: execution.next };
}

async function full(
  filling: Filling,
  transaction: Transaction,
  changes: Partial<CapacityFigures>,
): Promise<Full> {
  const execution = await within(filling, transaction, changes);
  if (execution.outcome !== 'full') throw new Error(`it was ${execution.outcome}`);
  return execution;
}

function difference(figures: CapacityFigures, before: CapacityFigures): CapacityFigures {
  const entries = Object.entries(before);
  const differences = entries.map(([name, value]) => [name, Object(figures)[name] - value]);
  return Object.fromEntries(differences);
}

describe('a block', () => {
  test('takes transfers until a weight is above the capacity', async () => {
    const capacity = { n_txs: 3 };
    let filling: Filling = EMPTY;
    for (let nonce = 0; nonce < 3; nonce += 1) {
      filling = await fitting(filling, transfer(account, `0x123${nonce}`, 1, nonce), capacity);
    }
    expect(filling.weights.figures).toMatchObject({ n_txs: 3, l1_gas: 0 });
    const text = filling.weights.toText();
    const diff = filling.state.diffTextOf(1);
    expect(await full(filling, transfer(account, '0x1239', 1, 3), capacity)).toEqual({
      outcome: 'full',
      exceeded: ['n_txs'],
      isTooLarge: false,
      printed: [],
    });
    expect(filling.weights.toText()).toBe(text);
    expect(filling.state.diffTextOf(1)).toBe(diff);
    expect(await filling.state.nonceAt(account.address)).toBe('0x3');
  });

  test.each<WeightName>([
    'n_events',
    'state_diff_size',
    'sierra_gas',
    'proving_gas',
    'receipt_l2_gas',
  ])('is full by %s, and has room for exactly its sum', async (name) => {
    const first = await fitting(EMPTY, transfer(account, '0x1234', 1, 0));
    const next = transfer(account, '0x5678', 1, 1);
    const { [name]: sum } = (await fitting(first, next)).weights.figures;
    expect(await fitting(first, next, { [name]: sum })).toMatchObject({ outcome: 'accepted' });
    expect(await full(first, next, { [name]: sum - 1 })).toMatchObject({
      exceeded: [name],
      isTooLarge: false,
    });
  });

  test('has no room for a transaction above its whole capacity, even if it is empty', async () => {
    const tiny = { sierra_gas: 10, n_events: 0, receipt_l2_gas: 10 };
    expect(await full(EMPTY, transfer(account, '0x1', 1, 0), tiny)).toMatchObject({
      exceeded: ['n_events', 'sierra_gas', 'receipt_l2_gas'],
      isTooLarge: true,
    });
  });

  test('counts messages between the layers', async () => {
    const state = await place(chain.state, 'messenger', CONTRACT);
    const handler = new Transaction(deposit(account, '0x7'), CHAIN_ID);
    const { weights } = await fitting({ state, weights: BlockWeights.empty() }, handler);
    expect(weights.figures.l1_gas).toBeGreaterThan(0);
    expect(weights.figures.message_segment_length).toBeGreaterThan(0);
  });

  test('refuses what `execute` refuses, without weights', async () => {
    const execution = await within(EMPTY, transfer(account, '0x1', 1, 7));
    expect(execution).toMatchObject({ outcome: 'rejected', rejection: { reason: 'nonce' } });
    expect(execution).not.toHaveProperty('weights');
  });

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
    'cannot have a capacity of %d',
    async (n_txs) => {
      const execution = within(EMPTY, transfer(account, '0x1', 1, 0), { n_txs });
      await expect(execution).rejects.toThrow(/^capacity\.n_txs: expected a whole number/);
    },
  );
});

describe('a transaction', () => {
  test('weighs less after one that shares classes, slots and changes with it', async () => {
    const first = await fitting(EMPTY, transfer(account, '0x1234', 1, 0));
    const second = await fitting(first, transfer(account, '0x1234', 1, 1));
    const { figures } = first.weights;
    const added = difference(second.weights.figures, figures);
    expect(figures.state_diff_size).toBeGreaterThan(0);
    expect(added).toMatchObject({ n_txs: 1, n_events: figures.n_events, state_diff_size: 0 });
    expect(added.sierra_gas).toBeLessThan(figures.sierra_gas);
    expect(added.proving_gas).toBeLessThan(figures.proving_gas);
  });

  test('fits an empty block but not a full one', async () => {
    const first = await fitting(EMPTY, transfer(account, '0x1234', 1, 0));
    const capacity = { n_txs: 1 };
    const second = transfer(account, '0x1234', 1, 1);
    expect(await full(first, second, capacity)).toMatchObject({ isTooLarge: false });
    const alone = { state: first.state, weights: BlockWeights.empty() };
    expect((await fitting(alone, second, capacity)).weights.figures.n_txs).toBe(1);
  });

  test('has the same receipt, trace and state as by `execute`', async () => {
    const counter = await contractClass('counter');
    const transactions = [
      transfer(account, '0x1234', 1000, 0),
      new Transaction(declareValues(account, counter, 1), CHAIN_ID, counter),
      invoke(account, [{ to: STRK, name: 'transfer', calldata: ['0x1', '0x0', '0x1'] }], 2),
    ];
    const outcomes: string[] = [];
    let filling: Filling = EMPTY;
    let plain = chain.state;
    for (const transaction of transactions) {
      const { next, weights, state, ...report } = await fitting(filling, transaction);
      const { next: plainNext, ...plainReport } = await applied(plain, transaction);
      expect(report).toEqual(plainReport);
      expect(next.diffTextOf(1)).toBe(plainNext.diffTextOf(1));
      outcomes.push(report.outcome);
      filling = { state, weights };
      plain = plainNext;
    }
    expect(outcomes).toEqual(['accepted', 'accepted', 'reverted']);
    expect(await filling.state.storageAt(STRK, balanceKey('0x1234'))).toBe('0x3e8');
  });

  test('weighs the same above an origin', async () => {
    const origin = new StateSource(async (question) => {
      switch (question.kind) {
        case 'storage':
          return chain.state.storageAt(question.address, question.key);
        case 'nonce':
          return chain.state.nonceAt(question.address);
        case 'class_hash':
          return chain.state.classHashAt(question.address);
        case 'class':
          return (await (await chain.state.class(question.class_hash))?.json()) ?? null;
      }
    });
    const fork = State.create({ version: 1, source: origin });
    const transaction = transfer(account, '0x1234', 1, 0);
    const forked = await fitting({ state: fork, weights: BlockWeights.empty() }, transaction);
    expect(forked.weights.toText()).toBe((await fitting(EMPTY, transaction)).weights.toText());
    expect(forked.next.hasSource).toBe(true);
  });
});

describe('weights', () => {
  test('are a value: branches from one do not change it or each other', async () => {
    const base = await fitting(EMPTY, transfer(account, '0x1234', 1, 0));
    const text = base.weights.toText();
    const [left, right, again] = await Promise.all([
      fitting(base, transfer(account, '0x1234', 1, 1)),
      fitting(base, transfer(account, '0x5678', 1, 1)),
      fitting(base, transfer(account, '0x1234', 1, 1)),
    ]);
    expect(base.weights.toText()).toBe(text);
    expect(left.weights.toText()).toBe(again.weights.toText());
    expect(right.weights.figures.state_diff_size).toBeGreaterThan(
      left.weights.figures.state_diff_size,
    );
    expect(BlockWeights.empty().figures).toEqual(
      difference(base.weights.figures, base.weights.figures),
    );
  });

  test('continue from their text', async () => {
    const { weights, state } = await fitting(EMPTY, transfer(account, '0x1234', 1, 0));
    const restored = BlockWeights.fromText(weights.toText());
    expect(restored.figures).toEqual(weights.figures);
    expect(restored.toText()).toBe(weights.toText());
    const next = transfer(account, '0x5678', 1, 1);
    const [after, afterRestored] = await Promise.all([
      fitting({ state, weights }, next),
      fitting({ state, weights: restored }, next),
    ]);
    expect(afterRestored.weights.toText()).toBe(after.weights.toText());
    expect(BlockWeights.fromText(BlockWeights.empty().toText()).toText()).toBe(
      BlockWeights.empty().toText(),
    );
  });

  test('are not read from other texts', async () => {
    const { weights } = await fitting(EMPTY, transfer(account, '0x1234', 1, 0));
    const text = weights.toText();
    const parsed = JSON.parse(text);
    const texts = [
      '',
      'null',
      '{}',
      '[]',
      '\ud800',
      text.slice(0, -1),
      `${text} `,
      JSON.stringify({ ...parsed, more: 1 }),
      JSON.stringify({ ...parsed, figures: { ...parsed.figures, more: 1 } }),
      JSON.stringify({ ...parsed, figures: { ...parsed.figures, n_txs: -1 } }),
      JSON.stringify({ ...parsed, figures: { ...parsed.figures, n_txs: 2 ** 53 } }),
      JSON.stringify({ ...parsed, executed_classes: ['0xg'] }),
      JSON.stringify({ ...parsed, changed_contracts: ['0x01'] }),
      JSON.stringify({ ...parsed, changed_contracts: [`0x${'f'.repeat(63)}`] }),
      JSON.stringify(Object.values(parsed)),
      '['.repeat(100_000),
    ];
    for (const other of texts) {
      expect(() => BlockWeights.fromText(other), other.slice(0, 80)).toThrow(EngineError);
    }
  });

  test('far above the capacity of any block admit nothing, and do not overflow', async () => {
    const parsed = JSON.parse(BlockWeights.empty().toText());
    const most = Number.MAX_SAFE_INTEGER;
    const figures = Object.fromEntries(Object.keys(parsed.figures).map((name) => [name, most]));
    const weights = BlockWeights.fromText(JSON.stringify({ ...parsed, figures }));
    expect(weights.figures).toEqual(figures);
    const transaction = transfer(account, '0x1', 1, 0);
    const execution = await within({ state: chain.state, weights }, transaction, figures);
    expect(execution).toMatchObject({
      outcome: 'full',
      exceeded: [
        'n_events',
        'n_txs',
        'state_diff_size',
        'sierra_gas',
        'proving_gas',
        'receipt_l2_gas',
      ],
      isTooLarge: false,
    });
  });
});
