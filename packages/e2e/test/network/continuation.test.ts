// Prices, load and capacity continue alike: the same seed and requests, after a snapshot and from a journal.
import { type Client, checkedClient } from '@starkbox/test-support';
import { openNode } from '@starkbox/test-support/fixture';
import { bounds, invokeRequest, STRK } from '@starkbox/test-support/signing';
import type { Config, LocalChain } from 'starkbox';
import { expect, test } from 'vitest';

const TRANSFER = { to: STRK, name: 'transfer', calldata: ['0x77', '0x1', '0x0'] };
const CONDITIONS = {
  seed: 3,
  gas_market: { l1_prices: [{ gas_price_fri: 1 }, { gas_price_fri: 2 }] },
  capacity: { n_txs: 200 },
  congestion: { demand: 1.6, variation: 0.5, median_tip: 1000, tip_spread: 3, transactions: 3 },
  order: 'tip',
} as const;
const AMPLE = bounds({ l1_gas: 1000n, l1_data_gas: 10_000n, l2_gas: 10n ** 8n }, 10n ** 12n);

async function start(config: Partial<Config> = {}): Promise<[Client, LocalChain]> {
  const node = await openNode({
    seed: 0,
    accounts: 2,
    initialBalance: 10n ** 24n,
    blockGenerationOn: 'demand',
    startTime: 1_700_000_000,
    networkConditions: CONDITIONS,
    ...config,
  });
  return [checkedClient(node.handle), node];
}

/** Closes blocks, and leaves one with a transaction pending and another transaction waiting. */
async function run(client: Client, { accounts }: LocalChain): Promise<void> {
  await client.call('devnet_setBlockSettings', { time_step: 2 });
  for (let block = 0; block < 3; block += 1) await client.call('devnet_createBlock');
  const [first, second] = accounts;
  if (!first || !second) throw new Error('there are not enough accounts');
  for (const [account, tip] of [
    [first, '0x100000'],
    [second, '0x0'],
  ] as const) {
    const changes = { resource_bounds: AMPLE, tip };
    await client.call('starknet_addInvokeTransaction', [
      invokeRequest(account, [TRANSFER], 0, { changes }),
    ]);
  }
  const { size } = await client.call('devnet_mempoolList', {});
  expect(size).toBe(1);
}

/** Blocks from now on, with all receipts, and the conditions after them. */
async function continued(client: Client): Promise<unknown> {
  const blocks: unknown[] = [];
  for (let block = 0; block < 3; block += 1) {
    await client.call('devnet_createBlock');
    blocks.push(await client.call('starknet_getBlockWithReceipts', ['latest']));
  }
  return { blocks, status: await client.call('devnet_getNetworkConditions') };
}

/** A run that nothing interrupts. */
async function reference(): Promise<unknown> {
  const [client, node] = await start();
  await run(client, node);
  return continued(client);
}

const expected = reference();

test('after a return to a snapshot', async () => {
  const [client, node] = await start();
  await run(client, node);
  const id = await client.call('devnet_snapshot');
  expect(await continued(client)).toEqual(await expected);
  await client.call('devnet_revert', [id]);
  expect(await continued(client)).toEqual(await expected);
});

test('from a journal', async () => {
  const [client, node] = await start({ dumpOn: 'request' });
  await run(client, node);
  const events = await client.call('devnet_dump');
  const [other] = await start();
  await other.call('devnet_load', { events });
  expect(await continued(other)).toEqual(await expected);
});
