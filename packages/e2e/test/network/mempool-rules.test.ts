// Rules of the mempool under network conditions: order, prices, replacement.
import { poseidon } from '@starkbox/engine';
import { ERRORS } from '@starkbox/spec';
import { type Fixture, startFixture } from '@starkbox/test-support/fixture';
import { AMPLE, hex, invokeRequest, STRK } from '@starkbox/test-support/signing';
import { expect, test } from 'vitest';

const MEMPOOL = { blockGenerationOn: 'mempool', accounts: 6, mempoolOrder: 'tip' } as const;
const add = 'starknet_addInvokeTransaction';

interface Offer {
  readonly nonce?: number;
  readonly tip?: number;
  readonly price?: bigint;
  readonly amount?: number;
}

function requestOf({ account }: Fixture, index: number, offer: Offer) {
  const { nonce = 0, tip = 0, price, amount = 1 } = offer;
  const { l2_gas: l2Gas } = AMPLE;
  const l2 = price === undefined ? l2Gas : { ...l2Gas, max_price_per_unit: hex(price) };
  return invokeRequest(
    account(index),
    [{ to: STRK, name: 'transfer', calldata: ['0x77', hex(amount), '0x0'] }],
    nonce,
    { changes: { tip: hex(tip), resource_bounds: { ...AMPLE, l2_gas: l2 } } },
  );
}

async function send(fixture: Fixture, index: number, offer: Offer = {}): Promise<string> {
  const { transaction_hash } = await fixture.client.call(add, [requestOf(fixture, index, offer)]);
  return transaction_hash;
}

const setConditions = ({ client }: Fixture, conditions: object) =>
  client.call('devnet_setNetworkConditions', { conditions });

const sealed = async ({ client }: Fixture) =>
  (await client.call('devnet_mempoolSeal')).pre_confirmed;

test('conditions set the order, and a change of them changes it', async () => {
  const fixture = await startFixture(MEMPOOL);
  const hashes: string[] = [];
  for (const tip of [1, 3, 2, 0]) hashes.push(await send(fixture, hashes.length, { tip }));
  const [first, second, third, fourth] = hashes;
  const orderOf = async (order: unknown, seed = 7) => {
    await setConditions(fixture, { order, seed });
    const { order: kind, upcoming } = await fixture.client.call('devnet_mempoolList');
    return [kind, ...upcoming];
  };
  expect(await orderOf(null)).toEqual(['tip', second, third, first, fourth]);
  expect(await orderOf('fifo')).toEqual(['fifo', ...hashes]);
  const byHash = (seed: number) =>
    hashes.toSorted((a, b) =>
      BigInt(poseidon([hex(seed), a])) < BigInt(poseidon([hex(seed), b])) ? -1 : 1,
    );
  expect(await orderOf('random')).toEqual(['random', ...byHash(7)]);
  expect(await orderOf('random', 8)).toEqual(['random', ...byHash(8)]);
  expect(await orderOf([fourth, '0x1234', third])).toEqual(['list', fourth, third, first, second]);
  expect(await orderOf([third])).toEqual(['list', third, first, second, fourth]);
  const later = await send(fixture, 4);
  expect(await sealed(fixture)).toEqual([third, first, second, fourth, later]);
});

test('under a market, a transaction waits until the price falls to its own, and delays no other', async () => {
  const fixture = await startFixture(MEMPOOL);
  const { client } = fixture;
  const start = 100n * 10n ** 9n;
  await client.call('devnet_setGasPrice', {
    l2_gas_price_fri: Number(start),
    generate_block: true,
  });
  await setConditions(fixture, { gas_market: true, order: 'tip' });
  await client.call('devnet_createBlock');
  const priceNow = async () => {
    const status = await client.call('devnet_getNetworkConditions');
    return BigInt(status.l2_gas_price);
  };
  const price = await priceNow();
  expect(price).toBeLessThanOrEqual(start);
  const low = await send(fixture, 0, { tip: 9, price: (price * 95n) / 100n });
  const following = await send(fixture, 0, { nonce: 1, tip: 9, price: price * 2n });
  const high = await send(fixture, 1, { price });
  expect(await client.call('devnet_mempoolList')).toMatchObject({
    upcoming: [high],
    transactions: [
      { transaction_hash: low, status: 'RECEIVED', waits_for_price: true },
      { transaction_hash: following, status: 'RECEIVED' },
      { transaction_hash: high },
    ],
  });
  expect(await sealed(fixture)).toEqual([high]);
  let rounds = 0;
  while ((await priceNow()) > (price * 95n) / 100n) {
    expect(await sealed(fixture)).toEqual([]);
    rounds += 1;
  }
  expect(rounds).toBeGreaterThan(0);
  expect(await sealed(fixture)).toEqual([low, following]);
});

