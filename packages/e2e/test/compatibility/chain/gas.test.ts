// Gas prices: how they are set, when they are in force, and what they do to transactions.

import { ERRORS } from '@starkbox/spec';
import { type Client, checkedClient } from '@starkbox/test-support';
import { bounds, contract, GWEI, hex, Sender } from '@starkbox/test-support/signing';
import { createChain, type LocalChain } from 'starkbox';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let node: LocalChain;
let client: Client;
let sender: Sender;

const counter = await contract('counter');
beforeEach(async () => {
  node = await createChain({ seed: 0, accounts: 1 });
  client = checkedClient(node.handle);
  sender = new Sender(client, node.accounts[0]);
});
afterEach(() => node.close());

const START = {
  gas_price_wei: 1_000_000_000,
  data_gas_price_wei: 1_000_000_000,
  gas_price_fri: 1_000_000_000,
  data_gas_price_fri: 1_000_000_000,
  l2_gas_price_wei: 1_000_000_000,
  l2_gas_price_fri: 1_000_000_000,
};

const CHANGED = {
  gas_price_wei: 8_000_000_000,
  data_gas_price_wei: 7_000_000_000,
  gas_price_fri: 6_000_000_000,
  data_gas_price_fri: 5_000_000_000,
  l2_gas_price_wei: 4_000_000_000,
  l2_gas_price_fri: 3_000_000_000,
};

/** As headers carry them. */
function reportedPrices(prices: typeof START) {
  return {
    l1_gas_price: {
      price_in_fri: hex(prices.gas_price_fri),
      price_in_wei: hex(prices.gas_price_wei),
    },
    l1_data_gas_price: {
      price_in_fri: hex(prices.data_gas_price_fri),
      price_in_wei: hex(prices.data_gas_price_wei),
    },
    l2_gas_price: {
      price_in_fri: hex(prices.l2_gas_price_fri),
      price_in_wei: hex(prices.l2_gas_price_wei),
    },
  };
}

async function expectPrices(latest: typeof START, preConfirmed: typeof START): Promise<void> {
  for (const [tag, prices] of [
    ['latest', latest],
    ['pre_confirmed', preConfirmed],
  ] as const) {
    expect(await client.call('starknet_getBlockWithTxHashes', [tag])).toMatchObject(
      reportedPrices(prices),
    );
  }
}

async function simulatedFee(flags: readonly string[] = []) {
  const request = await sender.declareRequest(counter);
  const params = ['latest', [request], flags];
  const simulated = await client.call('starknet_simulateTransactions', params);
  if (!Array.isArray(simulated)) throw new Error('initial reads were not asked for');
  const [{ fee_estimation }] = simulated;
  return fee_estimation;
}

describe('prices in simulations and in the answer', () => {
  test('gas.1 a simulated declaration shows the prices before and after they were set', async () => {
    const before = await simulatedFee();
    expect(before).toMatchObject({
      l1_gas_price: hex(GWEI),
      l1_data_gas_price: hex(GWEI),
      l2_gas_price: hex(GWEI),
      unit: 'FRI',
    });
    await client.call('devnet_setGasPrice', { ...CHANGED, generate_block: true });
    const after = await simulatedFee();
    const fee =
      BigInt(after.l1_gas_consumed) * 6n * GWEI +
      BigInt(after.l1_data_gas_consumed) * 5n * GWEI +
      BigInt(after.l2_gas_consumed) * 3n * GWEI;
    expect(after).toEqual({
      ...before,
      l1_gas_price: hex(6n * GWEI),
      l1_data_gas_price: hex(5n * GWEI),
      l2_gas_price: hex(3n * GWEI),
      overall_fee: hex(fee),
    });
  });

  test('gas.1 leaving out the validation lowers the fee', async () => {
    await client.call('devnet_setGasPrice', { ...CHANGED, generate_block: true });
    const whole = BigInt((await simulatedFee()).overall_fee);
    const part = BigInt((await simulatedFee(['SKIP_VALIDATE'])).overall_fee);
    expect(part).toBeLessThan(whole);
    expect(part).toBeGreaterThan(0n);
  });

  test('gas.1 the answer repeats all six prices, exact beyond what a double holds', async () => {
    expect(await client.call('devnet_setGasPrice', CHANGED)).toEqual(CHANGED);
    const prices = [
      '"gas_price_wei":9223372036854775807',
      '"data_gas_price_wei":9007199254740993',
      '"gas_price_fri":7700000000000000001',
      '"data_gas_price_fri":340282366920938463463374607431768211455',
      '"l2_gas_price_wei":8800000000000000003',
      '"l2_gas_price_fri":9900000000000000007',
    ];
    const text = `{"jsonrpc":"2.0","id":1,"method":"devnet_setGasPrice","params":{${prices}}}`;
    const answer = await node.handle(text);
    for (const price of prices) expect(answer).toContain(price);
  });
});

