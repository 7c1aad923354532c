// WebSocket clients that do not read, or may be gone.
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createChain } from '../../../src/index.js';
import type { Listener } from '../../../src/rpc/protocol/call-context.js';
import { CLOSE, frame, PING, PONG } from '../../support/raw-socket.js';
import {
  client,
  closeAfterEach,
  idsOf,
  listening,
  MANY,
  openServer,
  ping,
  rawSocket,
  type SocketServer,
  upTo,
} from './socket-server.js';

closeAfterEach();

describe('a client that does not read', () => {
  const notify = (listener: Listener, number: number, length = 1_000): void => {
    const shared = Buffer.from(`${'x'.repeat(length)}"}`);
    listener.sendShared(Buffer.from(`{"id":${number},"text":"`), shared);
  };

  /** Sends until the socket is closed; how many messages that took. */
  async function exhaust(listener: Listener, length: number): Promise<number> {
    let count = 0;
    for (; listener.isOpen && count < 1_000_000; count += 1) {
      notify(listener, count, length);
      if (count % 10 === 0) await new Promise(setImmediate);
    }
    return count;
  }

  test.each([
    ['messages', { messages: 100, bytes: 1_000_000_000 }, 10_000],
    ['bytes', { messages: 1_000_000, bytes: 1_000_000 }, 100_000],
  ])('is disconnected with a reason when too many %s wait', async (_, queueLimit, length) => {
    const served = await openServer({ queueLimit });
    const reader = await listening(served);
    const { raw, listener } = await listening(served);
    raw.socket.pause();
    const sentCount = await exhaust(listener, length);
    // At once, not when the connection is really closed.
    expect(served.gone).toEqual([listener]);
    expect(served.warnings).toHaveLength(1);
    notify(reader.listener, 1);
    await reader.raw.until(() => reader.raw.texts.length === 2);
    await ping(served);

    raw.socket.resume();
    expect(await raw.closed()).toEqual([1008, 'the client reads messages too slowly']);
    const numbers = idsOf(raw.texts.slice(1));
    expect(numbers).toEqual(upTo(numbers.length));
    // What the node held was the queue and nothing more.
    const most = Math.min(queueLimit.messages, Math.floor(queueLimit.bytes / length));
    expect(sentCount - numbers.length).toBeGreaterThanOrEqual(most);
    expect(sentCount - numbers.length).toBeLessThanOrEqual(most + 1);
    expect(raw.frames.at(-1)?.opcode).toBe(CLOSE);
  });

  test('for a while misses nothing', async () => {
    const served = await openServer();
    const { raw, listener } = await listening(served);
    raw.socket.pause();
    for (const number of upTo(300)) notify(listener, number, 100_000);
    await ping(served);
    expect(listener.isOpen).toBe(true);
    raw.socket.resume();
    await raw.until(() => raw.texts.length === 301);
    expect(idsOf(raw.texts)).toEqual([0, ...upTo(300)]);
  });

  test('is not disconnected when only its writes are late', async () => {
    const served = await openServer({ queueLimit: { messages: 10, bytes: 10_000 } });
    const { raw, listener } = await listening(served);
    for (const number of upTo(1_000)) notify(listener, number, 50);
    await raw.until(() => raw.texts.length === 1_001);
    expect(idsOf(raw.texts)).toEqual([0, ...upTo(1_000)]);
  });

  test('gets no more answers until it reads', async () => {
    const served = await openServer();
    const raw = await rawSocket(served);
    raw.socket.pause();
    for (const id of upTo(MANY)) raw.call(id, 'devnet_large');
    let pings = 0;
    let before: number;
    do {
      before = served.calls();
      for (let times = 0; times < 5; times += 1) await ping(served);
      pings += 5;
    } while (served.calls() > before + 5);
    expect(served.calls()).toBeLessThan(MANY + pings);
    expect(served.sockets.count).toBe(1);
    raw.socket.resume();
    await raw.until(() => raw.texts.length === MANY);
    expect(idsOf(raw.texts)).toEqual(upTo(MANY));
    expect(served.warnings).toEqual([]);
  });

  test('on a real chain delays neither it nor others', async () => {
    const node = await createChain({ seed: 0, port: 0, maximumQueuedMessages: 1_000 });
    const { port } = await node.listen();
    const deaf = await rawSocket({ port });
    for (const id of upTo(400)) deaf.call(id, 'starknet_subscribeNewHeads');
    await deaf.until(() => deaf.texts.length === 400);
    deaf.socket.pause();
    const reader = await rawSocket({ port });
    reader.call(0, 'starknet_subscribeNewHeads');
    await reader.until(() => reader.texts.length === 1);

    const blocks = 60;
    for (let block = 1; block <= blocks; block += 1) await node.request('devnet_createBlock');
    await reader.until(() => reader.texts.length === 1 + blocks);
    const numbers = reader.texts
      .slice(1)
      .map((text) => JSON.parse(text).params.result.block_number);
    expect(numbers).toEqual(upTo(blocks).map((block) => block + 1));

    deaf.socket.resume();
    expect(await deaf.closed()).toEqual([1008, 'the client reads messages too slowly']);
    await node.close();
  });
});

