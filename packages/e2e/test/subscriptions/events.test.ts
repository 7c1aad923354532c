// Subscriptions to events: live, and from a given block.

import { ERRORS } from '@starkbox/spec';
import type { Notification, Socket } from '@starkbox/test-support';
import { contract, ETH, hex, STRK, selector } from '@starkbox/test-support/signing';
import { digest } from '@starkbox/test-support/subscriptions/digest';
import { type Audience, gather, results } from '@starkbox/test-support/subscriptions/subscribers';
import { describe, expect, test } from 'vitest';

const DEMAND = { blockGenerationOn: 'demand' } as const;
const TRANSFER = selector('Transfer');

const emitter = await contract('emitter');

/** Emits one event with exactly these keys and data. */
const emitting = (to: string, keys: readonly string[], data: readonly string[] = []) => ({
  to,
  name: 'emit_raw',
  calldata: [hex(keys.length), ...keys, hex(data.length), ...data],
});

/** The events that reads find, in the form of notifications. */
async function eventsOfBlock(
  { client }: Audience,
  block_number: number,
): Promise<readonly object[]> {
  const [from_block, to_block] = [{ block_number }, { block_number }];
  const filter = { from_block, to_block, chunk_size: 100 };
  const { events } = await client.call('starknet_getEvents', [filter]);
  return events.map((event) => ({ ...event, finality_status: 'ACCEPTED_ON_L2' }));
}

/** The first key of each event. */
const keysOf = (notifications: readonly Notification[]): readonly unknown[] =>
  results(notifications).map((result) => Reflect.get(Object(result), 'keys')[0]);

const events = (socket: Socket, params?: unknown): Promise<string> =>
  socket.subscribe('starknet_subscribeEvents', params);

