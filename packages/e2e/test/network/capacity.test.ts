// Blocks with a capacity: transactions that find no room wait, and enter the next block in order.

import type { TransactionValues } from '@starkbox/engine';
import { type Client, checkedClient } from '@starkbox/test-support';
import { openNode } from '@starkbox/test-support/fixture';
import { bounds, hex, invokeRequest, STRK } from '@starkbox/test-support/signing';
import type { Config, LocalChain } from 'starkbox';
import { describe, expect, test } from 'vitest';

const TRANSFER = { to: STRK, name: 'transfer', calldata: ['0x77', '0x1', '0x0'] };
const AMPLE = bounds({ l1_gas: 1000n, l1_data_gas: 10_000n, l2_gas: 10n ** 8n }, 10n ** 12n);
const TOO_LARGE = 'The transaction exceeds the capacity of an empty block: receipt_l2_gas';

async function start(
  blockGenerationOn: Config['blockGenerationOn'],
  capacity: unknown,
  others: object = {},
  mempoolOrder: Config['mempoolOrder'] = 'fifo',
): Promise<[Client, LocalChain]> {
  const node = await openNode({
    seed: 0,
    accounts: 3,
    initialBalance: 10n ** 24n,
    blockGenerationOn,
    mempoolOrder,
    liteMode: true,
  });
  const client = checkedClient(node.handle);
  await client.call('devnet_setNetworkConditions', { conditions: { capacity, ...others } });
  return [client, node];
}

async function transfer(
  client: Client,
  node: LocalChain,
  [account, nonce]: readonly [number, number],
  changes: TransactionValues = {},
): Promise<string> {
  const sender = node.accounts[account];
  if (!sender) throw new Error('there is no such account');
  const request = invokeRequest(sender, [TRANSFER], nonce, {
    changes: { resource_bounds: AMPLE, ...changes },
  });
  return (await client.call('starknet_addInvokeTransaction', [request])).transaction_hash;
}

const statusOf = async (client: Client, hash: string): Promise<string> =>
  (await client.call('starknet_getTransactionStatus', [hash])).finality_status;

const pendingHashes = async (client: Client): Promise<readonly string[]> =>
  (await client.call('starknet_getBlockWithTxHashes', ['pre_confirmed'])).transactions;

/** The interval does not pass within the test. */
describe.each(['demand', 3600] as const)('with blocks on %s', (generation) => {
  test('a transaction without room waits, and later ones of its sender behind it', async () => {
    const [client, node] = await start(generation, { n_txs: 2 });
    const first = await transfer(client, node, [0, 0]);
    const second = await transfer(client, node, [1, 0]);
    const third = await transfer(client, node, [0, 1]);
    const fourth = await transfer(client, node, [0, 2]);
    const fifth = await transfer(client, node, [2, 0]);
    const all = [first, second, third, fourth, fifth];
    const statuses = () => Promise.all(all.map((hash) => statusOf(client, hash)));
    expect(await statuses()).toEqual([
      'PRE_CONFIRMED',
      'PRE_CONFIRMED',
      'RECEIVED',
      'RECEIVED',
      'RECEIVED',
    ]);
    expect(await pendingHashes(client)).toEqual([first, second]);
    await client.call('devnet_createBlock');
    expect(await pendingHashes(client)).toEqual([third, fourth]);
    expect(await statuses()).toEqual([
      'ACCEPTED_ON_L2',
      'ACCEPTED_ON_L2',
      'PRE_CONFIRMED',
      'PRE_CONFIRMED',
      'RECEIVED',
    ]);
    await client.call('devnet_createBlock');
    await client.call('devnet_createBlock');
    expect(await statuses()).toEqual(all.map(() => 'ACCEPTED_ON_L2'));
    const { recent_blocks } = await client.call('devnet_getNetworkConditions');
    expect(recent_blocks.map((block) => [block.transaction_count, block.fullness])).toEqual([
      [2, 1],
      [2, 1],
      [1, 0.5],
    ]);
  });

  test('a transaction that is too large for any block is rejected', async () => {
    const [client, node] = await start(generation, { receipt_l2_gas: 500_000 });
    await expect(transfer(client, node, [0, 0])).rejects.toThrow(`${TOO_LARGE} (at most 500000)`);
    expect(await pendingHashes(client)).toEqual([]);
  });

  test('minted tokens and messages from L1 enter a full block', async () => {
    const [client, node] = await start(generation, { n_txs: 1 });
    await transfer(client, node, [0, 0]);
    const waiting = await transfer(client, node, [1, 0]);
    for (const address of ['0x1', '0x2']) {
      await client.call('devnet_mint', { address, amount: 1, unit: 'FRI' });
    }
    await client.call('devnet_postmanSendMessageToL2', {
      l1_contract_address: '0x1',
      l2_contract_address: STRK,
      entry_point_selector: '0x1',
      payload: [],
      paid_fee_on_l1: '0x1',
      nonce: '0x0',
    });
    expect(await pendingHashes(client)).toHaveLength(4);
    expect(await statusOf(client, waiting)).toBe('RECEIVED');
    await client.call('devnet_createBlock');
    const { recent_blocks } = await client.call('devnet_getNetworkConditions');
    expect(recent_blocks).toMatchObject([{ transaction_count: 4, fullness: 1 }]);
    expect(await pendingHashes(client)).toEqual([waiting]);
  });
});

