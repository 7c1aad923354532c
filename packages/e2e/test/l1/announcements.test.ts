// Blocks that messages from L1 make are announced like all others.

import { startAnvil } from '@starkbox/test-support/l1/anvil';
import { deposit, load } from '@starkbox/test-support/l1/messaging-setup';
import { contract } from '@starkbox/test-support/signing';
import { gather } from '@starkbox/test-support/subscriptions/subscribers';
import { expect, test } from 'vitest';

test('order.1c blocks made by messages fetched from L1 are announced once', async () => {
  const anvil = await startAnvil();
  const { client, sender, connect } = await gather();
  const messenger = await sender.deploy(await contract('messenger'));
  const address = await load({ client }, anvil);
  for (const amount of [1, 2]) await deposit(anvil.client(), address, messenger, '0x5', amount);

  const socket = await connect();
  await socket.subscribe('starknet_subscribeNewHeads');
  const from = await client.call('starknet_blockNumber');
  await client.call('devnet_postmanFlush');
  const heard = await socket.heard();
  expect(heard.map(({ result }) => result)).toMatchObject([
    { block_number: from + 1 },
    { block_number: from + 2 },
  ]);
  await client.call('devnet_postmanFlush');
  expect(await socket.heard()).toEqual([]);
});