describe('a client that may be gone', () => {
  /** Long enough that a busy machine does not make a client late. */
  const heartbeatMilliseconds = 250;

  /** Waits for so many pulses, by the pings that a client of the usual kind gets. */
  async function pulses(served: SocketServer, count: number): Promise<void> {
    const socket = await client(served);
    for (let times = 0; times < count; times += 1) await once(socket, 'ping');
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.terminate();
  }

  test('is pinged, and disconnected if it does not answer', async () => {
    const served = await openServer({ heartbeatMilliseconds });
    const { raw, listener } = await listening(served);
    const answering = pulses(served, 3);
    await once(raw.socket, 'close');
    expect(raw.frames.map(({ opcode }) => opcode)).toContain(PING);
    expect(raw.goodbye).toBeUndefined();
    expect(served.gone).toEqual([listener]);
    await answering;
  });

  test('stays connected if it sends a message', async () => {
    const served = await openServer({ heartbeatMilliseconds });
    const raw = await rawSocket(served);
    let pings = 0;
    while (pings < 3) {
      await raw.until(() => raw.frames.filter(({ opcode }) => opcode === PING).length > pings);
      pings += 1;
      raw.call(pings, 'starknet_chainId');
    }
    await raw.until(() => raw.texts.length === 3);
    expect(raw.socket.closed).toBe(false);
  });

  test('is not disconnected while its own long calls delay its messages', async () => {
    const served = await openServer({ heartbeatMilliseconds });
    const raw = await rawSocket(served);
    raw.call(0, 'devnet_wait');
    for (const id of upTo(200)) raw.call(id + 1, 'starknet_chainId');
    await pulses(served, 3);
    expect(raw.socket.closed).toBe(false);
    served.open();
    await raw.until(() => raw.texts.length === 201);
    expect(idsOf(raw.texts)).toEqual(upTo(201));
  });

  test('is disconnected if it sends calls but never reads', async () => {
    const served = await openServer({ heartbeatMilliseconds });
    const raw = await rawSocket(served);
    raw.socket.pause();
    for (const id of upTo(MANY)) raw.call(id, 'devnet_large');
    while (served.sockets.count > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(served.calls()).toBeLessThan(MANY);
  });

  test('and pings itself is answered, also while a call takes long', async () => {
    const served = await openServer();
    const raw = await rawSocket(served);
    raw.call(1, 'devnet_wait');
    raw.write(frame('hello', { opcode: PING }));
    await raw.until(() => raw.frames.length === 1);
    expect(raw.frames).toEqual([{ opcode: PONG, payload: Buffer.from('hello') }]);
  });
});