test('a candidate whose price is too low for the next block waits again', async () => {
  const fixture = await startFixture(MEMPOOL);
  const { client } = fixture;
  const floor = 8n * 10n ** 9n;
  await client.call('devnet_setGasPrice', {
    l2_gas_price_fri: Number(floor),
    generate_block: true,
  });
  await setConditions(fixture, { gas_market: true });
  const hash = await send(fixture, 0, { price: floor });
  expect(await client.call('devnet_mempoolSelect')).toEqual({ candidates: [hash] });
  await client.call('devnet_setGasPrice', {
    l2_gas_price_fri: 3 * Number(floor),
    generate_block: true,
  });
  await client.call('devnet_createBlock');
  expect(await client.call('devnet_mempoolList')).toMatchObject({
    transactions: [{ transaction_hash: hash, status: 'RECEIVED', waits_for_price: true }],
    dropped: [],
  });
  expect(await sealed(fixture)).toEqual([]);
});

test('under a market, a replacement needs a tenth more of tip and price', async () => {
  const fixture = await startFixture(MEMPOOL);
  const { client } = fixture;
  await setConditions(fixture, { gas_market: true });
  const price = 10n ** 10n;
  const first = await send(fixture, 0, { tip: 15, price });
  const refused = async (offer: Offer) => {
    const { code, data } = await client.failure(add, [
      requestOf(fixture, 0, { amount: 2, ...offer }),
    ]);
    expect(code).toBe(ERRORS.REPLACEMENT_TRANSACTION_UNDERPRICED.code);
    return data;
  };
  expect(await refused({ tip: 16, price: 2n * price })).toContain('tip must be at least 0x11');
  expect(await refused({ tip: 17, price: (price * 11n) / 10n - 1n })).toContain(
    `L2 gas must be at least ${hex((price * 11n) / 10n)}`,
  );
  const second = await send(fixture, 0, { amount: 2, tip: 17, price: (price * 11n) / 10n });
  expect(await client.call('devnet_mempoolList')).toMatchObject({
    transactions: [{ transaction_hash: second }],
    dropped: [{ transaction_hash: first, reason: expect.stringContaining(second) }],
  });
  // Ten percent of nothing is nothing.
  const free = await send(fixture, 1, { price });
  const bumped = await send(fixture, 1, { amount: 2, price: (price * 11n) / 10n });
  expect((await client.call('devnet_mempoolList')).dropped.at(-1)).toMatchObject({
    transaction_hash: free,
    reason: expect.stringContaining(bumped),
  });
});

test('a full block leaves transactions waiting, and one that no block has room for is dropped', async () => {
  const fixture = await startFixture(MEMPOOL);
  const { client } = fixture;
  await setConditions(fixture, { capacity: { n_txs: 2 }, order: 'fifo' });
  const hashes: string[] = [];
  for (let index = 0; index < 5; index += 1) hashes.push(await send(fixture, index));
  expect(await client.call('devnet_mempoolSelect')).toMatchObject({ candidates: hashes });
  expect(await sealed(fixture)).toEqual(hashes.slice(0, 2));
  expect(await client.call('devnet_mempoolList')).toMatchObject({
    transactions: hashes.slice(2).map((transaction_hash) => ({
      transaction_hash,
      status: 'RECEIVED',
    })),
    upcoming: hashes.slice(2),
  });
  expect(await sealed(fixture)).toEqual(hashes.slice(2, 4));
  await setConditions(fixture, { capacity: { state_diff_size: 1 } });
  expect(await client.call('devnet_mempoolSeal')).toMatchObject({
    pre_confirmed: [],
    dropped: [{ transaction_hash: hashes[4], reason: expect.stringContaining('state_diff_size') }],
  });
});
