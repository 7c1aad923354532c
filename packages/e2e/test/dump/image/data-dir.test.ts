// Images of chains in data directories, and images loaded into data directories.
import { join } from 'node:path';
import { openNode } from '@starkbox/test-support/fixture';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import type { Config, LocalChain } from 'starkbox';
import { expect, test } from 'vitest';

const folder = temporaryFolderOfFile();

async function start(changes: Partial<Config> = {}): Promise<LocalChain> {
  return openNode({ seed: 0, startTime: 1_700_000_000, ...changes });
}

async function readAll(node: LocalChain): Promise<readonly unknown[]> {
  const last = Number(await node.request('starknet_blockNumber'));
  const blocks = Array.from({ length: last + 1 }, (_, block_number) => ({ block_number }));
  const answers: unknown[] = [await node.request('devnet_getStatus')];
  const params = { contract_address: node.tokens.strk.address, key: '0x1' };
  for (const block_id of [...blocks, 'pre_confirmed']) {
    answers.push(
      await node.requestRaw('starknet_getBlockWithReceipts', { block_id }),
      await node.requestRaw('starknet_getStateUpdate', { block_id }),
      await node.requestRaw('starknet_traceBlockTransactions', { block_id }),
      await node.requestRaw('devnet_getAccountBalance', { address: '0x1', block_id }),
      await node.requestRaw('starknet_getStorageAt', {
        ...params,
        block_id,
        response_flags: ['INCLUDE_LAST_UPDATE_BLOCK'],
      }),
    );
  }
  return answers;
}

async function live(node: LocalChain, blocks: number): Promise<void> {
  for (let count = 0; count < blocks; count += 1) {
    await node.request('devnet_mint', { address: '0x1', amount: 1 });
    await node.request('devnet_applyStateDiff', {
      state_diff: {
        storage_diffs: [
          {
            address: node.tokens.strk.address,
            storage_entries: [{ key: '0x1', value: `0x${(count >> 1).toString(16)}` }],
          },
        ],
      },
    });
    await node.request('devnet_createBlock');
  }
  await node.request('devnet_mint', { address: '0x1', amount: 1 });
  await node.request('devnet_setTime', { time: 1_800_000_000, generate_block: false });
}

test('an image of a directory holds all of its past', async () => {
  const dataDir = join(folder, 'one');
  const first = await start({ dataDir, blockGenerationOn: 'demand', recentBlocks: 8 });
  await live(first, 40);
  const expected = await readAll(first);
  await first.close();
  // What the process before has written is on the disk now, and nowhere else.
  const again = await start({ dataDir, recentBlocks: 8 });
  const path = join(folder, 'one.image');
  await again.request('devnet_dump', { path, format: 'image' });
  const other = await start({ blockGenerationOn: 'demand' });
  await other.request('devnet_load', { path });
  expect(await readAll(other)).toEqual(expected);
  await other.request('devnet_abortBlocks', { starting_block_id: { block_number: 20 } });
  expect(await other.request('starknet_blockNumber')).toBe(19);
});

test('an image that is loaded into a directory stays there', async () => {
  const source = await start({ blockGenerationOn: 'demand' });
  await live(source, 12);
  const expected = await readAll(source);
  const path = join(folder, 'two.image');
  await source.request('devnet_dump', { path, format: 'image' });
  const dataDir = join(folder, 'two');
  const stored = await start({ dataDir, blockGenerationOn: 'demand' });
  await stored.request('devnet_mint', { address: '0x2', amount: 1 });
  await stored.request('devnet_load', { path });
  expect(await readAll(stored)).toEqual(expected);
  await stored.close();
  const again = await start({ dataDir });
  expect(await readAll(again)).toEqual(expected);
  await again.request('devnet_createBlock');
  expect(await again.request('starknet_blockNumber')).toBe(13);
});
