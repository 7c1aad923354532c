// The mempool in snapshots, journals, images and data directories.
import { join } from 'node:path';
import type { TransactionValues } from '@starkbox/engine';
import { type Client, checkedClient } from '@starkbox/test-support';
import { openNode } from '@starkbox/test-support/fixture';
import { contract, declareRequest, invokeRequest, STRK } from '@starkbox/test-support/signing';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import type { Config, LocalChain } from 'starkbox';
import { expect, test } from 'vitest';

const CALL = { to: STRK, name: 'transfer', calldata: ['0x77', '0x1', '0x0'] };
const BASE = { seed: 0, accounts: 3, blockGenerationOn: 'mempool', mempoolOrder: 'tip' } as const;

const counter = await contract('counter');
const folder = temporaryFolderOfFile();

async function start(config: Partial<Config> = {}): Promise<[Client, LocalChain]> {
  const node = await openNode({ ...BASE, ...config });
  return [checkedClient(node.handle), node];
}

/** Leaves two candidates, others, one with a gap, one that was dropped, and one pre-confirmed. */
async function fill(client: Client, { accounts }: LocalChain): Promise<void> {
  const [first, second, third] = accounts;
  if (!first || !second || !third) throw new Error('there are not enough accounts');
  const invoke = (from: typeof first, nonce: number, changes: TransactionValues) =>
    client.call('starknet_addInvokeTransaction', [invokeRequest(from, [CALL], nonce, { changes })]);
  await invoke(first, 0, { tip: '0x1' });
  await invoke(third, 0, { tip: '0x9', signature: ['0x1', '0x2'] });
  await client.call('devnet_mempoolPreConfirm', [1]);
  await invoke(second, 0, { tip: '0x1' });
  await client.call('starknet_addDeclareTransaction', [
    declareRequest(first, counter, 1, { changes: { tip: '0x5' } }),
  ]);
  await client.call('devnet_mempoolSelect', [2]);
  await invoke(second, 1, { tip: '0x2' });
  await invoke(second, 3, { tip: '0x3' });
  await invoke(third, 0, { tip: '0x1' });
}

const content = (client: Client) => client.call('devnet_mempoolList', { limit: 200 });

/** Both go on alike. */
async function expectSame(client: Client, other: Client): Promise<void> {
  const before = await content(client);
  expect(before.size).toBe(5);
  expect(before.dropped).toHaveLength(1);
  expect(before.transactions.filter(({ status }) => status === 'CANDIDATE')).toHaveLength(2);
  expect(await content(other)).toEqual(before);
  const executed = await client.call('devnet_mempoolPreConfirm');
  expect(executed.pre_confirmed).toEqual(before.upcoming);
  expect(executed.dropped).toEqual([]);
  expect(await other.call('devnet_mempoolPreConfirm')).toEqual(executed);
  expect(await content(other)).toEqual(await content(client));
}

test('a snapshot keeps it', async () => {
  const [client, node] = await start();
  await fill(client, node);
  const before = await content(client);
  const id = await client.call('devnet_snapshot');
  const { pre_confirmed } = await client.call('devnet_mempoolSeal');
  expect(pre_confirmed).toHaveLength(4);
  await client.call('devnet_mempoolClear');
  await client.call('devnet_revert', [id]);
  expect(await content(client)).toEqual(before);
  expect(await client.call('devnet_mempoolSeal')).toMatchObject({ pre_confirmed });
  await client.call('devnet_restart');
  expect(await content(client)).toMatchObject({ size: 0, dropped: [] });
});

test('a journal repeats its calls', async () => {
  const [client, node] = await start({ dumpOn: 'request' });
  await fill(client, node);
  await client.call('devnet_mempoolSeal');
  const hash = (await content(client)).transactions[0]?.transaction_hash;
  await client.call('devnet_mempoolRemove', [hash]);
  const [account] = node.accounts;
  if (!account) throw new Error('there is no account');
  const last = invokeRequest(account, [CALL], 5);
  await client.call('starknet_addInvokeTransaction', [last]);
  const events = await client.call('devnet_dump');
  const [other] = await start({ dumpOn: 'request' });
  await other.call('devnet_load', { events });
  expect(await content(other)).toEqual(await content(client));
  expect(await other.call('devnet_dump')).toEqual(events);
  expect(await other.call('starknet_blockNumber')).toBe(1);
  await client.call('devnet_mempoolClear');
  await other.call('devnet_load', { events: await client.call('devnet_dump') });
  expect(await content(other)).toMatchObject({ size: 0 });
});

test('an image keeps it', async () => {
  const [client, node] = await start();
  await fill(client, node);
  const { image } = Object(await client.call('devnet_dump', { inline: true, format: 'image' }));
  const [other] = await start();
  await other.call('devnet_load', { image });
  await expectSame(client, other);
});

test('a data directory keeps it, and its snapshots too', async () => {
  const dataDir = join(folder, 'data');
  const [client, node] = await start({ dataDir });
  await fill(client, node);
  const before = await content(client);
  const id = await client.call('devnet_snapshot');
  await client.call('devnet_mempoolPreConfirm', [1]);
  await client.call('devnet_abortBlocks', {
    starting_block_id: 'pre_confirmed',
    return_transactions: true,
  });
  const after = await content(client);
  expect(after.size).toBe(6);
  await node.close();

  const [again, reopened] = await start({ dataDir });
  expect(await content(again)).toEqual(after);
  const { pre_confirmed, dropped } = await again.call('devnet_mempoolSeal');
  expect([pre_confirmed.length, dropped]).toEqual([5, []]);
  await again.call('devnet_revert', [id]);
  expect(await content(again)).toEqual(before);
  await reopened.close();

  const [last] = await start({ dataDir });
  expect(await content(last)).toEqual(before);
  const [fresh, other] = await start();
  await fill(fresh, other);
  await expectSame(fresh, last);
});

test('candidates keep their order over several starts', async () => {
  const dataDir = join(folder, 'candidates');
  const [client, node] = await start({ dataDir });
  const [account] = node.accounts;
  if (!account) throw new Error('there is no account');
  const hashes: string[] = [];
  for (let nonce = 0; nonce < 5; nonce += 1) {
    const request = invokeRequest(account, [CALL], nonce);
    hashes.push((await client.call('starknet_addInvokeTransaction', [request])).transaction_hash);
  }
  await client.call('devnet_mempoolSelect', [4]);
  await client.call('devnet_mempoolPreConfirm', [3]);
  await node.close();
  const [again, reopened] = await start({ dataDir });
  expect(await again.call('devnet_mempoolSelect', [1])).toEqual({ candidates: [hashes[4]] });
  await reopened.close();
  const [last] = await start({ dataDir });
  const { transactions, upcoming } = await content(last);
  expect(upcoming).toEqual(hashes.slice(3));
  expect(transactions.map(({ status }) => status)).toEqual(['CANDIDATE', 'CANDIDATE']);
});
