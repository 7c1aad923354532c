// Notifications for many clients: built once, and the right ids for each client.
import { describe, expect, test } from 'vitest';
import { createChain } from '../../../src/index.js';
import { Feed, Reading, Readings } from '../../../src/notification-feed.js';
import { SharedFrames } from '../../../src/server/ws/shared-frames.js';
import { closeAfterEach, rawSocket, upTo } from './socket-server.js';

closeAfterEach();

const PLENTY = { messages: 1_000, bytes: 1_000_000 };
const BEFORE = Buffer.from('{"id":"');

/** Clients that each follow all feeds. */
function clientsOf(feeds: readonly Feed[], count: number): readonly Readings[] {
  return upTo(count).map((client) => {
    const readings = new Readings({ added: () => PLENTY });
    for (const [at, feed] of feeds.entries()) {
      readings.add(new Reading(feed, `${100 + client}-${at}`));
    }
    return readings;
  });
}

const add = (feed: Feed | undefined, text: string): void =>
  feed?.add(BEFORE, Buffer.from(`","text":"${text}"}`));

/** The messages in a piece of short frames. */
function textsIn(piece: Buffer | undefined): readonly string[] {
  if (!piece || piece.length === 0) return [];
  const end = 2 + (piece[1] ?? 0);
  return [piece.toString('utf8', 2, end), ...textsIn(piece.subarray(end))];
}

describe('frames of many clients', () => {
  test('are built once, with the messages of all subscriptions in one piece and in their order', () => {
    const feeds = [new Feed(), new Feed(), new Feed()];
    const clients = clientsOf(feeds, 100);
    for (const at of [2, 0, 0, 1, 2]) add(feeds[at], String(at));
    const frames = new SharedFrames();
    const pieces = clients.map((readings, client) => {
      const piece = frames.take(readings);
      expect(textsIn(piece)).toEqual(
        [2, 0, 0, 1, 2].map((at) => `{"id":"${100 + client}-${at}","text":"${at}"}`),
      );
      expect(frames.take(readings)).toBeUndefined();
      return piece;
    });
    expect(new Set(pieces).size).toBe(1);
  });

  test('are built again for a client that has read less, or has ids of another length', () => {
    const feed = new Feed();
    const [first, second] = clientsOf([feed], 2);
    const third = new Readings({ added: () => PLENTY });
    third.add(new Reading(feed, 'a longer one'));
    if (!first || !second) throw new Error('no clients');
    const frames = new SharedFrames();
    add(feed, 'a');
    expect(textsIn(frames.take(first))).toEqual(['{"id":"100-0","text":"a"}']);
    add(feed, 'b');
    const both = ['a', 'b'].map((text) => `{"id":"101-0","text":"${text}"}`);
    expect(textsIn(frames.take(second))).toEqual(both);
    expect(textsIn(frames.take(first))).toEqual(['{"id":"100-0","text":"b"}']);
    expect(textsIn(frames.take(third)).at(-1)).toBe('{"id":"a longer one","text":"b"}');
  });

  test('that a stream keeps do not change', () => {
    const feed = new Feed();
    const [first, second] = clientsOf([feed], 2);
    if (!first || !second) throw new Error('no clients');
    add(feed, 'a');
    const frames = new SharedFrames();
    const frame = frames.take(first);
    if (!frame) throw new Error('no frames');
    frames.give(frame);
    expect(textsIn(frames.take(second))).toEqual(['{"id":"101-0","text":"a"}']);
    expect(textsIn(frame)).toEqual(['{"id":"100-0","text":"a"}']);
  });
});

describe('a follower', () => {
  test('is called once until it has read, however much is added in its room', () => {
    const feed = new Feed();
    let calls = 0;
    const readings = new Readings({
      added: () => {
        calls += 1;
        return { messages: 10, bytes: 1_000_000 };
      },
    });
    readings.add(new Reading(feed, '1'));
    for (const _ of upTo(11)) add(feed, 'a');
    expect(calls).toBe(1);
    add(feed, 'a');
    expect(calls).toBe(2);
    const texts: string[] = [];
    readings.takeAll((_, shared) => texts.push(String(shared)));
    expect(texts).toHaveLength(12);
    add(feed, 'a');
    expect(calls).toBe(3);
  });
});

test('each client of a node gets what it subscribed to, in order and between its answers', async () => {
  const node = await createChain({ seed: 0, port: 0 });
  const { port } = await node.listen();
  await node.request('devnet_createBlock');
  const kinds = [
    ['NewHeads', 'NewTransactionReceipts'],
    ['NewTransactionReceipts', 'NewHeads', 'NewHeads'],
    ['NewTransactions', 'NewHeads'],
  ];
  const clients = await Promise.all(
    upTo(12).map(async (index) => {
      const raw = await rawSocket({ port });
      const subscriptionNames = kinds[index % kinds.length] ?? [];
      for (const [id, name] of subscriptionNames.entries())
        raw.call(id, `starknet_subscribe${name}`);
      await raw.until(() => raw.texts.length === subscriptionNames.length);
      const ids = raw.texts.splice(0).map((text): string => JSON.parse(text).result);
      return { raw, subscriptionNames, ids };
    }),
  );
  const blocks = 8;
  for (const block of upTo(blocks)) {
    await node.request('devnet_mint', { address: '0x1', amount: 1 });
    for (const { raw } of clients) if (block % 2 === 0) raw.call(100, 'starknet_chainId');
  }
  for (const { raw, subscriptionNames, ids } of clients) {
    await raw.until(() => raw.texts.length === subscriptionNames.length * blocks + blocks / 2);
    const notifications = raw.texts
      .map((text) => JSON.parse(text))
      .filter(({ id }) => id === undefined);
    for (const [at, name] of subscriptionNames.entries()) {
      const ofSubscription = notifications.filter(
        ({ params }) => params.subscription_id === ids[at],
      );
      expect(new Set(ofSubscription.map(({ method }) => method))).toEqual(
        new Set([`starknet_subscription${name === 'NewTransactions' ? 'NewTransaction' : name}`]),
      );
      expect(ofSubscription).toHaveLength(blocks);
      const numbers = ofSubscription.flatMap(({ params }) => params.result.block_number ?? []);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    }
  }
  await node.close();
});
