// Subscriptions to the sandbox, and the record of calls to it.

import { ERRORS } from '@starkbox/spec';
import { connectSocket, type Socket, startNode } from '@starkbox/test-support';
import { afterAll, afterEach, describe, expect, test } from 'vitest';

const { client, url, node, close } = await startNode({ listen: true, ui: true });
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) await socket.close();
});
afterAll(close);

async function connect(): Promise<Socket> {
  const socket = await connectSocket(url);
  sockets.push(socket);
  return socket;
}

/** Received notifications without heartbeats. */
async function notificationsOf(socket: Socket): Promise<readonly unknown[]> {
  const heard = (await socket.heard()).map(({ result }) => Object(result));
  return heard
    .filter(({ event }) => event !== 'beat')
    .map(({ event, detail }) => (detail === undefined ? event : [event, detail]));
}

const mint = async (by = client): Promise<string> =>
  (await by.call('devnet_mint', { address: '0x1', amount: 1 })).tx_hash;

/** The removed transactions of a notification. */
const removed = (...transaction_hashes: string[]): object => ({
  removed_transactions: transaction_hashes.length,
  transaction_hashes,
});

describe('a subscriber to the sandbox', () => {
  test('receives a heartbeat at once, and repeatedly', async () => {
    const socket = await connect();
    const subscription = await socket.subscribe('devnet_subscribeSandbox');
    const [number, hash] = [
      await client.call('starknet_blockNumber'),
      await client.call('starknet_blockHashAndNumber'),
    ];
    for (let count = 0; count < 2; count += 1) {
      expect(await socket.next()).toEqual({
        method: 'devnet_subscriptionSandbox',
        subscription,
        result: {
          event: 'beat',
          head: { block_number: number, block_hash: hash.block_hash },
          pending: 0,
          chain_time: expect.any(Number),
          instances: count,
        },
      });
      await client.call('devnet_createInstance', {});
    }
    await socket.unsubscribe(subscription);
    await client.call('devnet_snapshot');
    await socket.quiet();
  });

  test('receives changes other than blocks', async () => {
    const socket = await connect();
    await socket.subscribe('devnet_subscribeSandbox');
    const snapshot_id = await client.call('devnet_snapshot', { name: 'here' });
    expect(await notificationsOf(socket)).toEqual([['snapshot', { snapshot_id, name: 'here' }]]);
    const minted = await mint();
    await client.call('devnet_createBlock');
    expect(await notificationsOf(socket)).toEqual([]);
    await client.call('devnet_setGasPrice', { gas_price_wei: 7 });
    expect(await notificationsOf(socket)).toMatchObject([['gas', { gas_price_wei: 7 }]]);
    await client.call('devnet_increaseTime', { time: 100 });
    expect(await notificationsOf(socket)).toEqual([['time', { offset: 100 }]]);
    await client.call('devnet_setTime', { time: 9_000_000_000, generate_block: false });
    expect(await notificationsOf(socket)).toMatchObject([['time', {}]]);
    await client.call('devnet_createBlock');
    expect(await notificationsOf(socket)).toEqual([]);
    await client.call('devnet_impersonateAccount', { account_address: '0x5' });
    expect(await notificationsOf(socket)).toEqual([
      ['impersonation', { accounts: ['0x5'], auto: false }],
    ]);
    await client.call('devnet_setLabel', { value: '0x5', label: 'five' });
    expect(await notificationsOf(socket)).toEqual(['label']);
    await client.call('devnet_acceptOnL1', { starting_block_id: { block_number: 0 } });
    expect(await notificationsOf(socket)).toEqual([['accepted_on_l1', { block_number: 0 }]]);
    await client.call('devnet_applyStateDiff', {
      state_diff: {
        storage_diffs: [
          { address: node.tokens.strk.address, storage_entries: [{ key: '0x1', value: '0x1' }] },
        ],
      },
    });
    expect(await notificationsOf(socket)).toEqual(['state']);
    await client.call('devnet_abortBlocks', { starting_block_id: { block_number: 2 } });
    expect(await notificationsOf(socket)).toEqual([['abort', { from_block: 2, ...removed() }]]);
    await client.call('devnet_revert', { snapshot_id });
    expect(await notificationsOf(socket)).toEqual([
      ['revert', { snapshot_id, ...removed(minted) }],
    ]);
    const other = await client.call('devnet_snapshot');
    await notificationsOf(socket);
    await client.call('devnet_deleteSnapshot', { snapshot_id: other });
    expect(await notificationsOf(socket)).toEqual([['snapshot_deleted', { snapshot_id: other }]]);
  });

  test('receives settings of blocks, of the network, and what leaves the mempool', async () => {
    const socket = await connect();
    await socket.subscribe('devnet_subscribeSandbox');
    await client.call('devnet_setBlockSettings', { time_step: 5 });
    expect(await notificationsOf(socket)).toEqual(['blocks']);
    await client.call('devnet_setBlockSettings', { sequencer_address: '0x77' });
    expect(await notificationsOf(socket)).toEqual(['blocks']);
    // The same values change nothing.
    await client.call('devnet_setBlockSettings', { time_step: 5 });
    expect(await notificationsOf(socket)).toEqual([]);
    await client.call('devnet_setNetworkConditions', { conditions: { seed: 3 } });
    expect(await notificationsOf(socket)).toContainEqual('network');
    await client.call('devnet_restart');
    await notificationsOf(socket);
    await client.call('devnet_setTime', { time: 9_600_000_000, generate_block: false });
    expect(await notificationsOf(socket)).toMatchObject([['time', {}]]);
    // The exact time of the next block goes with the block, and the offset stays.
    await client.call('devnet_createBlock');
    expect(await notificationsOf(socket)).toEqual([]);
    await client.call('devnet_restart');
  });

  test('receives a revert that undoes only prices, time or state', async () => {
    const socket = await connect();
    await socket.subscribe('devnet_subscribeSandbox');
    const changes = [
      () => client.call('devnet_setGasPrice', { gas_price_wei: 8 }),
      () => client.call('devnet_setTime', { time: 9_500_000_000, generate_block: false }),
      () => client.call('devnet_applyStateDiff', { state_diff: {} }),
    ];
    for (const change of changes) {
      const snapshot_id = await client.call('devnet_snapshot');
      await change();
      await notificationsOf(socket);
      await client.call('devnet_revert', { snapshot_id });
      expect(await notificationsOf(socket)).toEqual([['revert', { snapshot_id, ...removed() }]]);
    }
  });

  test('stays subscribed after a restart and a load, unlike subscribers to the chain', async () => {
    const socket = await connect();
    await socket.subscribe('devnet_subscribeSandbox');
    await client.call('devnet_restart');
    await notificationsOf(socket);
    const minted = await mint();
    const heads = await socket.subscribe('starknet_subscribeNewHeads');
    const dump = await client.call('devnet_dump', { format: 'image', inline: true });
    await client.call('devnet_restart');
    expect(await notificationsOf(socket)).toEqual([['restart', removed(minted)]]);
    if (!dump || !('image' in dump)) throw new Error('there is no image');
    const other = await mint();
    await client.call('devnet_createBlock');
    await client.call('devnet_load', { image: dump.image });
    await client.call('devnet_createBlock');
    // The same mint in another block is the same transaction.
    expect(other).toBe(minted);
    expect(await notificationsOf(socket)).toEqual([['load', removed()]]);
    const gone = await socket.failure('starknet_unsubscribe', { subscription_id: heads });
    expect(gone.code).toBe(ERRORS.INVALID_SUBSCRIPTION_ID.code);
  });

  test('stays subscribed to calls, and receives the call that restarted the chain', async () => {
    const socket = await connect();
    await client.call('devnet_recordRequests', { enabled: true });
    const subscription = await socket.subscribe('devnet_subscribeRequests');
    await client.call('devnet_restart');
    await client.call('starknet_blockNumber');
    await client.call('devnet_recordRequests', { enabled: false });
    const heard = await socket.heard();
    expect(heard.map(({ result }) => Object(result).method)).toEqual([
      'devnet_restart',
      'starknet_blockNumber',
    ]);
    await socket.unsubscribe(subscription);
  });

  test('receives transactions that are no longer pending, also when no block is gone', async () => {
    const demand = await startNode({ listen: true, blockGenerationOn: 'demand' });
    const socket = await connectSocket(demand.url);
    try {
      await socket.subscribe('devnet_subscribeSandbox');
      const pendingHash = await mint(demand.client);
      const snapshot_id = await demand.client.call('devnet_snapshot');
      await notificationsOf(socket);
      const gone = await mint(demand.client);
      await demand.client.call('devnet_revert', { snapshot_id });
      expect(await notificationsOf(socket)).toEqual([
        ['revert', { snapshot_id, ...removed(gone) }],
      ]);
      await demand.client.call('devnet_abortBlocks', { starting_block_id: 'pre_confirmed' });
      expect(await notificationsOf(socket)).toEqual([
        ['abort', { from_block: 1, ...removed(pendingHash) }],
      ]);
      for (let count = 0; count < 101; count += 1) await mint(demand.client);
      await demand.client.call('devnet_abortBlocks', { starting_block_id: 'pre_confirmed' });
      expect(await notificationsOf(socket)).toEqual([
        ['abort', { from_block: 1, removed_transactions: 101 }],
      ]);
    } finally {
      await socket.close();
      await demand.close();
    }
  });

  test('receives notifications with the prefix of its call, and over a socket only', async () => {
    const socket = await connect();
    await socket.exchange('{"jsonrpc":"2.0","id":1,"method":"sandbox_subscribeSandbox"}');
    expect((await socket.next()).method).toBe('sandbox_subscriptionSandbox');
    expect((await client.failure('devnet_subscribeSandbox')).code).toBe(
      ERRORS.METHOD_NOT_FOUND.code,
    );
  });
});
