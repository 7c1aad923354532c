// The history compared with plain arrays on every branch, and its memory budget.

import { Transaction } from '@starkbox/engine';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { block, genesis, invokeValues, STRK } from '../../../../engine/test/fixtures/chain.js';
import { BlockIndex, markOf } from '../../../src/chain/history/block-index.js';
import type { Emitted } from '../../../src/chain/history/event-index.js';
import type { ClosedBlock, TransactionRecord } from '../../../src/chain/history/header.js';
import { type Archive, History } from '../../../src/chain/history/history.js';
import { readPackedBlock } from '../../../src/chain/history/packed-block.js';
import { packNow } from '../../../src/chain/history/packed-texts.js';
import { runElsewhere } from '../../support/own-process.js';
import { closedBlock, PRICES, randomFelt, type Sample } from '../../support/transfers.js';
import type { Weight } from './history-weight.js';

const FIRST = 7;

interface Entry {
  readonly block: ClosedBlock;
  readonly events: readonly (readonly Emitted[])[];
}
type Model = readonly Entry[];

const json = fc
  .jsonValue({ stringUnit: 'binary', maxDepth: 1 })
  .map((value) => JSON.stringify(value));
const felt = fc.bigInt({ min: 0n, max: 2n ** 252n - 1n }).map((value) => `0x${value.toString(16)}`);
const emitted = fc.record({
  from_address: fc.constantFrom('0x1', '0x2', '0x3'),
  keys: fc.array(fc.constantFrom('0xa', '0xb'), { maxLength: 2 }),
});
const content = fc.record({
  timestamp: fc.nat(2 ** 32),
  commitment: felt,
  isOrphan: fc.boolean(),
  isDearer: fc.boolean(),
  stateDiff: fc.option(json, { nil: undefined }),
  transactions: fc.array(
    fc.record({
      transaction: json,
      proofFacts: fc.option(fc.array(felt, { maxLength: 2 }), { nil: undefined }),
      receipt: json,
      trace: json,
      events: fc.array(emitted, { maxLength: 2 }),
    }),
    { maxLength: 3 },
  ),
});
const branchesBack = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.nat(9) },
);
const command = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ does: fc.constant('append' as const), back: branchesBack, content }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('truncate' as const),
      back: branchesBack,
      depth: fc.nat(5),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('pack' as const), back: branchesBack }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('settle' as const),
      back: branchesBack,
      keep: fc.nat(4),
    }),
  },
);
type Content = typeof content extends fc.Arbitrary<infer T> ? T : never;

/** Hashes are never twice the same, as on a chain; some are short, because felts have no leading zeros. */
let hashCount = 0;
const freshHash = (): string => {
  hashCount += 1;
  return hashCount % 3 === 0
    ? `0x${hashCount.toString(16)}`
    : `0x${hashCount.toString(16).padEnd(60, '5')}`;
};

function entry(model: Model, { transactions, ...content }: Content): Entry {
  const dear = { price_in_fri: '0x2', price_in_wei: '0x1' };
  const parentHash = model.at(-1)?.block.header.hash ?? '0x0';
  return {
    block: {
      header: {
        number: FIRST + model.length,
        hash: freshHash(),
        parentHash: content.isOrphan ? freshHash() : parentHash,
        timestamp: content.timestamp,
        prices: { ...PRICES, ...(content.isDearer ? { l2_gas_price: dear } : {}) },
        transactionCount: transactions.length,
        eventCount: transactions.reduce((sum, { events }) => sum + events.length, 0),
        stateDiffLength: content.timestamp % 5,
        transactionCommitment: content.commitment,
        eventCommitment: '0x0',
        receiptCommitment: '0x1',
        stateDiffCommitment: freshHash(),
      },
      transactions: transactions.map(({ events: _, ...texts }) => ({
        hash: freshHash(),
        ...texts,
      })),
      stateDiff: content.stateDiff,
    },
    events: transactions.map(({ events }) => events),
  };
}

