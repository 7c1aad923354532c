// Subscriptions to new heads.
import { ERRORS } from '@starkbox/spec';
import { digest } from '@starkbox/test-support/subscriptions/digest';
import { type Audience, gather, results } from '@starkbox/test-support/subscriptions/subscribers';
import { describe, expect, test, vi } from 'vitest';

/** The header of a block, as a read of the block gives it. */
async function header({ client }: Audience, block_number: number): Promise<object> {
  const block = await client.call('starknet_getBlockWithTxHashes', [{ block_number }]);
  const { status: _, transactions: __, ...header } = { status: undefined, ...block };
  return header;
}

describe('live', () => {
  test('subscriptions.1a every block is notified once, with its whole header', async () => {
    const audience = await gather();
    const socket = await audience.connect();
    const subscription = await socket.subscribe('starknet_subscribeNewHeads');
    await audience.transfer();
    await audience.block();
    await audience.mint();
    const method = 'starknet_subscriptionNewHeads';
    expect(await socket.heard()).toEqual([
      { method, subscription, result: await header(audience, 1) },
      { method, subscription, result: await header(audience, 2) },
      { method, subscription, result: await header(audience, 3) },
    ]);
  });

  test('subscriptions.1a in lite mode as well', async () => {
    const audience = await gather({ liteMode: true });
    const socket = await audience.connect();
    await socket.subscribe('starknet_subscribeNewHeads');
    await audience.transfer();
    expect(results(await socket.heard())).toEqual([await header(audience, 1)]);
  });

  test('subscriptions.1a a change by the same socket is notified before its answer', async () => {
    const { connect } = await gather();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeNewHeads');
    const { block_hash } = await socket.call('devnet_createBlock');
    expect(socket.unread()).toMatchObject([{ result: { block_number: 1, block_hash } }]);
    await socket.quiet();
  });

  test('subscriptions.1b a socket without subscriptions receives nothing', async () => {
    const { connect, block } = await gather();
    const [silent, subscribed] = [await connect(), await connect()];
    await subscribed.subscribe('starknet_subscribeNewHeads');
    await block();
    expect(digest(await subscribed.heard())).toEqual(['head 1']);
    await silent.quiet();
  });

  test('subscriptions.1c five subscribers, each under an id of its own', async () => {
    const { connect, block } = await gather();
    const sockets = await Promise.all(Array.from({ length: 5 }, connect));
    const ids = await Promise.all(
      sockets.map((socket) => socket.subscribe('starknet_subscribeNewHeads')),
    );
    expect(new Set(ids).size).toBe(5);
    for (const id of ids) expect(id).toMatch(/^\d{1,20}$/);
    const block_hash = await block();
    for (const [index, socket] of sockets.entries()) {
      expect(await socket.heard()).toMatchObject([
        { subscription: ids[index], result: { block_hash } },
      ]);
    }
  });

  test('subscriptions.1c several of one socket are independent', async () => {
    const { connect, block } = await gather();
    const socket = await connect();
    const ids = [
      await socket.subscribe('starknet_subscribeNewHeads'),
      await socket.subscribe('starknet_subscribeNewHeads'),
      await socket.subscribe('starknet_subscribeNewHeads'),
    ];
    await block();
    const heard = await socket.heard();
    expect(heard.map(({ subscription }) => subscription).sort()).toEqual(ids.sort());
  });

  test('subscriptions.1f one of many unsubscribes', async () => {
    const { connect, block } = await gather();
    const [leaving, staying] = [await connect(), await connect()];
    const id = await leaving.subscribe('starknet_subscribeNewHeads');
    const stayingId = await leaving.subscribe('starknet_subscribeNewHeads');
    await staying.subscribe('starknet_subscribeNewHeads');
    await block();
    expect(await leaving.heard()).toHaveLength(2);
    await leaving.unsubscribe(id);
    await block();
    expect(await leaving.heard()).toMatchObject([{ subscription: stayingId }]);
    expect(digest(await staying.heard())).toEqual(['head 1', 'head 2']);
  });

  test('subscriptions.1g an id is valid once, and on its own socket only', async () => {
    const { connect, block } = await gather();
    const [socket, otherSocket] = [await connect(), await connect()];
    const id = await socket.subscribe('starknet_subscribeNewHeads');
    for (const wrong of ['0', '123', '', 'abc', `${id}0`]) {
      const refused = await socket.failure('starknet_unsubscribe', { subscription_id: wrong });
      expect(refused.code, wrong).toBe(ERRORS.INVALID_SUBSCRIPTION_ID.code);
    }
    expect((await otherSocket.failure('starknet_unsubscribe', [id])).code).toBe(
      ERRORS.INVALID_SUBSCRIPTION_ID.code,
    );
    await block();
    expect(await socket.heard()).toHaveLength(1);
    await socket.unsubscribe(id);
    expect((await socket.failure('starknet_unsubscribe', [id])).code).toBe(
      ERRORS.INVALID_SUBSCRIPTION_ID.code,
    );
  });

  test('subscriptions.1h reads cause no notification', async () => {
    const { connect, client, node, block } = await gather();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeNewHeads');
    await client.call('starknet_getBlockWithTxs', ['latest']);
    await client.call('starknet_getBlockWithTxs', ['pre_confirmed']);
    await client.call('starknet_getNonce', ['latest', node.accounts[0]?.address]);
    await client.call('starknet_getEvents', [{ chunk_size: 10 }]);
    await client.call('devnet_getStatus');
    await socket.call('devnet_getAccountBalance', { address: '0x1' });
    await socket.quiet();
    await block();
    expect(digest(await socket.heard())).toEqual(['head 1']);
  });

  test('subscriptions.1i on demand, nothing before the block', async () => {
    const { connect, mint, transfer, block } = await gather({ blockGenerationOn: 'demand' });
    const socket = await connect();
    await socket.subscribe('starknet_subscribeNewHeads');
    await mint();
    await transfer();
    await socket.quiet();
    const block_hash = await block();
    expect(results(await socket.heard())).toMatchObject([
      { block_number: 1, block_hash, transaction_count: 2 },
    ]);
  });

  test('subscriptions.1j by the timer', async () => {
    const audience = await gather({ blockGenerationOn: 1 });
    const socket = await audience.connect();
    await socket.subscribe('starknet_subscribeNewHeads');
    await audience.mint();
    await socket.quiet();
    const { result } = await socket.next();
    expect(result).toEqual(await header(audience, 1));
    expect(result).toMatchObject({ transaction_count: 1 });
  });

  test('subscriptions.1j as often as the timer fires', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const { connect } = await gather({ blockGenerationOn: 5 });
      const socket = await connect();
      await socket.subscribe('starknet_subscribeNewHeads');
      vi.advanceTimersByTime(4_999);
      await socket.quiet();
      vi.advanceTimersByTime(1);
      expect(digest([await socket.next()])).toEqual(['head 1']);
      for (const block of [2, 3]) {
        vi.advanceTimersByTime(5_000);
        expect(digest([await socket.next()])).toEqual([`head ${block}`]);
      }
      await socket.quiet();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('from a block on', () => {
  test('subscriptions.1d by number, with that block', async () => {
    const audience = await gather();
    await audience.block();
    await audience.mint();
    await audience.block();
    const socket = await audience.connect();
    const block_id = { block_number: 1 };
    await socket.subscribe('starknet_subscribeNewHeads', { block_id });
    expect(results(await socket.heard())).toEqual([
      await header(audience, 1),
      await header(audience, 2),
      await header(audience, 3),
    ]);
    await audience.block();
    expect(digest(await socket.heard())).toEqual(['head 4']);
  });

  test('subscriptions.1d by hash, with that block', async () => {
    const { connect, block } = await gather();
    await block();
    const block_hash = await block();
    await block();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeNewHeads', { block_id: { block_hash } });
    expect(digest(await socket.heard())).toEqual(['head 2', 'head 3']);
    await block();
    expect(digest(await socket.heard())).toEqual(['head 4']);
  });

  test('subscriptions.1d genesis, and the latest by its number', async () => {
    const { connect, block } = await gather();
    await block();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeNewHeads', { block_id: { block_number: 0 } });
    expect(digest(await socket.heard())).toEqual(['head 0', 'head 1']);
    const other = await connect();
    await other.subscribe('starknet_subscribeNewHeads', { block_id: { block_number: 1 } });
    expect(digest(await other.heard())).toEqual(['head 1']);
  });

  test.each([
    ['no parameters', undefined],
    ['null', null],
    ['an empty object', {}],
    ['an empty list', []],
    ['the tag', { block_id: 'latest' }],
    ['the tag by position', ['latest']],
  ])('subscriptions.1e only what is new, with %s', async (_, params) => {
    const { connect, block } = await gather();
    await block();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeNewHeads', params);
    await socket.quiet();
    await block();
    expect(digest(await socket.heard())).toEqual(['head 2']);
  });

  test('subscriptions.1l at most 1024 blocks back', async () => {
    const { connect, block } = await gather({ liteMode: true });
    for (let number = 1; number <= 1025; number += 1) await block();
    const socket = await connect();
    for (const method of ['starknet_subscribeNewHeads', 'starknet_subscribeEvents'] as const) {
      const refused = await socket.failure(method, { block_id: { block_number: 0 } });
      expect(refused.code, method).toBe(ERRORS.TOO_MANY_BLOCKS_BACK.code);
    }
    await socket.subscribe('starknet_subscribeEvents', { block_id: { block_number: 1 } });
    await socket.subscribe('starknet_subscribeNewHeads', { block_id: { block_number: 1 } });
    const numbers = Array.from({ length: 1025 }, (_, index) => `head ${index + 1}`);
    expect(digest(await socket.heard())).toEqual(numbers);
  });

  test('a block that is made during a subscribe call is notified once', async () => {
    const { connect, client } = await gather();
    const socket = await connect();
    const blocks = Array.from({ length: 20 }, () => client.call('devnet_createBlock'));
    const subscribing = Array.from({ length: 5 }, () =>
      socket.subscribe('starknet_subscribeNewHeads', { block_id: { block_number: 0 } }),
    );
    const ids = await Promise.all(subscribing);
    await Promise.all(blocks);
    const heard = await socket.heard();
    const all = Array.from({ length: 21 }, (_, number) => `head ${number}`);
    for (const id of ids) {
      expect(digest(heard.filter(({ subscription }) => subscription === id))).toEqual(all);
    }
  });
});

describe('invalid first blocks', () => {
  const METHODS = ['starknet_subscribeNewHeads', 'starknet_subscribeEvents'] as const;

  test('websocket.2a unknown and aborted ones', async () => {
    const { connect, client, block } = await gather();
    const socket = await connect();
    const aborted = await block();
    await client.call('devnet_abortBlocks', { starting_block_id: 'latest' });
    for (const method of METHODS) {
      for (const block_id of [
        { block_number: 1 },
        { block_number: 1000 },
        { block_hash: '0xdead' },
        { block_hash: aborted },
      ]) {
        const { code } = await socket.failure(method, { block_id });
        expect(code, JSON.stringify(block_id)).toBe(ERRORS.BLOCK_NOT_FOUND.code);
      }
    }
    // No subscription was made.
    await block();
    await socket.quiet();
  });

  test('websocket.2b what is under construction, and the newest that L1 has', async () => {
    const { connect, client, block } = await gather();
    const socket = await connect();
    await client.call('devnet_acceptOnL1', { starting_block_id: 'latest' });
    for (const method of METHODS) {
      for (const block_id of ['pre_confirmed', 'l1_accepted']) {
        const { code, message } = await socket.failure(method, { block_id });
        expect({ code, message }).toEqual({
          code: ERRORS.INVALID_PARAMS.code,
          message: `Subscription block cannot be '${block_id}'`,
        });
      }
    }
    await block();
    await socket.quiet();
  });

  test('websocket.2b invalid values', async () => {
    const { connect, block } = await gather();
    const socket = await connect();
    for (const method of METHODS) {
      for (const block_id of ['0x1', 1, 'pending', {}, { block_number: -1 }, { block_hash: 'x' }]) {
        const { code } = await socket.failure(method, { block_id });
        expect(code, JSON.stringify(block_id)).toBe(ERRORS.INVALID_PARAMS.code);
      }
    }
    await block();
    await socket.quiet();
  });
});
