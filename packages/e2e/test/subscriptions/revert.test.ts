// Subscriptions across the restore of a snapshot.

import { ERRORS } from '@starkbox/spec';
import type { Socket } from '@starkbox/test-support';
import { digest } from '@starkbox/test-support/subscriptions/digest';
import { type Audience, gather } from '@starkbox/test-support/subscriptions/subscribers';
import { describe, expect, test } from 'vitest';

const DEMAND = { blockGenerationOn: 'demand' } as const;
const LATEST = { starting_block_id: 'latest' };

const snapshot = ({ client }: Audience): Promise<string> => client.call('devnet_snapshot');

async function revert({ client }: Audience, snapshot_id: string): Promise<void> {
  expect(await client.call('devnet_revert', { snapshot_id })).toBe(true);
}

/** Subscribes to everything, without a past. */
async function everything(socket: Socket, hashes: readonly string[]): Promise<void> {
  await socket.subscribe('starknet_subscribeNewHeads');
  await socket.subscribe('starknet_subscribeNewTransactions', { finality_status: [] });
  for (const hash of hashes) await socket.subscribe('starknet_subscribeTransactionStatus', [hash]);
  await socket.subscribe('starknet_subscribeNewTransactionReceipts', { finality_status: [] });
  await socket.subscribe('starknet_subscribeEvents');
  await socket.heard();
}

/** The number of reorgs that a socket receives: one for each of its subscriptions. */
const reorgs = (count: number, blocks: string): readonly string[] =>
  Array.from({ length: count }, () => `reorg ${blocks}`);

describe('blocks that came after the snapshot', () => {
  test('resets.7 are notified as a reorg, once per subscription', async () => {
    const audience = await gather();
    const minted = await audience.mint();
    const id = await snapshot(audience);
    const [first, undone] = [await audience.block(), await audience.mint()];
    const last = (await audience.client.call('starknet_blockHashAndNumber')).block_hash;
    const [detailSocket, headSocket] = [await audience.connect(), await audience.connect()];
    await everything(detailSocket, [minted, undone]);
    await headSocket.subscribe('starknet_subscribeNewHeads');
    await revert(audience, id);
    expect(await headSocket.heard()).toMatchObject([
      {
        result: {
          starting_block_hash: first,
          starting_block_number: 2,
          ending_block_hash: last,
          ending_block_number: 3,
        },
      },
    ]);
    expect(digest(await detailSocket.heard())).toEqual(reorgs(6, '2-3'));
  });

  test('resets.5 subscriptions stay', async () => {
    const audience = await gather();
    const socket = await audience.connect();
    const subscription = await socket.subscribe('starknet_subscribeNewHeads');
    const id = await snapshot(audience);
    await audience.block();
    await revert(audience, id);
    const block_hash = await audience.block();
    const heard = await socket.heard();
    expect(digest(heard)).toEqual(['head 1', 'reorg 1-1', 'head 1']);
    expect(heard[2]).toMatchObject({ subscription, result: { block_hash } });
  });

  test('resets.12 the reorg is notified before the revert is answered', async () => {
    const audience = await gather();
    const socket = await audience.connect();
    await socket.subscribe('starknet_subscribeNewHeads');
    const snapshot_id = await socket.call('devnet_snapshot');
    await socket.call('devnet_createBlock');
    expect(digest(socket.unread())).toEqual(['head 1']);
    await socket.call('devnet_revert', { snapshot_id });
    expect(digest(socket.unread())).toEqual(['reorg 1-1']);
    await socket.quiet();
  });
});

describe('no notification is sent', () => {
  test('resets.4 when a snapshot is taken', async () => {
    const audience = await gather();
    const hash = await audience.mint();
    const socket = await audience.connect();
    await everything(socket, [hash]);
    await snapshot(audience);
    await socket.quiet();
  });

  test('resets.5 when nothing has changed, or there is no such snapshot', async () => {
    const audience = await gather();
    const hash = await audience.mint();
    const socket = await audience.connect();
    await everything(socket, [hash]);
    const id = await snapshot(audience);
    await revert(audience, id);
    for (const snapshot_id of [id, '0x0', '0x77']) {
      expect(await audience.client.call('devnet_revert', { snapshot_id })).toBe(false);
    }
    await socket.quiet();
  });

  test('resets.8 of blocks that were undone and made again identically', async () => {
    const audience = await gather();
    const { client } = audience;
    await client.call('devnet_setTime', { time: 2_000_000_000, generate_block: false });
    const hash = await audience.mint();
    const { block_hash } = await client.call('starknet_blockHashAndNumber');
    const id = await snapshot(audience);
    await client.call('devnet_abortBlocks', LATEST);
    await client.call('devnet_setTime', { time: 2_000_000_000, generate_block: false });
    expect(await audience.mint()).toBe(hash);
    expect((await client.call('starknet_blockHashAndNumber')).block_hash).toBe(block_hash);

    const socket = await audience.connect();
    await everything(socket, [hash]);
    await revert(audience, id);
    await socket.quiet();
    expect(await client.call('starknet_getTransactionStatus', [hash])).toMatchObject({
      finality_status: 'ACCEPTED_ON_L2',
    });
  });
});