describe('live', () => {
  test('subscriptions.3a without parameters all of them, until unsubscribed', async () => {
    const audience = await gather();
    const socket = await audience.connect();
    const subscription = await events(socket);
    const transaction_hash = await audience.transfer();
    const { block_hash, block_number } = await audience.client.call('starknet_blockHashAndNumber');
    const heard = await socket.heard();
    expect(results(heard)).toEqual(await eventsOfBlock(audience, 1));
    // The transfer, and the payment of the fee.
    expect(heard).toHaveLength(2);
    const [account] = audience.node.accounts;
    expect(heard[0]).toEqual({
      method: 'starknet_subscriptionEvents',
      subscription,
      result: {
        transaction_hash,
        transaction_index: 0,
        event_index: 0,
        block_hash,
        block_number,
        from_address: STRK,
        keys: [TRANSFER, account?.address, '0x2'],
        data: ['0x1', '0x0'],
        finality_status: 'ACCEPTED_ON_L2',
      },
    });
    await audience.transfer();
    expect(await socket.heard()).toHaveLength(2);
    await socket.unsubscribe(subscription);
    await audience.transfer();
    await socket.quiet();
  });

  test('subscriptions.3b of one contract, and of several', async () => {
    const audience = await gather();
    const emitterAddress = await audience.sender.deploy(emitter);
    const socket = await audience.connect();
    const single = await events(socket, { from_address: emitterAddress });
    const several = await events(socket, { from_address: [emitterAddress, ETH, '0x5'] });
    const other = await events(socket, { from_address: [ETH] });
    await socket.heard();
    const hash = await audience.sender.invoke([emitting(emitterAddress, ['0x7'])]);
    const heard = await socket.heard();
    expect(heard.map(({ subscription }) => subscription)).toEqual([single, several]);
    expect(digest(heard, { hash })).toEqual([
      'event hash/0 ACCEPTED_ON_L2',
      'event hash/0 ACCEPTED_ON_L2',
    ]);
    await audience.sender.invoke([{ to: ETH, name: 'transfer', calldata: ['0x2', '0x1', '0x0'] }]);
    const ids = (await socket.heard()).map(({ subscription }) => subscription);
    expect(ids).toEqual([several, other]);
  });

  test('subscriptions.3b an empty list of contracts is none', async () => {
    const { connect, transfer } = await gather();
    const socket = await connect();
    await events(socket, { from_address: [] });
    await transfer();
    await socket.quiet();
  });

  test('subscriptions.3b addresses in any spelling', async () => {
    const { connect, transfer } = await gather();
    const socket = await connect();
    const padded = `0x${STRK.slice(2).padStart(64, '0').toUpperCase()}`;
    await events(socket, { from_address: padded });
    await events(socket, { from_address: [padded] });
    await transfer();
    expect(await socket.heard()).toHaveLength(4);
  });

  test('subscriptions.3c by keys at their positions', async () => {
    const { connect, sender } = await gather();
    const address = await sender.deploy(emitter);
    const socket = await connect();
    const filters: readonly [readonly (readonly string[])[], readonly string[]][] = [
      [[], ['0x1', '0x2', '0x3', '0x4']],
      [[[]], ['0x1', '0x2', '0x3', '0x4']],
      [[['0x1']], ['0x1']],
      [[['0x1', '0x3']], ['0x1', '0x3']],
      [
        [[], ['0xa']],
        ['0x1', '0x2'],
      ],
      [[['0x2'], ['0xa']], ['0x2']],
      [[['0x3'], ['0xa']], []],
      [[[], [], ['0xc']], ['0x2']],
      [
        [[], []],
        ['0x1', '0x2', '0x3', '0x4'],
      ],
    ];
    const ids: string[] = [];
    for (const [keys] of filters) ids.push(await events(socket, { from_address: address, keys }));
    await socket.heard();
    await sender.invoke([
      emitting(address, ['0x1', '0xa']),
      emitting(address, ['0x2', '0xa', '0xc']),
      emitting(address, ['0x3', '0xb']),
      emitting(address, ['0x4']),
    ]);
    const heard = await socket.heard();
    for (const [index, [keys, expected]] of filters.entries()) {
      const notifications = heard.filter(({ subscription }) => subscription === ids[index]);
      expect(keysOf(notifications), JSON.stringify(keys)).toEqual(expected);
    }
  });

  test('subscriptions.3e pre-confirmed ones once, when they happen', async () => {
    const { connect, transfer, block } = await gather(DEMAND);
    const socket = await connect();
    await events(socket, { finality_status: 'PRE_CONFIRMED' });
    await socket.quiet();
    const hash = await transfer();
    const heard = await socket.heard();
    expect(digest(heard, { hash })).toEqual([
      'event hash/0 PRE_CONFIRMED',
      'event hash/1 PRE_CONFIRMED',
    ]);
    for (const result of results(heard)) {
      expect(result).not.toHaveProperty('block_hash');
      expect(result).not.toHaveProperty('block_number');
    }
    await block();
    await socket.quiet();
  });

  test('subscriptions.3e the second transaction of a block has its own events only', async () => {
    const { connect, transfer, mint } = await gather(DEMAND);
    const socket = await connect();
    await events(socket, { finality_status: 'PRE_CONFIRMED' });
    await transfer();
    await socket.heard();
    const hash = await mint();
    const heard = await socket.heard();
    expect(digest(heard, { hash })).toEqual([
      'event hash/0 PRE_CONFIRMED',
      'event hash/1 PRE_CONFIRMED',
    ]);
    expect(results(heard)).toMatchObject([{ transaction_index: 1 }, { transaction_index: 1 }]);
  });

  test.each([
    ['said', { finality_status: 'ACCEPTED_ON_L2' }],
    ['not said', {}],
  ])('subscriptions.3f accepted ones once, when their block is made; %s', async (_, params) => {
    const audience = await gather(DEMAND);
    const socket = await audience.connect();
    await events(socket, params);
    await audience.transfer();
    await audience.mint();
    await socket.quiet();
    await audience.block();
    expect(results(await socket.heard())).toEqual(await eventsOfBlock(audience, 1));
    await audience.block();
    await socket.quiet();
  });

  test('notifications.14 with a block per transaction there are no pre-confirmed ones', async () => {
    const { connect, transfer } = await gather();
    const socket = await connect();
    await events(socket, { finality_status: 'PRE_CONFIRMED' });
    await transfer();
    await socket.quiet();
  });
});

