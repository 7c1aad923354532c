// Messages relayed both ways without calls.

import { startAnvil } from '@starkbox/test-support/l1/anvil';
import {
  balanceOf,
  deposit,
  load,
  received,
  send,
  startMessaging,
} from '@starkbox/test-support/l1/messaging-setup';
import { expect, test, vi } from 'vitest';

const RECEIVER = '0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0';
const COUNT = 30;

test('many messages each way arrive once, in order', async () => {
  const anvil = await startAnvil();
  const stage = await startMessaging({ l1AutoRelay: 0.02, dumpOn: 'request' });
  const { client, messenger } = stage;
  const address = await load(stage, anvil);
  const l1 = anvil.client();
  const inward = (async () => {
    for (let i = 1; i <= COUNT; i += 1) await deposit(l1, address, messenger, '0x5', i);
  })();
  for (let i = 1; i <= COUNT; i += 1) await send(stage, RECEIVER, [`0x${i.toString(16)}`]);
  await inward;
  const message = (i: number) => ({
    from_address: messenger,
    to_address: RECEIVER,
    payload: [`0x${i.toString(16)}`],
  });
  await vi.waitFor(
    async () => {
      expect(await balanceOf(stage, '0x5')).toBe((COUNT * (COUNT + 1)) / 2);
      expect(await received(l1, address, message(COUNT))).toBe(1);
    },
    { timeout: 30_000, interval: 20 },
  );
  for (let i = 1; i <= COUNT; i += 1) expect(await received(l1, address, message(i))).toBe(1);
  expect((await client.call('devnet_postmanFlush')).messages_to_l1).toEqual([]);
  // Each message that came is in the journal, and nothing else that the relay did.
  const journal = await client.call('devnet_dump');
  const methods = Array.isArray(journal) ? journal.map(({ method }) => method) : [];
  const messageCalls = methods.filter((method) => method === 'devnet_postmanSendMessageToL2');
  expect(messageCalls).toHaveLength(COUNT);
  expect(methods).toHaveLength(COUNT + COUNT + 2);
});
