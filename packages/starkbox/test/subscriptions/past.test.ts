// The moment between the answer to a subscribing call and the notifications of the past.
import { connectSocket } from '@starkbox/test-support';
import { digest } from '@starkbox/test-support/subscriptions/digest';
import { gather } from '@starkbox/test-support/subscriptions/subscribers';
import { describe, expect, test } from 'vitest';
import { createChain } from '../../src/index.js';
import { silentLog } from '../../src/log.js';
import { subscribeMethods } from '../../src/rpc/methods/subscribe.js';
import type { Listener } from '../../src/rpc/protocol/call-context.js';
import { Dispatcher } from '../../src/rpc/protocol/dispatcher.js';
import { type Notification, Subscriptions } from '../../src/rpc/subscriptions/subscriptions.js';
import { bareChain } from '../support/bare-chain.js';
import { recordingListener } from '../support/subscriptions/recording-listener.js';

const FIRST = { block_id: { block_number: 0 } };

test('what happens in it follows the past, and what other subscriptions get does not wait', async () => {
  const { connect, block } = await gather();
  const [socket, other] = [await connect(), await connect()];
  await other.subscribe('starknet_subscribeNewHeads');
  await socket.subscribe('starknet_subscribeNewHeads', FIRST);
  await block();
  await block();
  expect(digest(await other.heard())).toEqual(['head 1', 'head 2']);
  expect(digest(await socket.heard())).toEqual(['head 0', 'head 1', 'head 2']);
});

test('a reorg in it follows the past', async () => {
  const { connect, block, client } = await gather();
  await block();
  const socket = await connect();
  await socket.subscribe('starknet_subscribeNewHeads', FIRST);
  await client.call('devnet_abortBlocks', { starting_block_id: 'latest' });
  expect(digest(await socket.heard())).toEqual(['head 0', 'head 1', 'reorg 1-1']);
});

test('calls that were sent together are answered in order, each past before the next answer', async () => {
  const { connect, block } = await gather();
  await block();
  const socket = await connect();
  const subscribing = [0, 1].map((block_number) =>
    socket.subscribe('starknet_subscribeNewHeads', { block_id: { block_number } }),
  );
  const ended = socket.call('devnet_createBlock').then(() => socket.unread());
  const [first, second] = await Promise.all(subscribing);
  expect((await ended).map(({ subscription }) => subscription)).toEqual([
    first,
    first,
    second,
    first,
    second,
  ]);
});

describe('of a subscription that is held', () => {
  const heldSubscription = () => {
    const messages: unknown[] = [];
    const listener = recordingListener((text) => messages.push(JSON.parse(text).params.result));
    const subscriptions = new Subscriptions();
    const pick = (notification: Notification): string | undefined =>
      notification.topic === 'heads' ? notification.text() : undefined;
    const wish = { id: '1', listener, prefix: 'starknet', key: 'heads', pick } as const;
    const release = subscriptions.addHeld(wish, () => void messages.push('past'));
    subscriptions.notify({ topic: 'heads', text: () => '1' });
    subscriptions.notifyReorg('2');
    return { messages, listener, subscriptions, release };
  };

  test('nothing is sent before the past', () => {
    const { messages, subscriptions, release } = heldSubscription();
    expect(messages).toEqual([]);
    release();
    subscriptions.notify({ topic: 'heads', text: () => '3' });
    expect(messages).toEqual(['past', 1, 2, 3]);
  });

  test('nothing is sent after a restart', () => {
    const { messages, subscriptions, release } = heldSubscription();
    subscriptions.clear();
    release();
    expect(messages).toEqual([]);
  });

  test('nothing is sent after the client has left', () => {
    const { messages, listener, subscriptions, release } = heldSubscription();
    subscriptions.drop(listener);
    release();
    expect(messages).toEqual([]);
  });
});

test('what happens between the call and its answer follows the past', async () => {
  const chain = await bareChain('transaction');
  const texts: string[] = [];
  const actions: Parameters<Listener['afterAnswer']>[0][] = [];
  const listener: Listener = {
    isOpen: true,
    send: (text) => void texts.push(text),
    afterAnswer: (action) => void actions.push(action),
  };
  const dispatcher = new Dispatcher({
    handlers: subscribeMethods(chain, new Subscriptions()),
    log: silentLog,
  });
  await dispatcher.call('starknet_subscribeNewHeads', FIRST, { transport: 'ws', listener });
  await chain.createBlock();
  for (const action of actions) action()?.();
  const numbers = texts.map((text) => JSON.parse(text).params.result.block_number);
  expect(numbers).toEqual([0, 1]);
  await chain.close();
});

test('a client that leaves in it, and a node that stops in it, are not waited for', async () => {
  const node = await createChain({ seed: 0, accounts: 1, port: 0 });
  const { url } = await node.listen();
  const [leaving, staying] = [await connectSocket(url), await connectSocket(url)];
  await leaving.subscribe('starknet_subscribeNewHeads', FIRST);
  await leaving.close();
  await staying.subscribe('starknet_subscribeNewHeads', FIRST);
  await node.close();
  expect(await staying.closed).toMatchObject({ code: 1001 });
});
