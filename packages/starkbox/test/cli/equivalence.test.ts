// Equivalence of answers of a recording and of its replay.
import { expect, test } from 'vitest';
import { Likeness } from '../../src/cli/commands/equivalence.js';

const made = (block_hash: string) => ({ result: { block_hash } });

test('a block that is made again has the counterpart of its last making', () => {
  const likeness = new Likeness(600);
  expect(likeness.difference(['devnet_createBlock'], made('0xa1'), made('0xb1'))).toBeUndefined();
  // In the recording both were made within one second, in the replay they were not.
  expect(likeness.difference(['devnet_createBlock'], made('0xa1'), made('0xb2'))).toBeUndefined();
  expect(
    likeness.difference(['starknet_getBlockWithTxs'], made('0xa1'), made('0xb2')),
  ).toBeUndefined();
  expect(likeness.translate('"0xa1"')).toBe('"0xb2"');
});

test('a read of another block is a difference', () => {
  const likeness = new Likeness(600);
  expect(likeness.difference(['devnet_createBlock'], made('0xa1'), made('0xb1'))).toBeUndefined();
  expect(likeness.difference(['starknet_getBlockWithTxs'], made('0xa1'), made('0xb2'))).toBe(
    '/result/block_hash',
  );
});
