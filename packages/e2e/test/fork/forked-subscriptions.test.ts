// Subscriptions that begin before the fork point: the origin's blocks, own blocks, new blocks.

import { ERRORS } from '@starkbox/spec';
import { connectSocket, type Socket } from '@starkbox/test-support';
import { mint, startPair } from '@starkbox/test-support/fork/pair';
import { STRK } from '@starkbox/test-support/signing';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';

let socket: Socket;

const pair = await startPair(async (origin) => {
  for (let block = 1; block <= 4; block += 1) await mint(origin, '0x1234', block);
});
const fork = await pair.fork();
await mint(fork, '0x1234', 6);
await mint(pair.origin, '0x1234', 5);
beforeEach(async () => {
  socket = await connectSocket(fork.url);
});
afterEach(() => socket.close());
afterAll(() => pair.close());

const at = (block_number: number) => ({ block_number });

const numbers = (notifications: readonly { readonly result: unknown }[]): readonly unknown[] =>
  notifications.map(({ result }) =>
    typeof result === 'object' && result !== null && 'block_number' in result
      ? result.block_number
      : undefined,
  );

test.each([0, 3, 4, 5])('subscriptions.1k heads from block %i on', async (first) => {
  await socket.subscribe('starknet_subscribeNewHeads', { block_id: at(first) });
  const latest = await fork.client.call('starknet_blockNumber');
  const past = await socket.heard();
  expect(past).toHaveLength(latest - first + 1);
  expect(numbers(past)).toEqual(Array.from(past, (_, index) => first + index));
  await fork.client.call('devnet_createBlock');
  expect(numbers(await socket.heard())).toEqual([latest + 1]);
});

test('subscriptions.1k heads from a hash of the origin on', async () => {
  const block = await pair.origin.client.call('starknet_getBlockWithTxHashes', { block_id: at(3) });
  const block_id = { block_hash: 'block_hash' in block ? block.block_hash : '' };
  await socket.subscribe('starknet_subscribeNewHeads', { block_id });
  expect(numbers(await socket.heard()).slice(0, 3)).toEqual([3, 4, 5]);
});

test('subscriptions.1k a block of the origin after the fork point is none', async () => {
  const { block_hash } = await pair.origin.client.call('starknet_blockHashAndNumber');
  expect(
    await socket.failure('starknet_subscribeNewHeads', { block_id: { block_hash } }),
  ).toMatchObject({ code: ERRORS.BLOCK_NOT_FOUND.code });
  expect(await socket.failure('starknet_subscribeEvents', { block_id: at(99) })).toMatchObject({
    code: ERRORS.BLOCK_NOT_FOUND.code,
  });
});

test('subscriptions.3i events from before the fork point, then live ones', async () => {
  await socket.subscribe('starknet_subscribeEvents', {
    block_id: at(2),
    from_address: STRK,
  });
  expect(numbers(await socket.heard())).toEqual([2, 2, 3, 3, 4, 4, 6, 6]);
  await mint(fork, '0x1234', 7);
  const live = await socket.heard();
  const latest = await fork.client.call('starknet_blockNumber');
  expect(numbers(live)).toEqual([latest, latest]);
});

test.each(['starknet_subscribeNewHeads', 'starknet_subscribeEvents'] as const)(
  '%s fails if the chain begins anew somewhere else while its past is read',
  async (method) => {
    const young = await pair.fork();
    await using other = await connectSocket(young.url);
    let open = (): void => {};
    pair.proxy.gate = new Promise((resolve) => {
      open = resolve;
    });
    const wish = other.failure(method, { block_id: at(2) });
    const restart = young.node.request('devnet_restart', {
      fork: { url: pair.origin.url, block: 1 },
    });
    await restart.finally(open);
    expect(await wish).toMatchObject({ code: ERRORS.BLOCK_NOT_FOUND.code });
    pair.proxy.gate = Promise.resolve();
  },
);
