// How often an archive is read: the cost of old blocks in a data directory.
import { expect, test } from 'vitest';
import { BlockIndex } from '../../../src/chain/history/block-index.js';
import { History } from '../../../src/chain/history/history.js';
import { readPackedBlock } from '../../../src/chain/history/packed-block.js';
import { closedBlock, randomFelt } from '../../support/transfers.js';

const BLOCKS = 6;

/** Blocks in an archive, and the numbers of those that were read. */
function archived(): { readonly history: History; readonly read: number[] } {
  let whole = History.startingAt(0);
  for (let number = 0; number < BLOCKS; number += 1) {
    const record = {
      ...{ hash: randomFelt(), transaction: '{}', proofFacts: undefined, trace: '{}' },
      receipt: `{"events":[],"n":${number}}`,
    };
    const parentHash = whole.latest?.hash ?? '0x0';
    whole = whole.append(closedBlock(number, [record], { parentHash }), [[]]);
  }
  const records = Array.from({ length: BLOCKS }, (_, number) => whole.record(number));
  const index = BlockIndex.of(
    0,
    records.map((_, number) => whole.marks(number)),
  );
  const read: number[] = [];
  const archive = {
    at: (number: number) => {
      read.push(number);
      const record = records[number];
      return record && readPackedBlock(record);
    },
    find: index.find.bind(index),
    newest: index.newest.bind(index),
    cursor: index.cursor.bind(index),
  };
  return { history: whole.settled(archive, BLOCKS - 1), read };
}

test('whether there is a block is answered without a read', () => {
  const { history, read } = archived();
  expect([-1, 0, 3, BLOCKS - 1, BLOCKS].map((number) => history.has(number))).toEqual([
    ...[false, true, true, true, false],
  ]);
  expect(read).toEqual([]);
});

test('the hash and the receipts of a block take one read, its header also the block before', () => {
  const { history, read } = archived();
  const hash = history.hash(3);
  expect(read.splice(0)).toEqual([3]);
  expect(history.outcome(3)).toEqual({
    hash,
    transactions: history.hashes(3),
    receipts: ['{"events":[],"n":3}'],
  });
  read.length = 0;
  history.outcome(3);
  expect(read.splice(0)).toEqual([3]);
  expect(history.header(3)?.hash).toBe(hash);
  expect(read).toEqual([3, 2]);
  expect(history.outcome(BLOCKS)).toBeUndefined();
});
