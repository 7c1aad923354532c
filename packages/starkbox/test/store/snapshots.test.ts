// Snapshots of a chain in a data directory: their worlds are read from disk when they are needed.
import { closeAfterTest } from '@starkbox/test-support/closing';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { expect, test } from 'vitest';
import { Chain } from '../../src/chain/chain.js';
import { silentLog } from '../../src/log.js';
import { lockDirectory } from '../../src/store/open.js';
import { bareChain } from '../support/bare-chain.js';

async function storedChain(): Promise<Chain> {
  const { options } = await bareChain('transaction');
  const directory = await lockDirectory(temporaryFolder(), { seed: 0, accounts: 2 }, silentLog);
  closeAfterTest(() => directory.close());
  const { stored } = await directory.open(directory.config, undefined);
  const chain = await Chain.openStored(options, stored, undefined);
  closeAfterTest(() => chain.close());
  return chain;
}

test('snapshots keep no blocks in memory, and have those of their moment', async () => {
  const chain = await storedChain();
  const hashes: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    hashes.push(await chain.createBlock());
    await chain.snapshot();
  }
  await chain.createBlock();
  expect(chain.world.history.figures().inMemory).toBeGreaterThan(3);
  const histories = await Promise.all(
    chain.snapshots.map(async ([, snapshot]) => (await snapshot.world()).history),
  );
  expect(histories.map((history) => history.figures().inMemory)).toEqual([0, 0, 0]);
  expect(histories.map((history) => history.latest?.hash)).toEqual(hashes.toReversed());
});

test('a snapshot can be returned to before it is on disk, and deleted', async () => {
  const chain = await storedChain();
  const first = await chain.createBlock();
  const [, , wasReverted, , wasDeleted] = await Promise.all([
    chain.snapshot(),
    chain.createBlock(),
    chain.revert(1n),
    chain.snapshot(),
    chain.deleteSnapshot(2n),
  ]);
  expect([wasReverted, wasDeleted]).toEqual([true, true]);
  expect(chain.world.history.latest?.hash).toBe(first);
  expect(chain.snapshots).toEqual([]);
  // The chain goes on from there, and from disk.
  await chain.snapshot();
  await chain.createBlock();
  await chain.createBlock();
  expect(await chain.revert(3n)).toBe(true);
  expect(chain.world.history.latest?.hash).toBe(first);
});
