// The socket for tests: received messages, their order, and what it refuses.

import { afterEach, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { connectSocket, type Socket } from '../conformance/socket.js';
import { portOf } from '../listen.js';

const servers: WebSocketServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    for (const client of server.clients) client.terminate();
    server.close();
  }
});

/** A node with a fixed answer for every call; subscriptions get the id 7. */
async function play(answer: (method: string, say: (message: unknown) => void) => void) {
  const server = new WebSocketServer({ port: 0 });
  servers.push(server);
  server.on('connection', (client: WebSocket) => {
    client.on('message', (data) => {
      const { id, method } = JSON.parse(String(data));
      const say = (message: unknown): void => client.send(JSON.stringify(message));
      answer(method, say);
      const result = /_subscribe/.test(method) ? '7' : method.includes('unsub') ? true : '0.10.2';
      if (method !== 'ignored') say({ jsonrpc: '2.0', id, result });
    });
  });
  return connectSocket(`http://127.0.0.1:${portOf(server)}`);
}

const reorg = (changes: object = {}, method = 'starknet_subscriptionReorg') => ({
  jsonrpc: '2.0',
  method,
  params: {
    subscription_id: '7',
    result: {
      starting_block_hash: '0x1',
      starting_block_number: 1,
      ending_block_hash: '0x2',
      ending_block_number: 2,
    },
    ...changes,
  },
});

/** Subscribes, and asks once more; meanwhile the node says this. */
async function hearing(message: unknown, prefix?: 'chain'): Promise<Socket> {
  const socket = await play((method, say) => {
    if (method === 'starknet_specVersion') say(message);
  });
  await socket.subscribe('starknet_subscribeNewHeads', {}, prefix);
  return socket;
}

test('notifications come in their order, and are read once', async () => {
  const socket = await hearing(reorg());
  expect(await socket.heard()).toMatchObject([{ subscription: '7' }]);
  expect(socket.unread()).toEqual([]);
  await socket.call('starknet_specVersion');
  await socket.call('starknet_specVersion');
  expect(socket.unread()).toHaveLength(2);
  await socket.close();
});

test('silence is what it says', async () => {
  const socket = await hearing(reorg());
  await expect(socket.quiet()).rejects.toThrow('unexpected notifications');
  const silent = await play(() => {});
  await silent.quiet(10);
  await silent.close();
});

test('a call that is not answered is noticed when the connection ends', async () => {
  const socket = await play(() => {});
  const exchange = socket.exchange('{"method":"ignored"}');
  for (const server of servers) for (const client of server.clients) client.close(1011, 'enough');
  await expect(exchange).rejects.toThrow('1011 enough');
  expect(await socket.closed).toEqual({ code: 1011, reason: 'enough' });
});

test.each([
  ['a result that breaks the specification', reorg({ result: {} })],
  ['a notification that there is not', reorg({}, 'starknet_subscriptionNonsense')],
  ['a method that is no notification', reorg({}, 'starknet_chainId')],
  ['a subscription that there is not', reorg({ subscription_id: '8' })],
  ['another prefix', reorg({}, 'chain_subscriptionReorg')],
  ['an id where none belongs', { ...reorg(), id: 1 }],
  ['another version', { ...reorg(), jsonrpc: '1.0' }],
])('%s is thrown', async (_, message) => {
  const socket = await hearing(message);
  await socket.call('starknet_specVersion');
  await expect(socket.close()).rejects.toThrow('is wrong');
});

test('nothing belongs to a subscription that was ended', async () => {
  const socket = await hearing(reorg());
  await socket.unsubscribe('7');
  await expect(socket.heard()).rejects.toThrow('it belongs to no subscription');
});

test('an answer without a request throws', async () => {
  const socket = await play((_, say) => say({ jsonrpc: '2.0', id: 99, result: 1 }));
  await expect(socket.call('starknet_specVersion')).rejects.toThrow('breaks the specification');
  await expect(socket.close()).rejects.toThrow('an answer without a request');
});