function check(history: History, model: Model, everything: ReadonlySet<string>): void {
  expect(history.first).toBe(FIRST);
  expect(history.next).toBe(FIRST + model.length);
  expect(history.latest).toEqual(model.at(-1)?.block.header);
  const hashes = new Set<string>();
  let [transactionCount, eventCount] = [0, 0];
  for (const { block, events } of model) {
    const { header, transactions } = block;
    const { number } = header;
    transactionCount += transactions.length;
    eventCount += events.flat().length;
    expect(history.header(number)).toEqual(header);
    expect(history.has(number)).toBe(true);
    expect(history.hash(number)).toBe(header.hash);
    expect(history.numberOf(header.hash)).toBe(number);
    expect(history.hashes(number)).toEqual(transactions.map(({ hash }) => hash));
    expect(history.transactions(number)).toEqual(transactions);
    expect(history.receipts(number)).toEqual(transactions.map(({ receipt }) => receipt));
    expect(history.stateDiff(number)).toBe(block.stateDiff);
    expect(history.totals(number)).toEqual({ transactions: transactionCount, events: eventCount });
    transactions.forEach((record, index) => {
      expect(history.locate(record.hash)).toEqual({ block: number, index });
      expect(history.transaction(number, index)).toEqual(record);
      hashes.add(record.hash);
    });
    expect(history.transaction(number, transactions.length)).toBeUndefined();
    hashes.add(header.hash);
  }
  expect(history.transactionCount).toBe(transactionCount);
  expect(history.eventCount).toBe(eventCount);
  for (const hash of everything) {
    if (hashes.has(hash)) continue;
    expect(history.numberOf(hash)).toBeUndefined();
    expect(history.locate(hash)).toBeUndefined();
  }
  const filter = { from: 0, to: 99, addresses: ['0x1', '0x2'], keys: [['0xa']] };
  const hasOne = ({ events }: Entry): boolean =>
    events.flat().some(({ from_address }) => filter.addresses.includes(from_address)) &&
    events.flat().some(({ keys }) => keys.length === 0 || keys[0] === '0xa');
  expect([...history.eventBlocks(filter)]).toEqual(
    model.filter(hasOne).map(({ block }) => block.header.number),
  );
  for (const number of [-1, 0, FIRST - 1, history.next]) {
    expect(history.has(number)).toBe(false);
    expect(history.header(number) ?? history.hash(number)).toBeUndefined();
    expect(history.hashes(number)).toEqual([]);
    expect(history.transactions(number)).toEqual([]);
    expect(history.receipts(number)).toEqual([]);
    expect(history.transaction(number, 0)).toBeUndefined();
    expect(history.stateDiff(number)).toBeUndefined();
    expect(history.totals(number)).toBeUndefined();
  }
}

function records(history: History): readonly Uint8Array[] {
  return Array.from({ length: history.next - FIRST }, (_, at) => history.record(FIRST + at));
}

/** An archive of a history's blocks that remembers nothing but their bytes. */
function archiveOf(history: History): Archive {
  const blockRecords = records(history);
  const mentions = BlockIndex.of(
    FIRST,
    blockRecords.map((_, at) => history.marks(FIRST + at)),
  );
  return {
    at: (number) => {
      const record = blockRecords[number - FIRST];
      return record && readPackedBlock(record);
    },
    find: (mark, passes) => mentions.find(mark, passes),
    newest: (mark, upTo) => mentions.newest(mark, upTo),
    cursor: (mark) => mentions.cursor(mark),
  };
}

function small(number: number, parentHash: string): ClosedBlock {
  const record: TransactionRecord = {
    hash: randomFelt(),
    transaction: '{}',
    proofFacts: undefined,
    receipt: `{"n":${number}}`,
    trace: '{}',
  };
  return closedBlock(number, [record], { parentHash, eventCount: 1 });
}

function grow(history: History, count: number): { history: History; blocks: ClosedBlock[] } {
  const blocks: ClosedBlock[] = [];
  let grown = history;
  for (let times = 0; times < count; times += 1) {
    const closed = small(grown.next, grown.latest?.hash ?? '0x0');
    grown = grown.append(closed, [[{ from_address: '0x1', keys: ['0xa', `0x${times % 9}`] }]]);
    blocks.push(closed);
  }
  return { history: grown, blocks };
}

