// Prices under the fee market: from block to block, after set prices, removed blocks, and on forks.
import { type Client, startNode } from '@starkbox/test-support';
import { startFixture } from '@starkbox/test-support/fixture';
import { startPair } from '@starkbox/test-support/fork/pair';
import { describe, expect, test } from 'vitest';
import { marketConstants, nextL2Price } from '../../../src/chain/network/market.js';
import { STARKNET_VERSIONS } from '../../../src/starknet-versions.js';

const LOAD = { demand: 0.9, variation: 0.5, transactions: 2, median_tip: 1000 };
const MARKET = { gas_market: true, capacity: 'network', congestion: LOAD };

interface Prices {
  readonly fri: bigint;
  readonly wei: bigint;
}

async function l2Prices(client: Client, block: 'latest' | number = 'latest'): Promise<Prices> {
  const id = typeof block === 'number' ? { block_number: block } : block;
  const { l2_gas_price } = await client.call('starknet_getBlockWithTxHashes', [id]);
  return { fri: BigInt(l2_gas_price.price_in_fri), wei: BigInt(l2_gas_price.price_in_wei) };
}

/** The price of each block follows from the block before it. */
async function expectMarket(client: Client, version = STARKNET_VERSIONS.at(-1)): Promise<void> {
  const { recent_blocks, l2_gas_price } = await client.call('devnet_getNetworkConditions');
  expect(recent_blocks.length).toBeGreaterThan(2);
  const following = [...recent_blocks.slice(1).map((block) => block.l2_gas_price), l2_gas_price];
  for (const [index, block] of recent_blocks.entries()) {
    const used = BigInt(block.gas_used + block.gas_of_others);
    const price = nextL2Price(BigInt(block.l2_gas_price), used, marketConstants(version));
    expect(BigInt(following[index] ?? 0)).toBe(price);
    expect((await l2Prices(client, block.block_number)).fri).toBe(BigInt(block.l2_gas_price));
  }
}

describe.each(STARKNET_VERSIONS)('under %s', (starknetVersion) => {
  test('prices begin at the floor, and follow the constants of the version', async () => {
    const { client } = await startFixture({ gasMarket: true, starknetVersion });
    const { floor, maximum } = marketConstants(starknetVersion);
    expect((await l2Prices(client)).fri).toBe(floor);
    await client.call('devnet_setCongestion', { congestion: { ...LOAD, demand: 3 } });
    for (let block = 0; block < 4; block += 1) await client.call('devnet_createBlock');
    await expectMarket(client, starknetVersion);
    expect((await l2Prices(client)).fri).toBeGreaterThan(floor);
    const { recent_blocks } = await client.call('devnet_getNetworkConditions');
    for (const { gas_used, gas_of_others } of recent_blocks) {
      expect(gas_used + gas_of_others).toBeLessThanOrEqual(Number(maximum));
    }
  });
});

test('the forecast of the next price comes true if nothing else happens', async () => {
  const { client } = await startFixture({ gasMarket: true, blockGenerationOn: 'demand' });
  const load = { ...LOAD, transactions: 0 };
  await client.call('devnet_setCongestion', { congestion: load });
  for (let block = 0; block < 3; block += 1) {
    const { next_l2_gas_price } = await client.call('devnet_getNetworkConditions');
    await client.call('devnet_createBlock');
    const { l2_gas_price } = await client.call('devnet_getNetworkConditions');
    expect(l2_gas_price).toBe(next_l2_gas_price);
  }
});

test('the rule continues from prices that are set, and wei keep their ratio to fri', async () => {
  const { client } = await startFixture({ gasMarket: true, blockGenerationOn: 'demand' });
  await client.call('devnet_setCongestion', { congestion: LOAD });
  await client.call('devnet_createBlock');
  const first = await l2Prices(client);
  expect(first.fri / first.wei).toBe(8n);
  const prices = { l2_gas_price_fri: 40_000_000_000, l2_gas_price_wei: 10_000_000 };
  await client.call('devnet_setGasPrice', { ...prices, generate_block: true });
  expect(await l2Prices(client)).toEqual({ fri: 40_000_000_000n, wei: 10_000_000n });
  for (let block = 0; block < 3; block += 1) await client.call('devnet_createBlock');
  const { fri, wei } = await l2Prices(client);
  expect(fri).not.toBe(40_000_000_000n);
  expect(wei).toBe(fri / 4000n);
  const { recent_blocks } = await client.call('devnet_getNetworkConditions');
  const [, set, next] = recent_blocks;
  const used = BigInt((set?.gas_used ?? 0) + (set?.gas_of_others ?? 0));
  expect(BigInt(next?.l2_gas_price ?? 0)).toBe(
    nextL2Price(40_000_000_000n, used, marketConstants()),
  );
});

