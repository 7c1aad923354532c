// Connections and subscriptions when the node restarts or stops, or a client disconnects.

import { ERRORS } from '@starkbox/spec';
import { connectSocket, type Socket, type SubscribeMethod } from '@starkbox/test-support';
import { digest } from '@starkbox/test-support/subscriptions/digest';
import { gather } from '@starkbox/test-support/subscriptions/subscribers';
import { createChain } from 'starkbox';
import { describe, expect, test } from 'vitest';

const KINDS: readonly (readonly [SubscribeMethod, unknown])[] = [
  ['starknet_subscribeNewHeads', {}],
  ['starknet_subscribeEvents', {}],
  ['starknet_subscribeTransactionStatus', { transaction_hash: '0x5' }],
  ['starknet_subscribeNewTransactions', {}],
  ['starknet_subscribeNewTransactionReceipts', {}],
];

async function subscribeToAll(socket: Socket): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const [method, params] of KINDS) ids.push(await socket.subscribe(method, params));
  return ids;
}

describe('a restart', () => {
  test('websocket.1g ends every subscription, and no connection', async () => {
    const { connect, client, mint, block } = await gather();
    const [first, second] = [await connect(), await connect()];
    const ids = [await subscribeToAll(first), await subscribeToAll(second)];
    await mint();
    await first.heard();
    await second.heard();
    await client.call('devnet_restart');
    await mint();
    await block();
    for (const [index, socket] of [first, second].entries()) {
      await socket.quiet();
      for (const id of ids[index] ?? []) {
        expect((await socket.failure('starknet_unsubscribe', [id])).code).toBe(
          ERRORS.INVALID_SUBSCRIPTION_ID.code,
        );
      }
    }
    await first.subscribe('starknet_subscribeNewHeads');
    await block();
    expect(digest(await first.heard())).toEqual(['head 3']);
    await second.quiet();
  });

  test('resets.1 causes no notification', async () => {
    const { connect, block } = await gather();
    await block();
    const socket = await connect();
    await subscribeToAll(socket);
    await socket.call('devnet_restart', { restart_l1_to_l2_messaging: true });
    expect(socket.unread()).toEqual([]);
    await socket.quiet();
  });
});

describe('loading', () => {
  test('resets.2 ends every subscription without notification, and keeps connections', async () => {
    const { connect, client, block } = await gather({ dumpOn: 'request' });
    await block();
    await block();
    const events = await client.call('devnet_dump');
    const socket = await connect();
    const ids = await subscribeToAll(socket);
    await block();
    await socket.heard();
    expect(await socket.call('devnet_load', { events })).toEqual({});
    expect(socket.unread()).toEqual([]);
    await block();
    await socket.quiet();
    for (const id of ids) {
      expect((await socket.failure('starknet_unsubscribe', [id])).code).toBe(
        ERRORS.INVALID_SUBSCRIPTION_ID.code,
      );
    }
    await socket.subscribe('starknet_subscribeNewHeads');
    await block();
    expect(digest(await socket.heard())).toEqual(['head 4']);
  });

  test('resets.2 what cannot be loaded changes nothing', async () => {
    const { connect, client, block } = await gather({ dumpOn: 'request' });
    const socket = await connect();
    await socket.subscribe('starknet_subscribeNewHeads');
    await block();
    const refused = await client.failure('devnet_load', { path: '/there/is/no/such/file' });
    expect(refused.code).toBe(-5);
    await block();
    expect(digest(await socket.heard())).toEqual(['head 1', 'head 2']);
  });
});

describe('a change that makes no block', () => {
  test('resets.6 a state diff is notified with the block that follows', async () => {
    const { connect, client, node, block } = await gather();
    const socket = await connect();
    await subscribeToAll(socket);
    const storage_entries = [{ key: '0x55', value: '0x5' }];
    const storage_diffs = [{ address: node.accounts[0]?.address, storage_entries }];
    await client.call('devnet_applyStateDiff', { state_diff: { storage_diffs } });
    await socket.quiet();
    await block();
    expect(digest(await socket.heard())).toEqual(['head 1']);
  });

  test('order.5a impersonation, prices and times are not notified', async () => {
    const { connect, client, node } = await gather();
    const socket = await connect();
    await subscribeToAll(socket);
    const account_address = node.accounts[0]?.address;
    await client.call('devnet_impersonateAccount', { account_address });
    await client.call('devnet_stopImpersonateAccount', { account_address });
    await client.call('devnet_setGasPrice', { l2_gas_price_fri: 5 });
    await client.call('devnet_setTime', { time: 2_000_000_000, generate_block: false });
    await client.call('devnet_acceptOnL1', { starting_block_id: 'latest' });
    await socket.quiet();
  });

  test('order.5c refused calls are not notified', async () => {
    const { connect, client, sender, block } = await gather();
    const socket = await connect();
    await subscribeToAll(socket);
    const { code } = await client.failure('starknet_addInvokeTransaction', [
      await sender.invokeRequest([], { nonce: '0x7' }),
    ]);
    expect(code).toBe(ERRORS.INVALID_TRANSACTION_NONCE.code);
    await block();
    expect(digest(await socket.heard())).toEqual(['head 1']);
  });
});

describe('a client that disconnects', () => {
  test('does not disturb other clients', async () => {
    const { url, connect, block } = await gather();
    const staying = await connect();
    await staying.subscribe('starknet_subscribeNewHeads');
    const leaving = await connectSocket(url);
    await leaving.subscribe('starknet_subscribeNewHeads');
    const closing = leaving.close();
    await block();
    await closing;
    await block();
    expect(digest(await staying.heard())).toEqual(['head 1', 'head 2']);
  });
});

describe('a node that stops', () => {
  test('closes its connections with a close frame', async () => {
    const node = await createChain({ seed: 0, accounts: 1, port: 0 });
    const socket = await connectSocket((await node.listen()).url);
    await socket.subscribe('starknet_subscribeNewHeads');
    await node.close();
    expect(await socket.closed).toMatchObject({ code: 1001, reason: expect.stringMatching(/./) });
  });
});
