// WebSocket clients that do not read, or may be gone.
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
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
  const notify = (listener: Listener, number: number, length = 1_000): void =>
    listener.send(`{"id":${number},"text":"${'x'.repeat(length)}"}`);

  /** Sends until the socket is closed; how many messages that took. */
  async function exhaust(listener: Listener, length: number): Promise<number> {
    let count = 0;
    for (; listener.isOpen && count < 1_000_000; count += 1) {
      notify(listener, count, length);
      if (count % 10 === 0) await new Promise(setImmediate);
    }
    return count;
  }

  test('additions.7b is disconnected with a reason when too many bytes wait', async () => {
    const [unreadLimit, length] = [1_000_000, 100_000];
    const served = await openServer({ unreadLimit });
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
    // The message that was refused, and nothing else.
    expect(sentCount - numbers.length).toBe(1);
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

  test('is not disconnected when it reads, however much it is sent', async () => {
    const served = await openServer({ unreadLimit: 10_000 });
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