test('prices set while a block has transactions are the prices of the next block', async () => {
  const { client } = await startFixture({ gasMarket: true, blockGenerationOn: 'demand' });
  await client.call('devnet_mint', { address: '0x1', amount: 1 });
  await client.call('devnet_setGasPrice', { l2_gas_price_fri: 50_000_000_000 });
  await client.call('devnet_createBlock');
  expect((await l2Prices(client)).fri).toBe(8_000_000_000n);
  await client.call('devnet_mint', { address: '0x1', amount: 1 });
  await client.call('devnet_createBlock');
  expect((await l2Prices(client)).fri).toBe(50_000_000_000n);
  await client.call('devnet_createBlock');
  expect((await l2Prices(client)).fri).toBeLessThan(50_000_000_000n);
});

test('after removed blocks, prices continue from the block that is left', async () => {
  const { client } = await startFixture({ gasMarket: true, blockGenerationOn: 'demand' });
  await client.call('devnet_setCongestion', { congestion: LOAD });
  for (let block = 0; block < 5; block += 1) await client.call('devnet_createBlock');
  const third = await l2Prices(client, 3);
  await client.call('devnet_abortBlocks', { starting_block_id: { block_number: 3 } });
  const { l2_gas_price, recent_blocks } = await client.call('devnet_getNetworkConditions');
  expect(BigInt(l2_gas_price)).toBe(third.fri);
  expect(recent_blocks.map(({ block_number }) => block_number)).toEqual([1, 2]);
  await client.call('devnet_createBlock');
  expect(await l2Prices(client)).toEqual(third);
  await client.call('devnet_createBlock');
  await expectMarket(client);
});

test('prices of L1 gas follow a series', async () => {
  const { client } = await startFixture({ blockGenerationOn: 'demand' });
  const l1_prices = [{ gas_price_fri: 5, data_gas_price_wei: 6 }, { gas_price_fri: 7 }];
  await client.call('devnet_setNetworkConditions', {
    conditions: { gas_market: { l1_prices, l1_blocks: 2 } },
  });
  const fri: number[] = [];
  for (let block = 0; block < 6; block += 1) {
    await client.call('devnet_createBlock');
    const { l1_gas_price, l1_data_gas_price } = await client.call('starknet_getBlockWithTxHashes', [
      'latest',
    ]);
    fri.push(Number(l1_gas_price.price_in_fri));
    expect(Number(l1_data_gas_price.price_in_wei)).toBe(6);
  }
  expect(fri).toEqual([5, 5, 7, 7, 5, 5]);
});

describe('on a fork', () => {
  test('the market starts at the price of the origin, and repeats its prices of L1 gas', async () => {
    await using pair = await startPair(async ({ client }) => {
      for (const price of [11, 12, 13]) {
        await client.call('devnet_setGasPrice', {
          gas_price_fri: price,
          l2_gas_price_fri: 9_000_000_000,
          generate_block: true,
        });
      }
    });
    const { client } = await pair.fork({ blockGenerationOn: 'demand' });
    await client.call('devnet_setNetworkConditions', {
      conditions: { ...MARKET, gas_market: { l1_prices: 'origin' } },
    });
    const { conditions } = await client.call('devnet_getNetworkConditions');
    expect(conditions).toMatchObject({
      gas_market: {
        l1_prices: [{}, { gas_price_fri: 11 }, { gas_price_fri: 12 }, { gas_price_fri: 13 }],
      },
    });
    const fri: number[] = [];
    for (let block = 0; block < 5; block += 1) {
      await client.call('devnet_createBlock');
      const header = await client.call('starknet_getBlockWithTxHashes', ['latest']);
      fri.push(Number(header.l1_gas_price.price_in_fri));
      expect(header.transactions).toHaveLength(2);
    }
    expect(fri.slice(1, 4)).toEqual([11, 12, 13]);
    expect(fri[4]).toBe(fri[0]);
    await expectMarket(client);
    const [first] = (await client.call('devnet_getNetworkConditions')).recent_blocks;
    expect(first?.l2_gas_price).toBe(9_000_000_000);
  });
});

test.each([`0x1${'0'.repeat(32)}`, 'many'])(
  'a price of %s of the origin is refused',
  async (price) => {
    await using pair = await startPair();
    const { client } = await pair.fork();
    const of = 'starknet_getBlockWithTxHashes';
    const block = await pair.origin.client.call(of, { block_id: { block_number: 0 } });
    const result = { ...block, l1_gas_price: { price_in_wei: '0x1', price_in_fri: price } };
    pair.proxy.mishap = () => ({ kind: 'result', of, result });
    const conditions = { gas_market: { l1_prices: 'origin' } };
    const { code, message } = await client.failure('devnet_setNetworkConditions', { conditions });
    expect({ code, message }).toEqual({ code: -1, message: expect.stringContaining('block 0') });
  },
);

test('the prices of an origin need a fork', async () => {
  const { client, close } = await startNode();
  const conditions = { gas_market: { l1_prices: 'origin' } };
  await expect(client.call('devnet_setNetworkConditions', { conditions })).rejects.toThrow(
    "gas_market.l1_prices: expected a list of prices, because this chain is no fork; got 'origin'",
  );
  await close();
});