test("the network's limit of transactions fills a block", { timeout: 120_000 }, async () => {
  const [client, node] = await start('demand', 'network');
  const hashes: string[] = [];
  for (let nonce = 0; nonce < 502; nonce += 1) {
    hashes.push(await transfer(client, node, [0, nonce]));
  }
  expect(await pendingHashes(client)).toEqual(hashes.slice(0, 500));
  await client.call('devnet_createBlock');
  expect(await pendingHashes(client)).toEqual(hashes.slice(500));
});

test('with a block for each transaction, others leave room for it', async () => {
  const congestion = { demand: 50, transactions: 3, median_tip: 1000 };
  const [client, node] = await start('transaction', 'network', { congestion });
  for (let nonce = 0; nonce < 3; nonce += 1) {
    const hash = await transfer(client, node, [0, nonce]);
    expect(await statusOf(client, hash)).toBe('ACCEPTED_ON_L2');
    const { transactions } = await client.call('starknet_getBlockWithTxHashes', ['latest']);
    expect(transactions).toHaveLength(4);
    expect(transactions[0]).toBe(hash);
  }
  const { recent_blocks } = await client.call('devnet_getNetworkConditions');
  for (const { gas_used, gas_of_others } of recent_blocks) {
    expect(gas_used + gas_of_others).toBeLessThanOrEqual(5_800_000_000);
    expect(gas_of_others).toBeGreaterThan(5_000_000_000);
  }
});

test('with a block for each transaction, one that is too large is rejected', async () => {
  const [client, node] = await start('transaction', { receipt_l2_gas: 500_000 });
  await expect(transfer(client, node, [0, 0])).rejects.toThrow(TOO_LARGE);
  expect(await client.call('starknet_blockNumber')).toBe(0);
  await client.call('devnet_setNetworkConditions', { conditions: null });
  expect(await statusOf(client, await transfer(client, node, [0, 0]))).toBe('ACCEPTED_ON_L2');
});

test.each([
  ['conditions', 'fifo', { order: 'tip' }],
  ['options', 'tip', {}],
] as const)(
  'by the order of %s, a block that others fill has room for a higher tip',
  async (...of) => {
    const [, mempoolOrder, order] = of;
    const congestion = { demand: 3, median_tip: 1000, tip_spread: 10, transactions: 0 };
    const [client, node] = await start('demand', 'network', { congestion, ...order }, mempoolOrder);
    const low = await transfer(client, node, [0, 0], { tip: hex(10) });
    const high = await transfer(client, node, [1, 0], { tip: hex(20_000) });
    expect(await statusOf(client, low)).toBe('RECEIVED');
    expect(await statusOf(client, high)).toBe('PRE_CONFIRMED');
    await client.call('devnet_setCongestion', { congestion: { demand: 0.1 } });
    await client.call('devnet_createBlock');
    expect(await statusOf(client, low)).toBe('PRE_CONFIRMED');
  },
);