describe('from a block on', () => {
  test.each([
    ['no parameters', undefined],
    ['null', null],
    ['an empty object', {}],
    ['the tag', { block_id: 'latest' }],
  ])('subscriptions.3d those of the latest block come at once, with %s', async (_, params) => {
    const audience = await gather();
    await audience.mint();
    await audience.transfer();
    const socket = await audience.connect();
    await events(socket, params);
    expect(results(await socket.heard())).toEqual(await eventsOfBlock(audience, 2));
    await audience.mint();
    expect(results(await socket.heard())).toEqual(await eventsOfBlock(audience, 3));
  });

  test('subscriptions.3d on demand, pending ones are not among them', async () => {
    const audience = await gather(DEMAND);
    await audience.mint();
    await audience.block();
    await audience.transfer();
    const socket = await audience.connect();
    await events(socket);
    expect(results(await socket.heard())).toEqual(await eventsOfBlock(audience, 1));
    await audience.block();
    expect(results(await socket.heard())).toEqual(await eventsOfBlock(audience, 2));
  });

  test('subscriptions.3g old ones come in their order, then the new', async () => {
    const audience = await gather();
    await audience.mint();
    await audience.transfer();
    const block_hash = await audience.block();
    await audience.mint();
    const [first, second, fourth] = [
      await eventsOfBlock(audience, 1),
      await eventsOfBlock(audience, 2),
      await eventsOfBlock(audience, 4),
    ];
    const socket = await audience.connect();
    await events(socket, { block_id: { block_number: 0 } });
    expect(results(await socket.heard())).toEqual([...first, ...second, ...fourth]);
    await events(socket, { block_id: { block_number: 2 } });
    expect(results(await socket.heard())).toEqual([...second, ...fourth]);
    await events(socket, { block_id: { block_hash } });
    expect(results(await socket.heard())).toEqual(fourth);
    await audience.transfer();
    expect(results(await socket.heard())).toHaveLength(3 * 2);
  });

  test('subscriptions.3g old ones by contract and key', async () => {
    const { connect, sender, mint } = await gather();
    const address = await sender.deploy(emitter);
    await sender.invoke([emitting(address, ['0x1', '0xa']), emitting(address, ['0x2', '0xa'])]);
    await mint();
    await sender.invoke([emitting(address, ['0x1', '0xb']), emitting(address, ['0x3', '0xa'])]);
    const socket = await connect();
    const block_id = { block_number: 0 };
    const heardKeys = async (filter: object): Promise<readonly unknown[]> => {
      await events(socket, { block_id, ...filter });
      return keysOf(await socket.heard());
    };
    expect(await heardKeys({ from_address: address })).toEqual(['0x1', '0x2', '0x1', '0x3']);
    expect(await heardKeys({ from_address: [address, ETH] })).toEqual(['0x1', '0x2', '0x1', '0x3']);
    expect(await heardKeys({ keys: [['0x1']] })).toEqual(['0x1', '0x1']);
    expect(await heardKeys({ keys: [[], ['0xa']] })).toEqual(['0x1', '0x2', '0x3']);
    expect(await heardKeys({ from_address: ETH, keys: [['0x1']] })).toEqual([]);
    expect(await heardKeys({ from_address: [] })).toEqual([]);
  });

  test('subscriptions.3h those before the start are not notified', async () => {
    const { connect, mint, block } = await gather();
    await mint();
    await block();
    const socket = await connect();
    await events(socket, { block_id: { block_number: 2 } });
    await events(socket, { block_id: 'latest' });
    await socket.quiet();
  });

  test('notifications.13 a higher finality satisfies the requested one', async () => {
    const { connect, client, mint, transfer, block } = await gather(DEMAND);
    const accepted = await mint();
    await block();
    await client.call('devnet_acceptOnL1', { starting_block_id: 'latest' });
    const sealed = await mint();
    await block();
    const waiting = await transfer();
    const names = { accepted, sealed, waiting };
    const block_id = { block_number: 0 };
    const heardLines = async (finality_status: string): Promise<readonly string[]> => {
      const socket = await connect();
      await events(socket, { block_id, finality_status });
      return digest(await socket.heard(), names);
    };
    const lines = (names: readonly string[], finality: string): readonly string[] =>
      names.flatMap((name) => [`event ${name}/0 ${finality}`, `event ${name}/1 ${finality}`]);
    expect(await heardLines('PRE_CONFIRMED')).toEqual(
      lines(['accepted', 'sealed', 'waiting'], 'PRE_CONFIRMED'),
    );
    expect(await heardLines('ACCEPTED_ON_L2')).toEqual(
      lines(['accepted', 'sealed'], 'ACCEPTED_ON_L2'),
    );
    expect(await heardLines('ACCEPTED_ON_L1')).toEqual(lines(['accepted'], 'ACCEPTED_ON_L1'));
  });

  test('notifications.13 pending ones come with the latest block, once', async () => {
    const { connect, mint, transfer, block } = await gather(DEMAND);
    const old = await mint();
    await block();
    const waiting = await transfer();
    const socket = await connect();
    await events(socket, { finality_status: 'PRE_CONFIRMED' });
    expect(digest(await socket.heard(), { old, waiting })).toEqual([
      'event old/0 PRE_CONFIRMED',
      'event old/1 PRE_CONFIRMED',
      'event waiting/0 PRE_CONFIRMED',
      'event waiting/1 PRE_CONFIRMED',
    ]);
    await block();
    await socket.quiet();
  });
});

test('notifications.12 invalid parameters are refused', async () => {
  const { connect, transfer } = await gather();
  const socket = await connect();
  for (const params of [
    { finality_status: 'NONSENSE' },
    { finality_status: ['ACCEPTED_ON_L2'] },
    { keys: 'x' },
    { keys: ['0x1'] },
    { from_address: 'zz' },
    { from_address: [['0x1']] },
    { unknown: 1 },
  ]) {
    const { code } = await socket.failure('starknet_subscribeEvents', params);
    expect(code, JSON.stringify(params)).toBe(ERRORS.INVALID_PARAMS.code);
  }
  await transfer();
  await socket.quiet();
});
