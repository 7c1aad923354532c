// Finality of the origin's blocks: read again until L1 has accepted them, and cached then.
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ERRORS } from '@starkbox/spec';
import type { ListeningNode } from '@starkbox/test-support';
import { mint, startPair } from '@starkbox/test-support/fork/pair';
import { STRK } from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import type { Config } from 'starkbox';
import { expect, test } from 'vitest';

const BLOCKS = 3;
const at = (block_number: number) => ({ block_number });

const folder = temporaryFolderOfFile();

/** A chain with a transaction in each block. */
async function start() {
  const transactions: string[] = [];
  const pair = await startPair(async (origin) => {
    for (let block = 1; block <= BLOCKS; block += 1) {
      transactions.push(await mint(origin, '0x1234', block));
    }
  });
  const accept = (number: number): Promise<unknown> =>
    pair.origin.client.call('devnet_acceptOnL1', { starting_block_id: at(number) });
  return { pair, transactions, accept };
}

type Started = Awaited<ReturnType<typeof start>>;

/** What a node says of each block, by every method that tells it. */
async function finality(
  node: ListeningNode,
  { transactions }: Started,
): Promise<readonly string[]> {
  const { client } = node;
  const statuses: string[] = [];
  for (const [index, transaction_hash] of transactions.entries()) {
    const block_id = at(index + 1);
    const block = await client.call('starknet_getBlockWithReceipts', { block_id });
    const { receipt } = block.transactions[0] ?? {};
    const blocks = [
      block,
      await client.call('starknet_getBlockWithTxHashes', { block_id }),
      await client.call('starknet_getBlockWithTxs', { block_id }),
    ];
    const states = [
      ...blocks.map((form) => ('status' in form ? form.status : undefined)),
      receipt?.finality_status,
      (await client.call('starknet_getTransactionReceipt', { transaction_hash })).finality_status,
      (await client.call('starknet_getTransactionStatus', { transaction_hash })).finality_status,
    ];
    statuses.push([...new Set(states)].join(' and '));
  }
  return statuses;
}

async function l1Accepted({ client }: ListeningNode): Promise<number | undefined> {
  const block = await client.call('starknet_getBlockWithTxHashes', { block_id: 'l1_accepted' });
  return 'block_number' in block ? block.block_number : undefined;
}

const [L1, L2] = ['ACCEPTED_ON_L1', 'ACCEPTED_ON_L2'];

test.each<readonly [string, () => Partial<Config>]>([
  ['without a cache', () => ({ forkUpstreamCaching: false })],
  ['with a cache', () => ({ forkUpstreamCaching: true, forkCacheDir: join(folder, 'followed') })],
])('follows the origin, %s', async (_name, changes) => {
  const started = await start();
  const { pair, accept } = started;
  const fork = await pair.fork(changes());
  expect(await finality(fork, started)).toEqual([L2, L2, L2]);
  expect(
    await fork.client.failure('starknet_getBlockWithTxHashes', { block_id: 'l1_accepted' }),
  ).toMatchObject({ code: ERRORS.BLOCK_NOT_FOUND.code });
  await accept(1);
  expect(await finality(fork, started)).toEqual([L1, L2, L2]);
  expect(await l1Accepted(fork)).toBe(1);
  await accept(BLOCKS);
  expect(await finality(fork, started)).toEqual([L1, L1, L1]);
  expect(await l1Accepted(fork)).toBe(BLOCKS);
  await pair.close();
});

test('follows the origin in a later process that finds the cache of an earlier one', async () => {
  const started = await start();
  const { pair, accept } = started;
  const changes = { forkUpstreamCaching: true, forkCacheDir: join(folder, 'later'), forkBlock: 3 };
  const first = await pair.fork(changes);
  expect(await finality(first, started)).toEqual([L2, L2, L2]);
  await first.node.close();
  await accept(2);
  const second = await pair.fork(changes);
  expect(await finality(second, started)).toEqual([L1, L1, L2]);
  expect(await l1Accepted(second)).toBe(2);
  await pair.close();
});

test('is not read again once L1 has accepted, nor is anything immutable', async () => {
  const started = await start();
  const { pair, accept, transactions } = started;
  await accept(BLOCKS);
  const changes = { forkUpstreamCaching: true, forkCacheDir: join(folder, 'kept') };
  const first = await pair.fork(changes);
  await finality(first, started);
  pair.proxy.forget();
  expect(await finality(first, started)).toEqual([L1, L1, L1]);
  expect(pair.proxy.requests).toBe(0);
  await first.node.close();
  const second = await pair.fork(changes);
  pair.proxy.forget();
  expect(await finality(second, started)).toEqual([L1, L1, L1]);
  await second.client.call('starknet_getTransactionByHash', [String(transactions[0])]);
  expect(pair.proxy.counts).toEqual(new Map([['starknet_getTransactionByHash', 1]]));
  await pair.close();
});

test('costs no second request where only the immutable part is needed', async () => {
  const started = await start();
  const { pair, transactions } = started;
  const fork = await pair.fork();
  const [transaction_hash = ''] = transactions;
  const ask = async (): Promise<void> => {
    const block_id = { block_hash };
    await fork.client.call('starknet_getTransactionByHash', { transaction_hash });
    await fork.client.call('starknet_traceTransaction', { transaction_hash });
    await fork.client.call('starknet_getStateUpdate', { block_id });
    await fork.client.call('starknet_getNonce', { block_id, contract_address: STRK });
  };
  const { block_hash } = await pair.origin.client.call('starknet_getTransactionReceipt', {
    transaction_hash,
  });
  await ask();
  pair.proxy.forget();
  await ask();
  expect(pair.proxy.requests).toBe(0);
  await pair.close();
});

test('what L1 has accepted is the later of the origin’s and of what was accepted here', async () => {
  const { pair, accept } = await start();
  const fork = await pair.fork();
  await fork.client.call('devnet_acceptOnL1', { starting_block_id: at(1) });
  expect(await l1Accepted(fork)).toBe(1);
  await accept(2);
  expect(await l1Accepted(fork)).toBe(2);
  await fork.client.call('devnet_acceptOnL1', { starting_block_id: at(3) });
  expect(await l1Accepted(fork)).toBe(3);
  await pair.close();
});

test('is not taken from a cache folder of an earlier version', async () => {
  const started = await start();
  const { pair, accept } = started;
  await accept(BLOCKS);
  const forkCacheDir = join(folder, 'old');
  const changes = { forkUpstreamCaching: true, forkCacheDir };
  const first = await pair.fork(changes);
  await finality(first, started);
  await first.node.close();
  const files = await readdir(forkCacheDir, { recursive: true });
  const documents = files.filter((file) => file.endsWith('documents'));
  expect(documents.length).toBeGreaterThan(0);
  for (const name of documents) {
    const path = join(forkCacheDir, name);
    await rename(path, path.replace(/documents$/, 'answers'));
  }
  const second = await pair.fork(changes);
  pair.proxy.forget();
  await finality(second, started);
  expect(pair.proxy.count('starknet_getBlockWithReceipts')).toBe(BLOCKS);
  await pair.close();
});

test('stays as recorded in a lock file', async () => {
  const started = await start();
  const { pair, accept } = started;
  const changes = { forkLock: join(folder, 'fork.lock.json'), forkBlock: 3 };
  const first = await pair.fork(changes);
  expect(await finality(first, started)).toEqual([L2, L2, L2]);
  await first.node.close();
  await accept(BLOCKS);
  const second = await pair.fork(changes);
  expect(await finality(second, started)).toEqual([L2, L2, L2]);
  await pair.close();
});
