// Limits of one client, and clients that do not read.

import { ERRORS } from '@starkbox/spec';
import { digest } from '@starkbox/test-support/subscriptions/digest';
import { gather } from '@starkbox/test-support/subscriptions/subscribers';
import { describe, expect, test } from 'vitest';

const MAX_SUBSCRIPTIONS = 1024;

const addresses = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `0x${(index + 1).toString(16)}`);

describe('filters', () => {
  test('too many addresses', async () => {
    const { connect, transfer } = await gather();
    const socket = await connect();
    for (const method of [
      'starknet_subscribeNewTransactions',
      'starknet_subscribeNewTransactionReceipts',
    ] as const) {
      const refused = await socket.failure(method, { sender_address: addresses(1025) });
      expect(refused.code, method).toBe(ERRORS.TOO_MANY_ADDRESSES_IN_FILTER.code);
      await socket.subscribe(method, { sender_address: addresses(1024) });
    }
    await transfer();
    await socket.quiet();
  });

  test('too many contracts whose events are wanted', async () => {
    const { connect } = await gather();
    const socket = await connect();
    const refused = await socket.failure('starknet_subscribeEvents', {
      from_address: addresses(1025),
    });
    // The specification has a code for senders alone.
    expect(refused.code).toBe(ERRORS.INVALID_PARAMS.code);
    await socket.subscribe('starknet_subscribeEvents', { from_address: addresses(1024) });
  });

  test('too many keys, whatever their positions', async () => {
    const { connect } = await gather();
    const socket = await connect();
    for (const keys of [[addresses(1025)], [addresses(513), [], addresses(512)]]) {
      expect((await socket.failure('starknet_subscribeEvents', { keys })).code).toBe(
        ERRORS.TOO_MANY_KEYS_IN_FILTER.code,
      );
    }
    await socket.subscribe('starknet_subscribeEvents', {
      keys: [addresses(512), [], addresses(512)],
    });
  });
});

describe('subscriptions', () => {
  test('too many on one socket', async () => {
    const { connect, block } = await gather();
    const [full, other] = [await connect(), await connect()];
    const ids = [await full.subscribe('starknet_subscribeNewHeads')];
    while (ids.length < MAX_SUBSCRIPTIONS)
      ids.push(await full.subscribe('starknet_subscribeEvents'));
    const refused = await full.failure('starknet_subscribeNewHeads');
    expect(refused.code).toBe(-1);
    expect(refused.message).toContain('1024 subscriptions');
    await other.subscribe('starknet_subscribeNewHeads');
    await full.unsubscribe(String(ids[1]));
    await full.subscribe('starknet_subscribeNewTransactions');
    await block();
    expect(digest(await full.heard())).toEqual(['head 1']);
    expect(digest(await other.heard())).toEqual(['head 1']);
  });

  test('too many at once', async () => {
    const { connect } = await gather();
    const socket = await connect();
    const subscribing = Array.from({ length: MAX_SUBSCRIPTIONS + 7 }, () =>
      socket.subscribe('starknet_subscribeNewHeads'),
    );
    const settled = await Promise.allSettled(subscribing);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_SUBSCRIPTIONS);
  });
});

describe('a client that does not read', () => {
  test('additions.7c that soon continues misses nothing', async () => {
    const { connect, block } = await gather();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeNewHeads');
    socket.pause();
    const numbers: Promise<number>[] = [];
    const expectedHeads: string[] = [];
    for (let number = 1; number <= 40; number += 1) {
      await block();
      expectedHeads.push(`head ${number}`);
      numbers.push(socket.call('starknet_blockNumber'));
    }
    socket.resume();
    await Promise.all(numbers);
    expect(digest(await socket.heard())).toEqual(expectedHeads);
  });

  test('additions.7c a long past goes to one that reads', async () => {
    const { connect, block } = await gather({ liteMode: true });
    for (let number = 1; number <= 100; number += 1) await block();
    const socket = await connect();
    await socket.subscribe('starknet_subscribeNewHeads', { block_id: { block_number: 1 } });
    expect(await socket.heard()).toHaveLength(100);
  });
});

test('a message that is too long', async () => {
  const { connect, block } = await gather({ requestBodySizeLimit: 1000 });
  const [long, other] = [await connect(), await connect()];
  await other.subscribe('starknet_subscribeNewHeads');
  long.send(' '.repeat(1001));
  expect((await long.closed).code).toBe(1009);
  await block();
  expect(digest(await other.heard())).toEqual(['head 1']);
});
