// Reorg notifications to every kind of subscription.

import { ERRORS } from '@starkbox/spec';
import type { Socket, SubscribeMethod } from '@starkbox/test-support';
import { digest, type Names } from '@starkbox/test-support/subscriptions/digest';
import { type Audience, gather } from '@starkbox/test-support/subscriptions/subscribers';
import { describe, expect, test } from 'vitest';

/** Every kind of subscription, with the status of one transaction. */
const KINDS: readonly (readonly [SubscribeMethod, unknown])[] = [
  ['starknet_subscribeNewHeads', {}],
  ['starknet_subscribeEvents', { from_address: '0x5' }],
  ['starknet_subscribeTransactionStatus', { transaction_hash: '0x5' }],
  ['starknet_subscribeNewTransactions', {}],
  ['starknet_subscribeNewTransactionReceipts', {}],
];

const LATEST = { starting_block_id: 'latest' };

describe('after an abort', () => {
  test('websocket.3a every kind of subscription receives the removed range once', async () => {
    const { connect, client, mint, block } = await gather();
    await mint();
    await mint();
    const { block_hash: first } = await client.call('starknet_blockHashAndNumber');
    const last = await block();
    for (const [method, params] of KINDS) {
      const socket = await connect();
      const subscription = await socket.subscribe(method, params);
      await socket.quiet();
      const id = await client.call('devnet_snapshot');
      await client.call('devnet_abortBlocks', { starting_block_id: { block_number: 2 } });
      expect(await socket.heard(), method).toEqual([
        {
          method: 'starknet_subscriptionReorg',
          subscription,
          result: {
            starting_block_hash: first,
            starting_block_number: 2,
            ending_block_hash: last,
            ending_block_number: 3,
          },
        },
      ]);
      await socket.unsubscribe(subscription);
      await client.call('devnet_revert', { snapshot_id: id });
    }
  });

  test('websocket.3a of one block, first and last are the same', async () => {
    const { connect, client, block } = await gather();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeNewHeads');
    const hash = await block();
    await client.call('devnet_abortBlocks', { starting_block_id: { block_hash: hash } });
    expect(await socket.heard()).toMatchObject([
      { result: { block_hash: hash } },
      {
        result: {
          starting_block_hash: hash,
          starting_block_number: 1,
          ending_block_hash: hash,
          ending_block_number: 1,
        },
      },
    ]);
  });

  test('websocket.3a the reorg is notified before the abort is answered', async () => {
    const { connect, block } = await gather();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeNewHeads');
    await block();
    await socket.heard();
    await socket.call('devnet_abortBlocks', LATEST);
    expect(digest(socket.unread())).toEqual(['reorg 1-1']);
  });

  test('websocket.3b ended subscriptions receive nothing', async () => {
    const { connect, client, block } = await gather();
    const [gone, subscribed] = [await connect(), await connect()];
    for (const [method, params] of KINDS) {
      await gone.unsubscribe(await gone.subscribe(method, params));
    }
    await subscribed.subscribe('starknet_subscribeNewHeads');
    await block();
    await client.call('devnet_abortBlocks', LATEST);
    await gone.quiet();
    expect(digest(await subscribed.heard())).toEqual(['head 1', 'reorg 1-1']);
  });

  test('websocket.3c a socket receives it once for each of its subscriptions', async () => {
    const { connect, client, block } = await gather();
    const socket = await connect();
    const ids: string[] = [];
    for (const [method, params] of [...KINDS, ...KINDS]) {
      ids.push(await socket.subscribe(method, params));
    }
    await block();
    await socket.heard();
    await client.call('devnet_abortBlocks', LATEST);
    const heard = await socket.heard();
    expect(new Set(digest(heard))).toEqual(new Set(['reorg 1-1']));
    expect(heard.map(({ subscription }) => subscription).sort()).toEqual(ids.sort());
  });

  test('order.4 later blocks are notified, also those with the same number', async () => {
    const { connect, client, block, mint } = await gather();
    await mint();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeNewHeads');
    await socket.subscribe('starknet_subscribeNewTransactions');
    await client.call('devnet_abortBlocks', LATEST);
    await block();
    const hash = await mint();
    expect(digest(await socket.heard(), { hash })).toEqual([
      'reorg 1-1',
      'reorg 1-1',
      'head 1',
      'head 2',
      'transaction hash ACCEPTED_ON_L2',
    ]);
  });

  test('order.4 pending transactions are removed with the blocks before them', async () => {
    const { connect, client, mint, block } = await gather({ blockGenerationOn: 'demand' });
    await block();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeNewTransactions', { finality_status: [] });
    const hash = await mint();
    await client.call('devnet_abortBlocks', LATEST);
    await block();
    expect(digest(await socket.heard(), { hash })).toEqual([
      'transaction hash PRE_CONFIRMED',
      'reorg 1-1',
    ]);
  });

  test('order.5b an aborted pending block: no reorg to subscriptions without it', async () => {
    const { connect, client, mint, block } = await gather({ blockGenerationOn: 'demand' });
    await mint();
    const socket = await connect();
    for (const [method, params] of KINDS) await socket.subscribe(method, params);
    await socket.subscribe('starknet_subscribeNewTransactions', {
      finality_status: ['PRE_CONFIRMED'],
      sender_address: ['0x5'],
    });
    await client.call('devnet_abortBlocks', { starting_block_id: 'pre_confirmed' });
    await socket.quiet();
    await block();
    expect(digest(await socket.heard())).toEqual(['head 1']);
  });

  test('order.5b an aborted pending block: a reorg to subscriptions to its contents', async () => {
    const { connect, client, mint, block } = await gather({ blockGenerationOn: 'demand' });
    const minted = await mint();
    await block();
    const socket = await connect();
    const subscriptionIds = [
      await socket.subscribe('starknet_subscribeNewTransactions', { finality_status: [] }),
      await socket.subscribe('starknet_subscribeNewTransactionReceipts', {
        finality_status: ['PRE_CONFIRMED'],
      }),
      await socket.subscribe('starknet_subscribeEvents', { finality_status: 'PRE_CONFIRMED' }),
    ];
    const gone = await mint();
    subscriptionIds.push(await socket.subscribe('starknet_subscribeTransactionStatus', [gone]));
    await socket.subscribe('starknet_subscribeTransactionStatus', [minted]);
    await socket.subscribe('starknet_subscribeNewHeads');
    await socket.heard();
    await client.call('devnet_abortBlocks', { starting_block_id: 'pre_confirmed' });
    expect((await client.failure('starknet_getTransactionStatus', [gone])).code).toBe(
      ERRORS.TXN_HASH_NOT_FOUND.code,
    );
    const heard = await socket.heard();
    expect(new Set(heard.map(({ method }) => method))).toEqual(
      new Set(['starknet_subscriptionReorg']),
    );
    expect(heard.map(({ subscription }) => subscription).sort()).toEqual(subscriptionIds.sort());
    for (const { result } of heard) {
      expect(result).toEqual({
        starting_block_hash: '0x0',
        starting_block_number: 2,
        ending_block_hash: '0x0',
        ending_block_number: 2,
      });
    }
    await block();
    expect(digest(await socket.heard())).toEqual(['head 2']);
  });

  test('order.5b a refused abort is not notified', async () => {
    const { connect, client, block } = await gather();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeNewHeads');
    for (const starting_block_id of [{ block_number: 0 }, { block_number: 5 }, 'latest']) {
      const { code } = await client.failure('devnet_abortBlocks', { starting_block_id });
      expect(code).toBe(-1);
    }
    await block();
    expect(digest(await socket.heard())).toEqual(['head 1']);
  });
});