describe('a history', () => {
  test('is what was appended, on every branch, packed or not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
        const branches: { readonly history: History; readonly model: Model }[] = [
          { history: History.startingAt(FIRST), model: [] },
        ];
        const everything = new Set<string>();
        for (const command of commands) {
          const branch = branches.at(-1 - (command.back % branches.length));
          if (!branch) throw new Error('there is always a branch');
          const { history, model } = branch;
          if (command.does === 'append') {
            const added = entry(model, command.content);
            everything.add(added.block.header.hash);
            for (const { hash } of added.block.transactions) everything.add(hash);
            branches.push({
              history: history.append(added.block, added.events),
              model: [...model, added],
            });
          } else if (command.does === 'truncate') {
            const length = Math.max(0, model.length - command.depth);
            branches.push({
              history: history.truncate(FIRST + length),
              model: model.slice(0, length),
            });
          } else if (command.does === 'settle') {
            const base = Math.max(FIRST, history.next - command.keep);
            branches.push({ history: history.settled(archiveOf(history), base), model });
          } else {
            packNow();
          }
        }
        for (const { history, model } of branches) {
          check(history, model, everything);
          check(await History.restore(FIRST, records(history)), model, everything);
        }
      }),
    );
  });

  test('of 20,000 blocks branches, and neither branch sees the other', () => {
    const trunk = grow(History.startingAt(0), 20_000);
    const firstBranch = grow(trunk.history, 300);
    const secondBranch = grow(trunk.history.truncate(19_900), 500);
    expect([trunk.history.next, firstBranch.history.next, secondBranch.history.next]).toEqual([
      20_000, 20_300, 20_400,
    ]);
    for (const closed of [...firstBranch.blocks, ...trunk.blocks.slice(19_900)]) {
      expect(secondBranch.history.numberOf(closed.header.hash)).toBeUndefined();
      expect(secondBranch.history.locate(closed.transactions[0]?.hash ?? '')).toBeUndefined();
    }
    for (const closed of secondBranch.blocks) {
      const { number, hash } = closed.header;
      expect(trunk.history.numberOf(hash)).toBeUndefined();
      expect(firstBranch.history.numberOf(hash)).toBeUndefined();
      expect(secondBranch.history.header(number)).toEqual(closed.header);
      expect(secondBranch.history.transactions(number)).toEqual(closed.transactions);
    }
    for (const closed of [...trunk.blocks.slice(19_900), ...firstBranch.blocks]) {
      const { number } = closed.header;
      expect(firstBranch.history.header(number)).toEqual(closed.header);
      expect(firstBranch.history.transactions(number)).toEqual(closed.transactions);
    }
    const filter = { from: 19_890, to: 30_000, addresses: ['0x1'], keys: [['0xa'], ['0x0']] };
    // Every ninth block of each part, counted from where the part begins.
    const every9th = (start: number, end: number, from = start): readonly number[] =>
      Array.from({ length: end - from }, (_, index) => from + index).filter(
        (number) => (number - start) % 9 === 0,
      );
    const eventBlocksOf = (history: History) => [...history.eventBlocks(filter)];
    const last = every9th(0, 20_000, 19_890);
    expect(eventBlocksOf(trunk.history)).toEqual(last);
    expect(eventBlocksOf(firstBranch.history)).toEqual([...last, ...every9th(20_000, 20_300)]);
    expect(eventBlocksOf(secondBranch.history)).toEqual([
      ...every9th(0, 19_900, 19_890),
      ...every9th(19_900, 20_400),
    ]);
  });

  test('tells hashes apart that share a mark', () => {
    const byMark = new Map<number, string>();
    let pair: readonly [string, string] | undefined;
    for (let number = 1; !pair; number += 1) {
      const hash = `0x${(BigInt(number) * 0x9e3779b97f4a7c15f39cc0605cedc834n).toString(16)}`;
      const twin = byMark.get(markOf(hash));
      if (twin) pair = [twin, hash];
      byMark.set(markOf(hash), hash);
    }
    const [firstHash, secondHash] = pair;
    const texts = { transaction: '1', proofFacts: undefined, receipt: '2', trace: '3' };
    const record = (hash: string): TransactionRecord => ({ hash, ...texts });
    const first = History.startingAt(0).append(
      closedBlock(0, [record(firstHash)], { hash: firstHash }),
      [[]],
    );
    expect([first.numberOf(firstHash), first.numberOf(secondHash)]).toEqual([0, undefined]);
    expect([first.locate(firstHash), first.locate(secondHash)]).toEqual([
      { block: 0, index: 0 },
      undefined,
    ]);
    const second = first.append(
      closedBlock(1, [record('0x5'), record(secondHash)], { hash: secondHash }),
      [[], []],
    );
    expect([second.numberOf(firstHash), second.numberOf(secondHash)]).toEqual([0, 1]);
    expect([second.locate(firstHash), second.locate(secondHash)]).toEqual([
      { block: 0, index: 0 },
      { block: 1, index: 1 },
    ]);
    expect(second.truncate(1).numberOf(firstHash)).toBe(0);
    expect(second.truncate(1).locate(secondHash)).toBeUndefined();
  });

  test('takes only the block that comes next', () => {
    const { history } = grow(History.startingAt(3), 2);
    expect(() => history.append(small(4, '0x0'), [[]])).toThrow(RangeError);
    expect(() => history.append(small(6, '0x0'), [[]])).toThrow(RangeError);
    expect(history.append(small(5, '0x0'), [[]]).next).toBe(6);
    expect(history.truncate(9)).toBe(history);
    expect(history.truncate(0).next).toBe(3);
  });

  test('finds any transaction of a large block', () => {
    const records = Array.from({ length: 300 }, (_, index) => ({
      hash: randomFelt(),
      transaction: JSON.stringify({ index }),
      proofFacts: undefined,
      receipt: JSON.stringify({ index, fee: 'x'.repeat(1_000) }),
      trace: JSON.stringify({ index, calls: 'y'.repeat(4_000) }),
    }));
    const history = History.startingAt(0).append(closedBlock(0, records), [[]]);
    packNow();
    records.forEach((record, index) => {
      expect(history.locate(record.hash)).toEqual({ block: 0, index });
      expect(history.transaction(0, index)).toEqual(record);
    });
    expect(history.transactions(0)).toEqual(records);
  });
});

