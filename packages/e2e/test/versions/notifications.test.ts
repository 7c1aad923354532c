// Notifications of older versions, each checked against the documents of its version.

import { ERRORS } from '@starkbox/spec';
import { connectSocket, type Socket, type SpecVersion } from '@starkbox/test-support';
import { STRK } from '@starkbox/test-support/signing';
import { gather } from '@starkbox/test-support/subscriptions/subscribers';
import { describe, expect, onTestFinished, test } from 'vitest';

const DEMAND = { blockGenerationOn: 'demand' } as const;

async function connected(url: string, version: SpecVersion): Promise<Socket> {
  const socket = await connectSocket(url, version);
  onTestFinished(() => socket.close());
  return socket;
}

const kinds = (heard: readonly { readonly method: string }[]): readonly string[] =>
  heard.map(({ method }) => method.replace('starknet_subscription', ''));

describe.each(['v0_8', 'v0_9'] as const)('%s', (version) => {
  test('heads, events and reorgs have the fields of the version', async () => {
    const { url, transfer, client } = await gather();
    const socket = await connected(url, version);
    await socket.ask('starknet_subscribeNewHeads');
    await socket.ask('starknet_subscribeEvents', { from_address: STRK });
    await transfer();
    const heard = await socket.heard();
    expect(kinds(heard)).toEqual(['NewHeads', 'Events', 'Events']);
    const [head, event] = heard.map(({ result }) => result);
    expect(head).toMatchObject({ block_number: 1 });
    expect(head).not.toHaveProperty('transaction_count');
    expect(event).not.toHaveProperty('event_index');
    expect('finality_status' in Object(event)).toBe(version === 'v0_9');
    await client.call('devnet_abortBlocks', { starting_block_id: 'latest' });
    expect(kinds(await socket.heard())).toEqual(['Reorg', 'Reorg']);
  });

  test('what came before the subscription has them too', async () => {
    const { url, transfer } = await gather();
    await transfer();
    const socket = await connected(url, version);
    await socket.ask('starknet_subscribeNewHeads', { block_id: { block_number: 0 } });
    await socket.ask('starknet_subscribeEvents', [STRK, [], { block_number: 0 }]);
    expect(kinds(await socket.heard())).toEqual(['NewHeads', 'NewHeads', 'Events', 'Events']);
  });

  test('blocks are named as in the version', async () => {
    const { url } = await gather();
    const socket = await connected(url, version);
    for (const tag of ['pending', 'pre_confirmed', 'l1_accepted']) {
      const refused = await socket.failure('starknet_subscribeNewHeads', [tag]);
      expect(refused.code).toBe(ERRORS.INVALID_PARAMS.code);
    }
  });
});

test('0.8 tells of a status when it changes', async () => {
  const { url, transfer, block, client } = await gather(DEMAND);
  const transaction_hash = await transfer();
  const socket = await connected(url, 'v0_8');
  await socket.ask('starknet_subscribeTransactionStatus', { transaction_hash });
  await block();
  await client.call('devnet_acceptOnL1', { starting_block_id: 'latest' });
  const statuses = (await socket.heard()).map(({ result }) => Object(result).status);
  expect(statuses).toMatchObject([
    { finality_status: 'ACCEPTED_ON_L2' },
    { finality_status: 'ACCEPTED_ON_L1' },
  ]);
});

describe.each([
  ['transaction', {}],
  ['demand', DEMAND],
] as const)('0.8 tells of each pending transaction once, with blocks on %s', (_, config) => {
  test('by its hash, or with its details', async () => {
    const { url, transfer, block, sender } = await gather(config);
    const socket = await connected(url, 'v0_8');
    const hashes = await socket.ask('starknet_subscribePendingTransactions');
    const details = await socket.ask('starknet_subscribePendingTransactions', {
      transaction_details: true,
      sender_address: [sender.account.address],
    });
    await socket.ask('starknet_subscribePendingTransactions', [false, ['0x5']]);
    const transaction_hash = await transfer();
    await block();
    const heard = await socket.heard();
    expect(kinds(heard)).toEqual(['PendingTransactions', 'PendingTransactions']);
    expect(heard).toMatchObject([
      { subscription: hashes, result: transaction_hash },
      { subscription: details, result: { transaction_hash, type: 'INVOKE' } },
    ]);
  });
});

test('0.8 takes the id of a subscription as a string and as a number', async () => {
  const { url, block } = await gather();
  const socket = await connected(url, 'v0_8');
  const [first, second] = [
    String(await socket.ask('starknet_subscribeNewHeads')),
    String(await socket.ask('starknet_subscribeNewHeads')),
  ];
  expect(await socket.ask('starknet_unsubscribe', [first])).toBe(true);
  const call = `{"jsonrpc":"2.0","id":1,"method":"starknet_unsubscribe","params":[${second}]}`;
  expect(await socket.exchange(call)).toContain('"result":true');
  await block();
  await socket.quiet();
});

test('each socket gets notifications in its own version', async () => {
  const { url, connect, transfer } = await gather();
  const sockets = [await connected(url, 'v0_8'), await connected(url, 'v0_9'), await connect()];
  for (const socket of sockets) await socket.ask('starknet_subscribeNewHeads');
  await transfer();
  const counts = [];
  for (const socket of sockets) {
    const [head] = await socket.heard();
    counts.push(Object(head?.result).transaction_count);
  }
  expect(counts).toEqual([undefined, undefined, 1]);
});
