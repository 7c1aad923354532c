// Branches of a chain that is kept on disk: what the parent undoes stays theirs.

import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { createChain, type LocalChain } from 'starkbox';
import { expect, test } from 'vitest';

const hashes = async (chain: LocalChain, numbers: readonly number[]): Promise<readonly string[]> =>
  Promise.all(
    numbers.map(async (block_number) => {
      const block = await chain.request('starknet_getBlockWithTxs', { block_id: { block_number } });
      return 'block_hash' in block ? block.block_hash : '';
    }),
  );

const balance = async (chain: LocalChain, block_number: number): Promise<string> => {
  const params = { address: '0x1', block_id: { block_number } };
  return (await chain.request('devnet_getAccountBalance', params)).amount;
};

/** A chain whose old blocks are on disk alone. */
async function longChain(): Promise<LocalChain> {
  const chain = await createChain({ seed: 0, dataDir: temporaryFolder(), recentBlocks: 2 });
  for (let count = 0; count < 20; count += 1) await chain.mint('0x1', 1n);
  return chain;
}

test.each([
  ['restarts', (chain: LocalChain) => chain.request('devnet_restart')],
  [
    'aborts',
    (chain: LocalChain) =>
      chain.request('devnet_abortBlocks', { starting_block_id: { block_number: 2 } }),
  ],
])('a branch has its old blocks after its parent %s', async (_, undo) => {
  await using chain = await longChain();
  const branch = chain.branch();
  const inner = branch.branch();
  const numbers = [0, 1, 5, 12, 20];
  const before = await hashes(chain, numbers);
  await undo(chain);
  // Every write is followed by a deletion of blocks that are in no use.
  for (let count = 0; count < 25; count += 1) await chain.mint('0x2', 1n);
  await branch.mint('0x1', 1n);
  for (const branched of [branch, inner]) {
    expect(await hashes(branched, numbers)).toEqual(before);
    expect(await balance(branched, 5)).toBe('5');
  }
  expect(await hashes(chain, [12])).not.toEqual([before[3]]);
});
