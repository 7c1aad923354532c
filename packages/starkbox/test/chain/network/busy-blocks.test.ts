// Load of others: real transactions with the drawn tips, counted gas, and clients that estimate tips from them.
import { type Client, startNode } from '@starkbox/test-support';
import { startFixture } from '@starkbox/test-support/fixture';
import { STRK } from '@starkbox/test-support/signing';
import { afterAll, describe, expect, test } from 'vitest';
import { backgroundLoad, fitting, gasOf } from '../../../src/chain/network/background-load.js';
import { readConditions } from '../../../src/chain/network/conditions.js';
import { marketConstants } from '../../../src/chain/network/market.js';

const GIGAFRI = 10 ** 9;
const CONGESTION = {
  demand: 0.6,
  variation: 0.3,
  elasticity: 1,
  median_tip: 2 * GIGAFRI,
  tip_spread: 4,
  transactions: 12,
};
const CONDITIONS = { seed: 5, gas_market: true, capacity: 'network', congestion: CONGESTION };
const CAPACITY = 5_800_000_000;

const blockWithReceipts = (client: Client, block_number: number) =>
  client.call('starknet_getBlockWithReceipts', [{ block_number }]);

test('blocks have the drawn tips and gas', async () => {
  const { client } = await startFixture({ blockGenerationOn: 'demand', gasMarket: true });
  await client.call('devnet_setNetworkConditions', { conditions: CONDITIONS });
  for (let block = 0; block < 5; block += 1) await client.call('devnet_createBlock');
  const { recent_blocks } = await client.call('devnet_getNetworkConditions');
  expect(recent_blocks).toHaveLength(5);
  const { floor } = marketConstants();
  for (const [round, closed] of recent_blocks.entries()) {
    const price = BigInt(closed.l2_gas_price);
    const drawn = backgroundLoad(readConditions(CONDITIONS), {
      round,
      price,
      floor,
      capacity: CAPACITY,
    });
    const load = fitting(drawn, CAPACITY);
    const { transactions } = await blockWithReceipts(client, closed.block_number);
    const tips = transactions.map(({ transaction }) =>
      'tip' in transaction ? Number(transaction.tip) : -1,
    );
    expect(tips).toEqual(load.slice(0, 12).map(({ tip }) => tip));
    const gas = transactions.map(({ receipt }) => receipt.execution_resources.l2_gas);
    expect(transactions.map(({ receipt }) => receipt.execution_status)).toEqual(
      Array.from({ length: 12 }, () => 'SUCCEEDED'),
    );
    expect(closed.gas_used).toBe(gas.reduce((sum, each) => sum + each, 0));
    expect(closed.gas_used + closed.gas_of_others).toBe(gasOf(load));
    expect(closed.fullness).toBeGreaterThan(0.3);
  }
});

test('transactions of others have traces and can be explained', async () => {
  const { client } = await startFixture({ blockGenerationOn: 'demand' });
  await client.call('devnet_setCongestion', { congestion: CONGESTION });
  await client.call('devnet_createBlock');
  const { transactions } = await client.call('starknet_getBlockWithTxHashes', ['latest']);
  expect(transactions).toHaveLength(12);
  const trace = await client.call('starknet_traceTransaction', [transactions[3]]);
  expect(trace).toMatchObject({ type: 'INVOKE', execute_invocation: { calls: [{}] } });
  const traces = await client.call('starknet_traceBlockTransactions', ['latest']);
  expect(traces).toHaveLength(12);
});

test('without fees, others send transactions too', async () => {
  const { client } = await startFixture({ blockGenerationOn: 'demand', chargeFee: false });
  await client.call('devnet_setCongestion', { congestion: CONGESTION });
  await client.call('devnet_createBlock');
  const { transactions } = await client.call('starknet_getBlockWithTxHashes', ['latest']);
  expect(transactions).toHaveLength(12);
});

test('the load alone turns the market and the capacity on, with the seed of the node', async () => {
  const { client } = await startFixture({ seed: 9 });
  const none = await client.call('devnet_setCongestion', { congestion: null });
  expect(none.conditions).toBeNull();
  const { conditions } = await client.call('devnet_setCongestion', { congestion: { demand: 1 } });
  expect(conditions).toMatchObject({
    seed: 9,
    gas_market: { l1_prices: [], l1_blocks: 1 },
    capacity: {},
    congestion: { demand: 1 },
  });
});

/** What all releases have in common. */
interface Dapp {
  readonly provider: {
    getEstimateTip(block: 'latest'): Promise<{
      readonly recommendedTip: bigint;
      readonly metrics?: { readonly transactionsTipsFound: readonly bigint[] };
    }>;
    waitForTransaction(hash: string): Promise<{ isSuccess(): boolean }>;
  };
  readonly account: {
    execute(call: {
      contractAddress: string;
      entrypoint: string;
      calldata: string[];
    }): Promise<{ readonly transaction_hash: string }>;
  };
}

describe('tips that starknet.js estimates', async () => {
  const node = await startNode({
    listen: true,
    blockGenerationOn: 'transaction',
    gasMarket: true,
    initialBalance: 10n ** 24n,
  });
  afterAll(node.close);
  const congestion = { ...CONGESTION, demand: 0.2 };
  await node.client.call('devnet_setNetworkConditions', {
    conditions: { ...CONDITIONS, congestion },
  });
  await node.client.call('devnet_createBlock', {});
  const options = { nodeUrl: `${node.url}/rpc/v0_9`, transactionRetryIntervalFallback: 10 };
  const [sender] = node.node.accounts;
  if (!sender) throw new Error('there is no account');
  const { address, privateKey: signer } = sender;
  const LIBRARIES: Readonly<Record<8 | 9 | 10, () => Promise<Dapp>>> = {
    async 8() {
      const { Account, RpcProvider } = await import('starknet-v8');
      const provider = await RpcProvider.create(options);
      return { provider, account: new Account({ provider, address, signer }) };
    },
    async 9() {
      const { Account, RpcProvider } = await import('starknet-v9');
      const provider = await RpcProvider.create(options);
      return { provider, account: new Account({ provider, address, signer }) };
    },
    async 10() {
      const { Account, RpcProvider } = await import('starknet');
      const provider = await RpcProvider.create(options);
      return { provider, account: new Account({ provider, address, signer }) };
    },
  };
  test.each([8, 9, 10] as const)('by version %i', async (version) => {
    const { provider, account } = await LIBRARIES[version]();
    const { recommendedTip, metrics } = await provider.getEstimateTip('latest');
    expect(metrics?.transactionsTipsFound.length).toBeGreaterThanOrEqual(10);
    expect(recommendedTip).toBeGreaterThan(BigInt(GIGAFRI));
    expect(recommendedTip).toBeLessThan(BigInt(4 * GIGAFRI));
    const { transaction_hash } = await account.execute({
      contractAddress: STRK,
      entrypoint: 'transfer',
      calldata: ['0x77', '0x1', '0x0'],
    });
    const receipt = await provider.waitForTransaction(transaction_hash);
    expect(receipt.isSuccess()).toBe(true);
    const sent = await node.client.call('starknet_getTransactionByHash', [transaction_hash]);
    expect(sent).toMatchObject({ type: 'INVOKE', tip: expect.stringMatching(/^0x[0-9a-f]{8}/) });
  });
});
