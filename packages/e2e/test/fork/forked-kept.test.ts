// A fork kept in a data directory and in an image.
import { join } from 'node:path';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { createChain, type LocalChain } from 'starkbox';
import { afterAll, beforeAll, expect, test } from 'vitest';

const directory = temporaryFolderOfFile();
const nodes: LocalChain[] = [];
let origin: LocalChain;
let forkNetwork: string;

async function start(config: Parameters<typeof createChain>[0]): Promise<LocalChain> {
  const node = await createChain({ forkUpstreamCaching: false, ...config });
  nodes.push(node);
  return node;
}

beforeAll(async () => {
  origin = await createChain({ seed: 0, port: 0 });
  for (let count = 0; count < 12; count += 1) await mint(origin, '0x77', 100);
  forkNetwork = (await origin.listen()).url;
});
afterAll(async () => {
  for (const node of nodes) await node.close();
  await origin.close();
});

const mint = (node: LocalChain, address: string, amount: number) =>
  node.request('devnet_mint', { address, amount, unit: 'FRI' });

async function balance(
  node: LocalChain,
  address: string,
  block_id: unknown = 'latest',
): Promise<unknown> {
  const params = { address, unit: 'FRI', block_id };
  const { amount }: { amount?: unknown } = Object(
    await node.requestRaw('devnet_getAccountBalance', params),
  );
  return amount;
}

/** Everything that the fork's own blocks say, and some of the origin's. */
async function chainAnswers(node: LocalChain): Promise<readonly unknown[]> {
  const latest = Number(await node.request('starknet_blockNumber'));
  const answers: unknown[] = [latest];
  for (let number = 10; number <= latest; number += 1) {
    const block_id = { block_number: number };
    answers.push(await node.request('starknet_getBlockWithReceipts', { block_id }));
    answers.push(await node.request('starknet_getStateUpdate', { block_id }));
    if (number > 12) answers.push(await balance(node, '0x77', block_id));
  }
  return answers;
}

test('in a directory it goes on above the same block', async () => {
  const dataDir = join(directory, 'data');
  const first = await start({ forkNetwork, dataDir, seed: 3, recentBlocks: 1 });
  for (let count = 0; count < 15; count += 1) await mint(first, '0x77', 1);
  await mint(first, '0x88', 5);
  const before = await chainAnswers(first);
  await nodes.pop()?.close();
  // The origin goes on; the fork does not see it.
  await mint(origin, '0x77', 100);
  const second = await start({ dataDir });
  expect(second.config).toMatchObject({ forkNetwork: `${forkNetwork}/`, seed: 3 });
  expect(await chainAnswers(second)).toEqual(before);
  expect([await balance(second, '0x77'), await balance(second, '0x88')]).toEqual(['1215', '5']);
  expect(await balance(second, '0x77', { block_number: 14 })).toBe('1201');
  await mint(second, '0x77', 1);
  expect(await balance(second, '0x77')).toBe('1216');

  const path = join(directory, 'fork.image');
  await second.request('devnet_dump', { path, format: 'image' });
  const whole = await chainAnswers(second);
  await nodes.pop()?.close();
  const inMemory = await start({ forkNetwork, forkBlock: 12, seed: 3 });
  await inMemory.request('devnet_load', { path });
  expect(await chainAnswers(inMemory)).toEqual(whole);
  await mint(inMemory, '0x77', 1);
  expect(await balance(inMemory, '0x77')).toBe('1217');
});

test('it cannot become the fork of another block, or none', async () => {
  const dataDir = join(directory, 'fixed');
  await start({ forkNetwork, forkBlock: 5, dataDir });
  await nodes.pop()?.close();
  await expect(start({ forkNetwork, forkBlock: 6, dataDir })).rejects.toThrow(
    /is a fork of block 0x[0-9a-f]+, not of 0x[0-9a-f]+: omit --fork-block/,
  );
  await start({ forkNetwork, forkBlock: 5, dataDir });
  await nodes.pop()?.close();
  const plain = join(directory, 'plain');
  await (await createChain({ dataDir: plain })).close();
  await expect(start({ forkNetwork, dataDir: plain })).rejects.toThrow(/is not a fork/);
});
