// Releases of starknet.js follow the chain over the WebSocket of the version that they speak.
import '@starkbox/test-support/global-websocket';
import { startNode } from '@starkbox/test-support';
import { Sender, STRK } from '@starkbox/test-support/signing';
import { WebSocketChannel as WebSocketChannel10 } from 'starknet';
import { logger, WebSocketChannel as WebSocketChannel7 } from 'starknet-v7';
import { WebSocketChannel as WebSocketChannel8 } from 'starknet-v8';
import { WebSocketChannel as WebSocketChannel9 } from 'starknet-v9';
import { afterAll, expect, test } from 'vitest';

logger.setLogLevel('OFF');
const { url, node, client, close } = await startNode({ listen: true });
afterAll(close);

const sender = new Sender(client, node.accounts[0]);
const transfer = () =>
  sender.invoke([{ to: STRK, name: 'transfer', calldata: ['0x2', '0x1', '0x0'] }]);
const pathOf = (version: string): string => `${url.replace(/^http/, 'ws')}/ws/rpc/${version}`;

/** The next thing that a subscription delivers. */
const next = (listen: (take: (notification: unknown) => void) => void): Promise<unknown> =>
  new Promise(listen);

test('starknet.js 7 hears of heads, pending transactions and statuses in 0.8', async () => {
  const channel = new WebSocketChannel7({ nodeUrl: pathOf('v0_8'), autoReconnect: false });
  await channel.waitForConnection();
  const heads = await channel.subscribeNewHeads();
  const pending = await channel.subscribePendingTransaction(true);
  const deliveries = [next((take) => heads.on(take)), next((take) => pending.on(take))] as const;
  const transaction_hash = await transfer();
  const [head, transaction] = await Promise.all(deliveries);
  expect(head).toMatchObject({ block_number: 1 });
  expect(transaction).toMatchObject({ transaction_hash, type: 'INVOKE' });
  const status = await channel.subscribeTransactionStatus(transaction_hash);
  expect(await next((take) => status.on(take))).toMatchObject({
    status: { finality_status: 'ACCEPTED_ON_L2' },
  });
  expect(await heads.unsubscribe()).toBe(true);
  channel.disconnect();
  await channel.waitForDisconnection();
});

test.each([
  ['8', 'v0_9', WebSocketChannel8],
  ['9', 'v0_10', WebSocketChannel9],
  ['10', 'v0_10', WebSocketChannel10],
] as const)(
  'starknet.js %s hears of heads, transactions and events in %s',
  async (_, version, Channel) => {
    // Events of the latest block come first; this one has none.
    await client.call('devnet_createBlock');
    const channel = new Channel({ nodeUrl: pathOf(version), autoReconnect: false });
    await channel.waitForConnection();
    const heads = await channel.subscribeNewHeads();
    const transactions = await channel.subscribeNewTransactions();
    const events = await channel.subscribeEvents({ fromAddress: STRK });
    const deliveries = [
      next((take) => heads.on(take)),
      next((take) => transactions.on(take)),
      next((take) => events.on(take)),
    ] as const;
    const transaction_hash = await transfer();
    const [head, transaction, event] = await Promise.all(deliveries);
    expect(head).toHaveProperty('block_number');
    expect(transaction).toMatchObject({ transaction_hash, finality_status: 'ACCEPTED_ON_L2' });
    expect(event).toMatchObject({ transaction_hash, finality_status: 'ACCEPTED_ON_L2' });
    expect(await heads.unsubscribe()).toBe(true);
    channel.disconnect();
    await channel.waitForDisconnection();
  },
);

const TIMES = 20;

test.each([
  ['7', 'v0_8', WebSocketChannel7],
  ['8', 'v0_9', WebSocketChannel8],
  ['9', 'v0_10', WebSocketChannel9],
  ['10', 'v0_10', WebSocketChannel10],
] as const)(
  'starknet.js %s misses no status that a transaction has already',
  async (_, version, Channel) => {
    const transaction_hash = await transfer();
    const channel = new Channel({ nodeUrl: pathOf(version), autoReconnect: false });
    await channel.waitForConnection();
    const heard: unknown[] = [];
    for (let time = 0; time < TIMES; time += 1) {
      const status =
        channel instanceof WebSocketChannel7
          ? await channel.subscribeTransactionStatus(transaction_hash)
          : await channel.subscribeTransactionStatus({ transactionHash: transaction_hash });
      status.on((notification: unknown) => heard.push(notification));
    }
    // Its answer follows all notifications.
    await channel.sendReceive('starknet_chainId');
    expect(heard).toHaveLength(TIMES);
    channel.disconnect();
    await channel.waitForDisconnection();
  },
);
