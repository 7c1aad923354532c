// A builder that streams: transactions become candidates and are executed while the block is open.

import { Transaction } from '@starkbox/engine';
import { checkedClient, overHttp } from '@starkbox/test-support';
import { hex, invokeRequest, STRK } from '@starkbox/test-support/signing';
import { type Audience, gather } from '@starkbox/test-support/subscriptions/subscribers';
import { expect, onTestFinished, test, vi } from 'vitest';

const CALL = { to: STRK, name: 'transfer', calldata: ['0x77', '0x1', '0x0'] };

async function heightOf({ client }: Audience): Promise<number> {
  return Number(await client.call('starknet_blockNumber'));
}

/** Waits until the chain is this high. */
async function reach(audience: Audience, height: number): Promise<void> {
  while ((await heightOf(audience)) < height) await new Promise(setImmediate);
}

test('clients see each step of a transaction, by the status and by notifications', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { client, sender, connect } = await gather({ blockGenerationOn: 'mempool:400ms' });
  const request = invokeRequest(sender.account, [CALL], 0);
  const transaction_hash = new Transaction(request, 'SN_SEPOLIA').hash;
  const socket = await connect();
  await socket.subscribe('starknet_subscribeTransactionStatus', { transaction_hash });
  await client.call('starknet_addInvokeTransaction', [request]);
  const status = async () =>
    (await client.call('starknet_getTransactionStatus', [transaction_hash])).finality_status;
  const polled = [await status()];
  for (let quarter = 0; quarter < 4; quarter += 1) {
    vi.advanceTimersByTime(100);
    // Changes wait for those before them, and a quarter has three at most.
    for (let changes = 0; changes < 4; changes += 1) await client.call('devnet_setGasPrice', {});
    polled.push(await status());
  }
  const [received, candidate, preConfirmed, accepted] = [
    'RECEIVED',
    'CANDIDATE',
    'PRE_CONFIRMED',
    'ACCEPTED_ON_L2',
  ];
  expect(polled).toEqual([received, candidate, preConfirmed, preConfirmed, accepted]);
  const notified: unknown[] = [];
  while (notified.length < 4) {
    const { result } = await socket.next();
    notified.push(Object(result).status.finality_status);
  }
  expect(notified).toEqual([received, candidate, preConfirmed, accepted]);
});

test('many transactions go into blocks of several, in their order', async () => {
  const audience = await gather({ blockGenerationOn: 'mempool:100ms' });
  const { client, sender } = audience;
  const sent = [];
  for (let nonce = 0; nonce < 150; nonce += 1) {
    sent.push(await sender.invoke([CALL], { nonce: hex(nonce) }));
  }
  const hashes: unknown[] = [];
  for (let height = 1; hashes.length < sent.length; height += 1) {
    await reach(audience, height);
    const block = await client.call('starknet_getBlockWithTxHashes', [{ block_number: height }]);
    hashes.push(...block.transactions);
  }
  expect(hashes).toEqual(sent);
});

test('it follows the settings of blocks', async () => {
  const audience = await gather({ blockGenerationOn: 'mempool:20ms' });
  const { client, sender } = audience;
  await reach(audience, 2);
  await client.call('devnet_setBlockSettings', { block_generation_on: 'mempool' });
  const height = await heightOf(audience);
  const hash = await sender.invoke([CALL]);
  expect(await client.call('starknet_getTransactionStatus', [hash])).toEqual({
    finality_status: 'RECEIVED',
  });
  await client.call('devnet_mempoolSeal');
  expect(await heightOf(audience)).toBe(height + 1);
  await client.call('devnet_setBlockSettings', { block_generation_on: 'mempool:30ms' });
  expect(await client.call('devnet_getConfig')).toMatchObject({
    block_generation_on: 'mempool:20ms',
  });
  expect(await client.call('devnet_getBlockSettings')).toMatchObject({
    block_generation_on: 'mempool:30ms',
  });
  await reach(audience, height + 3);
  for (const text of ['mempool:', 'mempool:5ms', 'mempool:1s', 'mempool:99999999999']) {
    const { message } = await client.failure('devnet_setBlockSettings', {
      block_generation_on: text,
    });
    expect(message).toContain('block_generation_on');
  }
});

test('a full block stops it, and the next block goes on', async () => {
  const audience = await gather({ blockGenerationOn: 'mempool:80ms' });
  const { client, sender } = audience;
  await client.call('devnet_setNetworkConditions', {
    conditions: { capacity: { n_txs: 4 }, order: 'fifo' },
  });
  const sent = [];
  for (let nonce = 0; nonce < 20; nonce += 1) {
    sent.push(await sender.invoke([CALL], { nonce: hex(nonce) }));
  }
  const blocks: string[][] = [];
  for (let height = 1; blocks.flat().length < sent.length; height += 1) {
    await reach(audience, height);
    const block = await client.call('starknet_getBlockWithTxHashes', [{ block_number: height }]);
    blocks.push([...block.transactions]);
  }
  expect(blocks.flat()).toEqual(sent);
  expect(Math.max(...blocks.map(({ length }) => length))).toBe(4);
});

test('the journal of a builder makes the same chain', async () => {
  const audience = await gather({ blockGenerationOn: 'mempool:40ms', dumpOn: 'request' });
  const { client, sender } = audience;
  await client.call('devnet_setBlockSettings', { time_step: 1 });
  for (let nonce = 0; nonce < 8; nonce += 1) await sender.invoke([CALL], { nonce: hex(nonce) });
  while (Number(await client.call('starknet_getNonce', ['latest', sender.account.address])) < 8) {
    await new Promise(setImmediate);
  }
  await client.call('devnet_setBlockSettings', { block_generation_on: 'mempool' });
  const events = await client.call('devnet_dump');
  expect(JSON.stringify(events)).toContain('devnet_mempoolSelect');
  const other = await gather({ blockGenerationOn: 'mempool:40ms', dumpOn: 'request' });
  await other.client.call('devnet_load', { events });
  const height = await heightOf(audience);
  const transactionsAt = async ({ client: asked }: Audience, block_number: number) =>
    (await asked.call('starknet_getBlockWithTxHashes', [{ block_number }])).transactions;
  for (let number = 1; number <= height; number += 1) {
    expect(await transactionsAt(other, number)).toEqual(await transactionsAt(audience, number));
  }
});

test('conditions of an instance bring their blocks and prices', async () => {
  const { client } = await gather();
  const configOf = async (options: object) => {
    const { http_url } = await client.call('devnet_createInstance', { options });
    const { block_generation_on, l2_gas_price_fri } = await checkedClient(
      overHttp(http_url ?? ''),
    ).call('devnet_getConfig');
    return { on: block_generation_on, price: Number(l2_gas_price_fri) };
  };
  expect(await configOf({ network_conditions: 'busy' })).toEqual({
    on: 'mempool:2',
    price: 8_000_000_000,
  });
  const own = { network_conditions: 'busy', block_generation_on: 'mempool' };
  expect(await configOf(own)).toMatchObject({ on: 'mempool' });
  expect(await configOf({})).toMatchObject({ on: 'transaction' });
});