describe('acceptance on L1', () => {
  test('resets.8 is undone for subscribers to a transaction', async () => {
    const audience = await gather();
    const [old, latest] = [await audience.mint(), await audience.mint()];
    const id = await snapshot(audience);
    await audience.client.call('devnet_acceptOnL1', { starting_block_id: { block_number: 1 } });
    const socket = await audience.connect();
    await everything(socket, [old, latest]);
    await revert(audience, id);
    expect(digest(await socket.heard(), { old, latest })).toEqual(['status old ACCEPTED_ON_L2']);
  });

  test('resets.8 is undone in part', async () => {
    const audience = await gather();
    const [first, second] = [await audience.mint(), await audience.mint()];
    await audience.client.call('devnet_acceptOnL1', { starting_block_id: { block_number: 1 } });
    const id = await snapshot(audience);
    await audience.client.call('devnet_acceptOnL1', LATEST);
    const third = await audience.mint();
    const socket = await audience.connect();
    await everything(socket, [first, second, third]);
    await revert(audience, id);
    expect(digest(await socket.heard(), { first, second, third })).toEqual([
      ...reorgs(7, '3-3'),
      'status second ACCEPTED_ON_L2',
    ]);
  });

  test('resets.8 returns for a block that was made again identically', async () => {
    const audience = await gather();
    const { client } = audience;
    await client.call('devnet_setTime', { time: 2_000_000_000, generate_block: false });
    const hash = await audience.mint();
    await client.call('devnet_acceptOnL1', LATEST);
    const id = await snapshot(audience);
    await client.call('devnet_abortBlocks', LATEST);
    await client.call('devnet_setTime', { time: 2_000_000_000, generate_block: false });
    await audience.mint();
    const socket = await audience.connect();
    await everything(socket, [hash]);
    await revert(audience, id);
    expect(digest(await socket.heard(), { hash })).toEqual(['status hash ACCEPTED_ON_L1']);
  });

  test('resets.9 comes back with a block that was undone', async () => {
    const audience = await gather();
    const hash = await audience.mint();
    await audience.client.call('devnet_acceptOnL1', LATEST);
    const id = await snapshot(audience);
    await audience.client.call('devnet_abortBlocks', LATEST);
    const socket = await audience.connect();
    await socket.subscribe('starknet_subscribeTransactionStatus', [hash]);
    await socket.subscribe('starknet_subscribeNewHeads');
    await revert(audience, id);
    expect(digest(await socket.heard(), { hash })).toEqual([
      'head 1',
      'status hash ACCEPTED_ON_L1',
    ]);
  });

  test('resets.9 is no finality of notified transactions', async () => {
    const audience = await gather();
    const hash = await audience.mint();
    await audience.client.call('devnet_acceptOnL1', LATEST);
    const id = await snapshot(audience);
    await audience.client.call('devnet_abortBlocks', LATEST);
    const socket = await audience.connect();
    await socket.subscribe('starknet_subscribeNewTransactions', { finality_status: [] });
    await revert(audience, id);
    // The specification allows no finality above ACCEPTED_ON_L2 here.
    expect(digest(await socket.heard(), { hash })).toEqual(['transaction hash ACCEPTED_ON_L2']);
  });
});

describe('blocks that were undone', () => {
  test('resets.9 return with all their contents', async () => {
    const audience = await gather();
    const [a, b] = [await audience.mint(), await audience.transfer()];
    await audience.block();
    const id = await snapshot(audience);
    await audience.client.call('devnet_abortBlocks', { starting_block_id: { block_number: 1 } });
    const socket = await audience.connect();
    await everything(socket, [a, b]);
    await revert(audience, id);
    expect(digest(await socket.heard(), { a, b })).toEqual([
      'head 1',
      'transaction a ACCEPTED_ON_L2',
      'status a ACCEPTED_ON_L2',
      'receipt a ACCEPTED_ON_L2',
      'event a/0 ACCEPTED_ON_L2',
      'event a/1 ACCEPTED_ON_L2',
      'head 2',
      'transaction b ACCEPTED_ON_L2',
      'status b ACCEPTED_ON_L2',
      'receipt b ACCEPTED_ON_L2',
      'event b/0 ACCEPTED_ON_L2',
      'event b/1 ACCEPTED_ON_L2',
      'head 3',
    ]);
  });

  test('resets.9 replace those that were made instead', async () => {
    const audience = await gather();
    const { client } = audience;
    await audience.block();
    const a = await audience.mint();
    const id = await snapshot(audience);
    await client.call('devnet_abortBlocks', LATEST);
    const b = await audience.transfer();
    await audience.block();
    const socket = await audience.connect();
    await everything(socket, [a, b]);
    await revert(audience, id);
    expect(digest(await socket.heard(), { a, b })).toEqual([
      ...reorgs(6, '2-3'),
      'head 2',
      'transaction a ACCEPTED_ON_L2',
      'status a ACCEPTED_ON_L2',
      'receipt a ACCEPTED_ON_L2',
      'event a/0 ACCEPTED_ON_L2',
      'event a/1 ACCEPTED_ON_L2',
    ]);
  });
});

