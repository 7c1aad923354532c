// Every method has two names; notifications use the prefix that their subscription was made with.

import type { SubscribeMethod } from '@starkbox/test-support';
import { gather } from '@starkbox/test-support/subscriptions/subscribers';
import { describe, expect, test } from 'vitest';

const KINDS: readonly (readonly [SubscribeMethod, unknown])[] = [
  ['starknet_subscribeNewHeads', {}],
  ['starknet_subscribeNewTransactions', {}],
  ['starknet_subscribeNewTransactionReceipts', {}],
  ['starknet_subscribeEvents', {}],
];

describe('notifications', () => {
  test.each(['starknet', 'chain'] as const)('begin with %s_', async (prefix) => {
    const { connect, client, transfer } = await gather();
    const socket = await connect();
    for (const [method, params] of KINDS) await socket.subscribe(method, params, prefix);
    const hash = await transfer();
    await socket.subscribe('starknet_subscribeTransactionStatus', [hash], prefix);
    // The past of a subscription comes a moment after its id.
    const first = await socket.heard();
    await client.call('devnet_abortBlocks', { starting_block_id: 'latest' });
    const names = [...first, ...(await socket.heard())].map(({ method }) => method);
    expect(names).toEqual([
      `${prefix}_subscriptionNewHeads`,
      `${prefix}_subscriptionNewTransaction`,
      `${prefix}_subscriptionNewTransactionReceipts`,
      `${prefix}_subscriptionEvents`,
      `${prefix}_subscriptionEvents`,
      `${prefix}_subscriptionTransactionStatus`,
      ...Array.from({ length: 5 }, () => `${prefix}_subscriptionReorg`),
    ]);
  });

  test('of both kinds come to one socket', async () => {
    const { connect, block } = await gather();
    const socket = await connect();
    const old = await socket.subscribe('starknet_subscribeNewHeads');
    const neutral = await socket.subscribe('starknet_subscribeNewHeads', {}, 'chain');
    await block();
    const heard = (await socket.heard()).map(({ method, subscription }) => [subscription, method]);
    expect(Object.fromEntries(heard)).toEqual({
      [old]: 'starknet_subscriptionNewHeads',
      [neutral]: 'chain_subscriptionNewHeads',
    });
  });

  test('of the past have the same prefix', async () => {
    const { connect, mint } = await gather();
    await mint();
    const socket = await connect();
    const block_id = { block_number: 1 };
    await socket.subscribe('starknet_subscribeNewHeads', { block_id }, 'chain');
    await socket.subscribe('starknet_subscribeEvents', { block_id }, 'chain');
    expect((await socket.heard()).map(({ method }) => method)).toEqual([
      'chain_subscriptionNewHeads',
      'chain_subscriptionEvents',
      'chain_subscriptionEvents',
    ]);
  });
});

test('a subscription can be ended under the other name', async () => {
  const { connect, block } = await gather();
  const socket = await connect();
  const old = await socket.subscribe('starknet_subscribeNewHeads');
  const neutral = await socket.subscribe('starknet_subscribeNewHeads', {}, 'chain');
  const request = { jsonrpc: '2.0', id: 1, method: 'chain_unsubscribe', params: [old] };
  expect(JSON.parse(await socket.exchange(JSON.stringify(request)))).toMatchObject({
    result: true,
  });
  await socket.unsubscribe(neutral);
  await block();
  await socket.quiet();
});