describe('the memory of a block with one transfer', () => {
  async function transfersThatRan(count: number): Promise<readonly Sample[]> {
    const { accounts, state: start } = await genesis();
    const samples: Sample[] = [];
    let state = start;
    for (let index = 0; index < count; index += 1) {
      const from = accounts[index % accounts.length];
      if (!from) throw new Error('there is no account');
      const calldata = [randomFelt(), `0x${(10 ** 12 + index).toString(16)}`, '0x0'];
      const values = invokeValues(
        from,
        [{ to: STRK, name: 'transfer', calldata }],
        Math.floor(index / accounts.length),
      );
      const transaction = new Transaction(values, 'SN_SEPOLIA');
      const executed = await state.execute(block(), transaction);
      if (executed.outcome === 'rejected') throw new Error(executed.rejection.message);
      state = executed.next;
      samples.push({
        record: {
          hash: transaction.hash,
          transaction: JSON.stringify(values),
          proofFacts: undefined,
          receipt: JSON.stringify(executed.receipt),
          trace: executed.trace,
        },
        events: executed.receipt.events,
      });
    }
    return samples;
  }

  test('is at most 3 KB, indexes included', async () => {
    const samples = await transfersThatRan(20);
    const { transaction = '', receipt = '', trace = '' } = samples[0]?.record ?? {};
    expect(transaction.length + receipt.length + trace.length).toBeGreaterThan(5_000);
    const script = `
      import { text } from 'node:stream/consumers';
      const { weigh } = await import(process.argv[1]);
      console.log(JSON.stringify(await weigh(JSON.parse(await text(process.stdin)), 5_000)));`;
    const said = await runElsewhere('test/chain/history/history-weight.ts', script, {
      input: JSON.stringify(samples),
    });
    const weight: Weight = JSON.parse(said);
    console.log('a block with one transfer:', weight);
    expect(weight.block).toBeLessThan(3 * 1024);
    expect(weight.waited).toBeLessThan(512 * 1024);
  }, 120_000);
});
