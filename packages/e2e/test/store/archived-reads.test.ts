// Plain reads of a chain in a data directory: answered from the database while the engine is busy.
import { State, StateSource, storageAddress } from '@starkbox/engine';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { createChain } from 'starkbox';
import { afterAll, expect, test } from 'vitest';

/** More executions than the engine has worker threads. */
const CROWD = 520;
const RECEIVER = '0x77';
const KEY = storageAddress('ERC20_balances', [RECEIVER]);

const directory = temporaryFolderOfFile();
const node = await createChain({ dataDir: directory, seed: 0, recentBlocks: 1 });
const address = node.tokens.strk.address;
for (let count = 0; count < 12; count += 1) {
  await node.request('devnet_mint', { address: RECEIVER, amount: 1, unit: 'FRI' });
}
afterAll(() => node.close());

const readAt = async (block_id: unknown): Promise<readonly unknown[]> =>
  Promise.all([
    node.requestRaw('starknet_getStorageAt', { contract_address: address, key: KEY, block_id }),
    node.requestRaw('starknet_getNonce', { contract_address: address, block_id }),
    node.requestRaw('starknet_getClassHashAt', { contract_address: address, block_id }),
  ]);

test('old and new blocks are read while every worker thread of the engine is taken', async () => {
  let release = (_value: string): void => {};
  const released = new Promise<string>((resolve) => {
    release = resolve;
  });
  const remote = State.create({ source: new StateSource(() => released) });
  let answered = 0;
  const waiting = Array.from({ length: CROWD }, async (_, index) => {
    await remote.storageAt('0xa', `0x${index.toString(16)}`);
    answered += 1;
  });
  try {
    for (const number of [0, 1, 5, 11]) {
      const [balance, nonce, classHash] = await readAt({ block_number: number });
      expect([balance, nonce]).toEqual([`0x${number.toString(16)}`, '0x0']);
      expect(classHash).toMatch(/^0x[0-9a-f]{50,}$/);
    }
    expect((await readAt('latest')).slice(0, 2)).toEqual(['0xc', '0x0']);
    await expect(
      node.request('starknet_getStorageAt', {
        contract_address: '0x123456',
        key: '0x1',
        block_id: { block_number: 1 },
      }),
    ).rejects.toThrow('Contract not found');
    expect(answered).toBe(0);
  } finally {
    release('0x1');
    await Promise.all(waiting);
  }
});