describe('after a revert, subscriptions to what is pre-confirmed', () => {
  const PRE_CONFIRMED = { finality_status: ['PRE_CONFIRMED'] };
  /** One socket for each subscription, so that each order is its own. */
  async function subscribed(audience: Audience): Promise<readonly Socket[]> {
    const [transactions, receipts, events] = [
      await audience.connect(),
      await audience.connect(),
      await audience.connect(),
    ];
    await transactions.subscribe('starknet_subscribeNewTransactions', PRE_CONFIRMED);
    await receipts.subscribe('starknet_subscribeNewTransactionReceipts', PRE_CONFIRMED);
    await events.subscribe('starknet_subscribeEvents', { finality_status: 'PRE_CONFIRMED' });
    for (const socket of [transactions, receipts, events]) await socket.heard();
    return [transactions, receipts, events];
  }
  const heardBy = (sockets: readonly Socket[], names: Names) =>
    Promise.all(sockets.map(async (socket) => digest(await socket.heard(), names)));
  const restored = [
    ['transaction a PRE_CONFIRMED'],
    ['receipt a PRE_CONFIRMED'],
    ['event a/0 PRE_CONFIRMED', 'event a/1 PRE_CONFIRMED'],
  ];

  test('hear again of a transaction that was dropped, once', async () => {
    const audience = await gather({ blockGenerationOn: 'demand' });
    const a = await audience.mint();
    const id = await audience.client.call('devnet_snapshot');
    const sockets = await subscribed(audience);
    await audience.client.call('devnet_abortBlocks', { starting_block_id: 'pre_confirmed' });
    expect(await heardBy(sockets, { a })).toEqual([['reorg 1-1'], ['reorg 1-1'], ['reorg 1-1']]);
    await audience.client.call('devnet_revert', { snapshot_id: id });
    expect(await heardBy(sockets, { a })).toEqual(restored);
    await audience.block();
    expect(await heardBy(sockets, { a })).toEqual([[], [], []]);
  });

  test('hear again of a transaction whose block was undone, after the reorg', async () => {
    const audience = await gather({ blockGenerationOn: 'demand' });
    const a = await audience.mint();
    const id = await audience.client.call('devnet_snapshot');
    const sockets = await subscribed(audience);
    await audience.block();
    expect(await heardBy(sockets, { a })).toEqual([[], [], []]);
    await audience.client.call('devnet_revert', { snapshot_id: id });
    expect(await heardBy(sockets, { a })).toEqual(restored.map((lines) => ['reorg 1-1', ...lines]));
  });

  test('hear nothing of a transaction that stays pending', async () => {
    const audience = await gather({ blockGenerationOn: 'demand' });
    const a = await audience.mint();
    const id = await audience.client.call('devnet_snapshot');
    const sockets = await subscribed(audience);
    await audience.client.call('devnet_setTime', { time: 3e9, generate_block: false });
    await audience.client.call('devnet_revert', { snapshot_id: id });
    expect(await heardBy(sockets, { a })).toEqual([[], [], []]);
    const other = await audience.client.call('devnet_snapshot');
    const b = await audience.transfer();
    await heardBy(sockets, { a, b });
    await audience.client.call('devnet_revert', { snapshot_id: other });
    expect(await heardBy(sockets, { a, b })).toEqual([['reorg 1-1'], ['reorg 1-1'], ['reorg 1-1']]);
  });
});