describe('a pending transaction', () => {
  test('resets.10 is pending again, and its subscribers are notified', async () => {
    const audience = await gather(DEMAND);
    const [a, b] = [await audience.mint(), await audience.transfer()];
    const id = await snapshot(audience);
    await audience.block();
    const c = await audience.mint();
    const socket = await audience.connect();
    await everything(socket, [a, b, c]);
    await revert(audience, id);
    expect(digest(await socket.heard(), { a, b, c })).toEqual([
      ...reorgs(7, '1-1'),
      'status a PRE_CONFIRMED',
      'transaction a PRE_CONFIRMED',
      'receipt a PRE_CONFIRMED',
      'status b PRE_CONFIRMED',
      'transaction b PRE_CONFIRMED',
      'receipt b PRE_CONFIRMED',
    ]);
    await audience.block();
    expect(digest(await socket.heard(), { a, b, c }).slice(0, 4)).toEqual([
      'head 1',
      'transaction a ACCEPTED_ON_L2',
      'status a ACCEPTED_ON_L2',
      'receipt a ACCEPTED_ON_L2',
    ]);
  });

  test('resets.10 that stays pending is not notified, but the removal of another is', async () => {
    const audience = await gather(DEMAND);
    const a = await audience.mint();
    const id = await snapshot(audience);
    const b = await audience.transfer();
    const socket = await audience.connect();
    await everything(socket, [a, b]);
    await revert(audience, id);
    expect((await audience.client.failure('starknet_getTransactionStatus', [b])).code).toBe(
      ERRORS.TXN_HASH_NOT_FOUND.code,
    );
    // The transactions, the receipts, and the status of the one that is gone.
    expect(digest(await socket.heard(), { a, b })).toEqual(reorgs(3, '1-1'));
    await audience.block();
    expect(digest(await socket.heard(), { a, b })).toEqual([
      'head 1',
      'transaction a ACCEPTED_ON_L2',
      'status a ACCEPTED_ON_L2',
      'receipt a ACCEPTED_ON_L2',
      'event a/0 ACCEPTED_ON_L2',
      'event a/1 ACCEPTED_ON_L2',
    ]);
  });

  test('resets.10 that is gone is notified although blocks return', async () => {
    const audience = await gather(DEMAND);
    await audience.block();
    const id = await snapshot(audience);
    await audience.client.call('devnet_abortBlocks', LATEST);
    const a = await audience.mint();
    const socket = await audience.connect();
    await socket.subscribe('starknet_subscribeTransactionStatus', [a]);
    await socket.heard();
    await revert(audience, id);
    expect(digest(await socket.heard(), { a })).toEqual(['reorg 1-1']);
  });

  test('resets.10 that was dropped is pending again', async () => {
    const audience = await gather(DEMAND);
    const a = await audience.mint();
    const id = await snapshot(audience);
    await audience.client.call('devnet_abortBlocks', { starting_block_id: 'pre_confirmed' });
    const socket = await audience.connect();
    await everything(socket, [a]);
    await revert(audience, id);
    expect(digest(await socket.heard(), { a })).toEqual([
      'status a PRE_CONFIRMED',
      'transaction a PRE_CONFIRMED',
      'receipt a PRE_CONFIRMED',
    ]);
  });
});

test('resets.11 the order of all notifications', async () => {
  const audience = await gather(DEMAND);
  const { client, mint, transfer, block } = audience;
  const a = await mint();
  await block();
  const b = await transfer();
  await block();
  const c = await mint();
  const id = await snapshot(audience);
  await client.call('devnet_acceptOnL1', { starting_block_id: { block_number: 1 } });
  await client.call('devnet_abortBlocks', LATEST);
  await block();
  await block();

  const socket = await audience.connect();
  await everything(socket, [a, b, c]);
  expect(await socket.call('devnet_revert', { snapshot_id: id })).toBe(true);
  expect(digest(socket.unread(), { a, b, c })).toEqual([
    ...reorgs(7, '2-3'),
    'status a ACCEPTED_ON_L2',
    'head 2',
    'transaction b ACCEPTED_ON_L2',
    'status b ACCEPTED_ON_L2',
    'receipt b ACCEPTED_ON_L2',
    'event b/0 ACCEPTED_ON_L2',
    'event b/1 ACCEPTED_ON_L2',
    'status c PRE_CONFIRMED',
    'transaction c PRE_CONFIRMED',
    'receipt c PRE_CONFIRMED',
  ]);
  await socket.quiet();
});
