// The comparison of answers finds differences that matter to clients.
import { expect, test } from 'vitest';
import { compare } from './compare.js';
import { Correspondence } from './correspondence.js';

const RUN = { recordedAt: 1000, startedAt: 5000, port: 1, folder: '/folder' };
const kinds = (expected: unknown, actual: unknown, pairs = new Correspondence(RUN)): string[] =>
  compare(expected, actual, pairs)
    .filter(({ isNote }) => !isNote)
    .map(({ path, kind }) => `${path} ${kind}`);

test('equal answers have no differences', () => {
  const answer = { id: 1, result: { a: [1, '0x1', null], big: 2n ** 70n } };
  expect(kinds(answer, structuredClone(answer))).toEqual([]);
  expect(kinds({ result: '0x01' }, { result: '0x1' })).toEqual([]);
  expect(kinds({ result: '{tmp}/a' }, { result: '/folder/a' })).toEqual([]);
});

test('values, missing members and lengths are found', () => {
  expect(kinds({ result: 1 }, { result: 2 })).toEqual(['$.result value']);
  expect(kinds({ result: 2n ** 70n }, { result: 2n ** 70n + 1n })).toEqual(['$.result value']);
  expect(kinds({ result: { a: 1 } }, { result: {} })).toEqual(['$.result.a missing']);
  expect(kinds({ result: [1] }, { result: [1, 2] })).toEqual(['$.result.length length']);
  expect(kinds({ result: 1 }, { error: { code: 1 } })).toEqual([
    '$.result missing',
    '$.error extra',
  ]);
  expect(kinds({ error: { code: 20 } }, { error: { code: 24 } })).toEqual(['$.error.code value']);
});

test('block hashes stand for one another, one for one', () => {
  const pairs = new Correspondence(RUN);
  const block = (hash: string) => ({ result: { block_hash: hash } });
  expect(kinds(block('0xa'), block('0x1'), pairs)).toEqual([]);
  expect(kinds(block('0xa'), block('0x1'), pairs)).toEqual([]);
  expect(kinds(block('0xa'), block('0x2'), pairs)).toEqual(['$.result.block_hash block hash']);
  expect(kinds(block('0xb'), block('0x1'), pairs)).toEqual(['$.result.block_hash block hash']);
  expect(pairs.translate({ block_hash: '0xa' })).toEqual({ block_hash: '0x1' });
});

test('times may pass, but not jump', () => {
  expect(kinds({ timestamp: 1010 }, { timestamp: 5020 })).toEqual([]);
  expect(kinds({ timestamp: 1010 }, { timestamp: 6000 })).toEqual(['$.timestamp time']);
});

test('lists without an order are compared as sets', () => {
  const first = {
    storage_entries: [
      { key: '0x1', value: '0x5' },
      { key: '0x2', value: '0x6' },
    ],
  };
  const other = {
    storage_entries: [
      { key: '0x2', value: '0x6' },
      { key: '0x1', value: '0x5' },
    ],
  };
  expect(kinds(first, other)).toEqual([]);
  expect(kinds(first, { storage_entries: other.storage_entries.slice(1) })).toEqual([
    '$.storage_entries[0x2] missing',
  ]);
});