describe('prices in force', () => {
  test('gas.2 without a block both tags keep the old prices until the next one', async () => {
    await client.call('devnet_setGasPrice', CHANGED);
    expect(await client.call('starknet_blockNumber')).toBe(0);
    await expectPrices(START, START);
    await client.call('devnet_createBlock');
    await expectPrices(CHANGED, CHANGED);
  });

  test('gas.2 with a block both tags show the new prices at once', async () => {
    await client.call('devnet_setGasPrice', { ...CHANGED, generate_block: true });
    expect(await client.call('starknet_blockNumber')).toBe(1);
    await expectPrices(CHANGED, CHANGED);
    expect(await client.call('starknet_getBlockWithTxHashes', [{ block_number: 0 }])).toMatchObject(
      reportedPrices(START),
    );
  });

  test('gas.2 a block with transactions shows the prices they were charged', async () => {
    const params = { address: '0x1', amount: 1 };
    // New slots cost more than receipts tell: the second time there are none.
    await client.call('devnet_mint', params);
    await client.call('devnet_setGasPrice', CHANGED);
    const { tx_hash } = await client.call('devnet_mint', params);
    await expectPrices(START, CHANGED);
    const receipt = await client.call('starknet_getTransactionReceipt', [tx_hash]);
    const { l1_gas, l1_data_gas, l2_gas } = receipt.execution_resources;
    const units = BigInt(l1_gas) + BigInt(l1_data_gas) + BigInt(l2_gas);
    expect(receipt.actual_fee.amount).toBe(hex(units * GWEI));
  });
});

describe('prices and what they allow', () => {
  test('gas.3 a price that the account cannot pay is refused, a lower one is paid', async () => {
    const price = 10n ** 18n;
    await client.call('devnet_setGasPrice', {
      l2_gas_price_fri: Number(price),
      generate_block: true,
    });
    const gas = { l1_data_gas: 1000n, l2_gas: 3n * 10n ** 8n };
    const dear = await sender.declareRequest(counter, { resource_bounds: bounds(gas, price) });
    expect((await client.failure('starknet_addDeclareTransaction', [dear])).code).toBe(
      ERRORS.INSUFFICIENT_ACCOUNT_BALANCE.code,
    );

    await client.call('devnet_setGasPrice', { l2_gas_price_fri: 1000, generate_block: true });
    const hash = await sender.declare(counter, { resource_bounds: bounds(gas, GWEI) });
    expect(await client.call('starknet_getTransactionStatus', [hash])).toMatchObject({
      execution_status: 'SUCCEEDED',
    });
  });

  test('gas.3 each price can be set alone', async () => {
    let expected: Readonly<Record<string, number>> = START;
    for (const [name, price] of Object.entries(CHANGED)) {
      expected = { ...expected, [name]: price };
      expect(await client.call('devnet_setGasPrice', { [name]: price })).toEqual(expected);
    }
  });

  test('gas.3 nothing set answers what holds; null changes nothing', async () => {
    expect(await client.call('devnet_setGasPrice', {})).toEqual(START);
    await client.call('devnet_setGasPrice', CHANGED);
    expect(await client.call('devnet_setGasPrice', {})).toEqual(CHANGED);
    const nothing = Object.fromEntries(Object.keys(CHANGED).map((name) => [name, null]));
    expect(await client.call('devnet_setGasPrice', nothing)).toEqual(CHANGED);
    expect(await client.call('starknet_blockNumber')).toBe(0);
  });

  test('gas.3 a price of zero, a text and an unknown name are refused', async () => {
    for (const params of [{ gas_price_wei: 0 }, { gas_price_fri: '0x1' }, { gas_price: 1 }]) {
      expect((await client.failure('devnet_setGasPrice', params)).code).toBe(
        ERRORS.INVALID_PARAMS.code,
      );
    }
    expect(await client.call('devnet_setGasPrice', {})).toEqual(START);
  });
});
