// Equivalence of answers of a recording and of its replay.
import { expect, test } from 'vitest';
import { Equivalence } from '../../src/cli/commands/equivalence.js';

const createdBlock = (block_hash: string) => ({ result: { block_hash } });

test('a block that is made again has the counterpart of its last making', () => {
  const equivalence = new Equivalence(600);
  expect(
    equivalence.difference(['devnet_createBlock'], createdBlock('0xa1'), createdBlock('0xb1')),
  ).toBeUndefined();
  // In the recording both were made within one second, in the replay they were not.
  expect(
    equivalence.difference(['devnet_createBlock'], createdBlock('0xa1'), createdBlock('0xb2')),
  ).toBeUndefined();
  expect(
    equivalence.difference(
      ['starknet_getBlockWithTxs'],
      createdBlock('0xa1'),
      createdBlock('0xb2'),
    ),
  ).toBeUndefined();
  expect(equivalence.translate('"0xa1"')).toBe('"0xb2"');
});

test('a read of another block is a difference', () => {
  const equivalence = new Equivalence(600);
  expect(
    equivalence.difference(['devnet_createBlock'], createdBlock('0xa1'), createdBlock('0xb1')),
  ).toBeUndefined();
  expect(
    equivalence.difference(
      ['starknet_getBlockWithTxs'],
      createdBlock('0xa1'),
      createdBlock('0xb2'),
    ),
  ).toBe('/result/block_hash');
});

test('several blocks that are made at once have counterparts', () => {
  const equivalence = new Equivalence(600);
  const created = (...block_hashes: readonly string[]) => ({ result: { block_hashes } });
  expect(
    equivalence.difference(
      ['devnet_createBlock'],
      created('0xa1', '0xa2'),
      created('0xb1', '0xb2'),
    ),
  ).toBeUndefined();
  expect(equivalence.translate('"0xa2"')).toBe('"0xb2"');
});
