// Options on a fork: given values apply, the others are taken from the origin.

import { startPair } from '@starkbox/test-support/fork/pair';
import { afterAll, expect, test } from 'vitest';

const DEFAULT_PRICE = 10n ** 9n;
const START = 1_900_000_000;

const pair = await startPair(undefined, {
  startTime: START,
  gasPriceWei: 7n,
  gasPriceFri: 8n,
  l2GasPriceFri: 9n,
});
afterAll(() => pair.close());

test('a price that was given is kept, though it is the default', async () => {
  const { client } = await pair.fork({ gasPriceWei: DEFAULT_PRICE });
  const config = await client.call('devnet_getConfig');
  expect(config.gas_price_wei).toBe(Number(DEFAULT_PRICE));
  expect(config.gas_price_fri).toBe(8);
  expect(config.l2_gas_price_fri).toBe(9);
  const block = await client.call('starknet_getBlockWithTxHashes', { block_id: 'latest' });
  expect(BigInt(block.l1_gas_price.price_in_wei)).toBe(DEFAULT_PRICE);
  expect(BigInt(block.l1_gas_price.price_in_fri)).toBe(8n);
});

test('a start that was not given is null, and the chain begins after the fork block', async () => {
  const { client } = await pair.fork();
  expect((await client.call('devnet_getConfig')).start_time).toBeNull();
  const block = await client.call('starknet_getBlockWithTxHashes', { block_id: 'latest' });
  expect(block.timestamp).toBeGreaterThan(START);
});

test('a start that was given is shown', async () => {
  const { client } = await pair.fork({ startTime: START + 1000 });
  expect((await client.call('devnet_getConfig')).start_time).toBe(START + 1000);
});
