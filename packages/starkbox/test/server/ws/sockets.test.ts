// WebSockets as slow, careless and hostile clients use them, over real sockets: what they get, and what others notice.
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createNode } from '../../../src/index.js';
import { type Log, silentLog } from '../../../src/log.js';
import { Dispatcher, type Listener } from '../../../src/rpc/protocol/dispatcher.js';
import { Schema } from '../../../src/rpc/protocol/schema.js';
import { type HttpServer, serveHttp } from '../../../src/server/http/server.js';
import { type SocketOptions, type Sockets, serveSockets } from '../../../src/server/ws/server.js';
import {
  BINARY,
  CLOSE,
  frame,
  handshake,
  PING,
  PONG,
  RawSocket,
} from '../../support/raw-socket.js';

interface Door {
  readonly port: number;
  readonly sockets: Sockets;
  /** Those who called `devnet_listen`, in this order. */
  readonly listeners: Listener[];
  /** Those of whom nobody will hear any more. */
  readonly gone: Listener[];
  readonly warnings: unknown[];
  /** Calls that have begun. */
  readonly calls: () => number;
  /** Lets `devnet_wait` go on. */
  readonly open: () => void;
  readonly close: () => Promise<void>;
}

/** A few dozen of these are more than the system keeps for a connection. */
const LARGE = 'x'.repeat(1_000_000);
const MANY = 150;
const doors: Door[] = [];
const raws: RawSocket[] = [];

async function openDoor(changes: Partial<SocketOptions> = {}): Promise<Door> {
  const [listeners, gone, warnings]: [Listener[], Listener[], unknown[]] = [[], [], []];
  let calls = 0;
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const dispatcher = new Dispatcher({
    handlers: {
      starknet_chainId: () => '0x1',
      devnet_wait: () => opened,
      devnet_large: () => LARGE,
      devnet_listen: (_: object, { listener }) => listener && listeners.push(listener),
    },
    restricted: undefined,
    log: silentLog,
    maxBatch: 10,
    schema: new Schema(() => new Map()),
    onCall: () => {
      calls += 1;
    },
  });
  const log: Log = { ...silentLog, warn: (...said: unknown[]) => void warnings.push(said) };
  const sockets = serveSockets({
    dispatcher,
    messageLimit: 1_000,
    queueLimit: { messages: 1_000_000, bytes: 1_000_000_000 },
    beforeAnswer: () => {},
    onClose: (listener) => void (gone.includes(listener) || gone.push(listener)),
    log,
    ...changes,
  });
  const server: HttpServer = await serveHttp({
    dispatcher,
    host: '127.0.0.1',
    port: 0,
    timeoutSeconds: 20,
    bodyLimit: 1_000_000,
    config: () => '{}',
    log,
    upgrades: new Map(['/ws', '/', '/rpc'].map((path) => [path, sockets.upgrade])),
  });
  const close = (): Promise<void> => {
    open();
    sockets.close();
    return server.close();
  };
  const { port } = server;
  const door = { port, sockets, listeners, gone, warnings, calls: () => calls, open, close };
  doors.push(door);
  return door;
}

afterEach(async () => {
  for (const raw of raws.splice(0)) raw.socket.destroy();
  await Promise.all(doors.splice(0).map((door) => door.close()));
});

async function rawSocket({ port }: { readonly port: number }): Promise<RawSocket> {
  const raw = await RawSocket.open(port);
  raws.push(raw);
  return raw;
}

/** A client of the usual kind. */
async function polite({ port }: { readonly port: number }): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  await once(socket, 'open');
  return socket;
}

/** A socket that has called `devnet_listen`, and its other end. */
async function listening(door: Door): Promise<{ raw: RawSocket; listener: Listener }> {
  const raw = await rawSocket(door);
  raw.call(0, 'devnet_listen');
  await raw.until(() => raw.texts.length === 1);
  const listener = door.listeners.at(-1);
  if (!listener) throw new Error('nobody listens');
  return { raw, listener };
}

const idsOf = (texts: readonly string[]): readonly unknown[] =>
  texts.map((text) => JSON.parse(text).id);

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** A call that is answered at once. */
async function ping(door: Door): Promise<void> {
  const socket = await polite(door);
  socket.send('{"jsonrpc":"2.0","id":1,"method":"starknet_chainId"}');
  const [answer] = await once(socket, 'message');
  expect(JSON.parse(String(answer))).toEqual({ jsonrpc: '2.0', id: 1, result: '0x1' });
  socket.close();
  await once(socket, 'close');
}

describe('who breaks the rules', () => {
  const text = '{"jsonrpc":"2.0","id":1,"method":"starknet_chainId"}';

  test.each<[string, Buffer, number]>([
    ['a frame without a mask', frame(text, { isMasked: false }), 1002],
    ['a frame with a reserved bit', frame(text, { reserved: 0x20 }), 1002],
    ['a compressed frame', frame(text, { reserved: 0x40 }), 1002],
    ['a frame of an unknown kind', frame(text, { opcode: 0x3 }), 1002],
    ['the end of a message that has no beginning', frame(text, { opcode: 0x0 }), 1002],
    ['two messages at once', Buffer.concat([frame('{', { isLast: false }), frame(text)]), 1002],
    ['a ping in parts', frame('', { opcode: PING, isLast: false }), 1002],
    ['a ping that is too long', frame('x'.repeat(126), { opcode: PING }), 1002],
    ['a goodbye of one byte', frame('x', { opcode: CLOSE }), 1002],
    ['a goodbye with a forbidden code', frame(Buffer.from([0, 1]), { opcode: CLOSE }), 1002],
    ['a text that is not UTF-8', frame(Buffer.from([0x22, 0xff, 0x22])), 1007],
    ['a long message', frame('x'.repeat(1_001)), 1009],
    ['the announcement of a huge message', frame('', { length: 2 ** 40 }), 1009],
    [
      'a long message in parts',
      Buffer.concat([
        frame('x'.repeat(600), { isLast: false }),
        frame('x'.repeat(600), { opcode: 0x0 }),
      ]),
      1009,
    ],
  ])('%s ends the connection, and no other', async (_, bytes, code) => {
    const door = await openDoor();
    const bystander = await listening(door);
    const raw = await rawSocket(door);
    raw.write(bytes);
    expect((await raw.closed())?.[0]).toBe(code);
    expect(raw.texts).toEqual([]);
    bystander.listener.send('still here');
    await bystander.raw.until(() => bystander.raw.texts.length === 2);
    expect(bystander.raw.goodbye).toBeUndefined();
    await ping(door);
  });

  test('a message of exactly the limit is read, in one part or in many', async () => {
    const raw = await rawSocket(await openDoor());
    const message = text.padEnd(1_000);
    raw.write(frame(message));
    raw.write(frame(message, { opcode: BINARY }));
    for (let at = 0; at < 1_000; at += 1) {
      raw.write(frame(message[at] ?? '', { opcode: at === 0 ? 1 : 0, isLast: at === 999 }));
    }
    await raw.until(() => raw.texts.length === 3);
    expect(idsOf(raw.texts)).toEqual([1, 1, 1]);
  });

  test('frames may come in any pieces, the first ones with the handshake', async () => {
    const { port } = await openDoor();
    const bytes = Buffer.concat([frame(text), frame('é', { opcode: PING }), frame(text)]);
    const raw = await RawSocket.send(port, Buffer.concat([Buffer.from(handshake()), bytes]));
    raws.push(raw);
    for (const byte of bytes) {
      await new Promise((resolve) => raw.socket.write(Buffer.from([byte]), resolve));
    }
    await raw.until(() => raw.frames.length === 6);
    expect(idsOf(raw.texts)).toEqual([1, 1, 1, 1]);
    expect(raw.frames.filter(({ opcode }) => opcode === PONG).map(String)).toHaveLength(2);
  });

  test('what is not JSON-RPC is answered as such', async () => {
    const raw = await rawSocket(await openDoor());
    for (const garbage of ['{', '', 'null', '[]']) raw.write(frame(garbage));
    raw.write(frame(Buffer.from([0xff, 0xfe]), { opcode: BINARY }));
    await raw.until(() => raw.texts.length === 5);
    const codes = raw.texts.map((answer) => JSON.parse(answer).error.code);
    expect(codes).toEqual([-32700, -32700, -32600, -32600, -32700]);
  });
});

describe('the handshake', () => {
  const answerTo = async (port: number, request: string): Promise<string> => {
    const raw = await RawSocket.send(port, request);
    raws.push(raw);
    await raw.until(() => raw.head !== '');
    return raw.head;
  };

  test('is taken at /ws, and where calls are', async () => {
    const { port } = await openDoor();
    expect(await answerTo(port, handshake())).toMatch(/^HTTP\/1\.1 101/);
    expect(await answerTo(port, handshake('/ws?key=value'))).toMatch(/^HTTP\/1\.1 101/);
    expect(await answerTo(port, handshake('/ws/'))).toMatch(/^HTTP\/1\.1 404/);
    expect(await answerTo(port, handshake('/nothing'))).toMatch(/^HTTP\/1\.1 404/);
    for (const path of ['/', '/rpc', '/rpc?key=value']) {
      expect(await answerTo(port, handshake(path)), path).toMatch(/^HTTP\/1\.1 101/);
      const other = handshake(path, { Upgrade: 'something' });
      expect(await answerTo(port, other), path).toMatch(/^HTTP\/1\.1 405/);
      const posted = handshake(path).replace('GET', 'POST');
      expect(await answerTo(port, posted), path).toMatch(/^HTTP\/1\.1 200/);
    }
    expect((await fetch(`http://127.0.0.1:${port}/ws`)).status).toBe(400);
    expect((await fetch(`http://127.0.0.1:${port}/ws`, { method: 'POST' })).status).toBe(405);
  });

  test.each([
    ['Sec-WebSocket-Version', '7'],
    ['Sec-WebSocket-Key', 'short'],
    ['Upgrade', 'something'],
  ])('is refused with a wrong %s', async (name, value) => {
    const { port } = await openDoor();
    const raw = await RawSocket.send(port, handshake('/ws', { [name]: value }));
    raws.push(raw);
    await once(raw.socket, 'close');
    expect(raw.head).toMatch(/^HTTP\/1\.1 400/);
  });

  test('is refused with another method', async () => {
    const { port } = await openDoor();
    expect(await answerTo(port, handshake().replace('GET', 'POST'))).toMatch(/^HTTP\/1\.1 405/);
  });

  test('that never ends keeps nobody from closing', async () => {
    const door = await openDoor();
    raws.push(await RawSocket.send(door.port, handshake().slice(0, -2)));
    raws.push(await RawSocket.send(door.port, handshake('/nothing')));
    raws.push(await RawSocket.send(door.port, handshake('/ws', { 'Sec-WebSocket-Version': '1' })));
    await ping(door);
    await door.close();
  });

  const post = (body: string, ...headers: readonly string[]): string =>
    [
      'POST / HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      ...headers,
      ...(headers.some((header) => header.startsWith('Transfer'))
        ? []
        : [`Content-Length: ${body.length}`]),
      '',
      body,
    ].join('\r\n');
  const H2C = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'];
  const call = (id: number, method = 'starknet_chainId'): string =>
    JSON.stringify({ jsonrpc: '2.0', id, method });

  /** The ids of the answers on a connection, once there are so many. */
  async function idsOn(port: number, count: number, ...requests: readonly string[]) {
    const raw = await RawSocket.send(port, requests[0] ?? '');
    raws.push(raw);
    let received = '';
    raw.socket.on('data', (chunk) => {
      received += chunk;
    });
    for (const request of requests.slice(1)) raw.socket.write(request);
    const ids = (): readonly string[] =>
      [...received.matchAll(/"id":(\d+)/g)].map(([, id]) => id ?? '');
    while (ids().length < count) await once(raw.socket, 'data');
    expect(received).not.toContain('HTTP/1.1 4');
    return ids();
  }

  test('for another protocol is ignored, as often as it is offered', async () => {
    const { port } = await openDoor();
    const warned: unknown[] = [];
    process.on('warning', (warning) => warned.push(warning));
    const requests = upTo(40).map((id) => post(call(id), ...H2C));
    expect(await idsOn(port, 40, ...requests)).toEqual(upTo(40).map(String));
    expect(await idsOn(port, 40, requests.join(''))).toEqual(upTo(40).map(String));
    // A body in chunks, and one that comes later than its headers.
    const chunked = `${call(7).length.toString(16)}\r\n${call(7)}\r\n0\r\n\r\n`;
    const [first, ...rest] = post(call(8), ...H2C).split('{');
    expect(
      await idsOn(
        port,
        3,
        post(chunked, 'Transfer-Encoding: chunked', ...H2C),
        first ?? '',
        `{${rest.join('{')}`,
        post(call(9)),
      ),
    ).toEqual(['7', '8', '9']);
    // Warnings come in a turn of their own.
    await new Promise(setImmediate);
    expect(warned).toEqual([]);
  });

  test('for another protocol waits for the answers before it', async () => {
    const door = await openDoor();
    const ids = idsOn(
      door.port,
      3,
      post(call(1, 'devnet_wait')) + post(call(2)) + post(call(3), ...H2C),
    );
    while (door.calls() < 1) await new Promise(setImmediate);
    door.open();
    expect(await ids).toEqual(['1', '2', '3']);
  });

  test('for a WebSocket waits for the answers before it', async () => {
    const door = await openDoor();
    const raw = await RawSocket.send(door.port, post(call(1, 'devnet_wait')) + handshake());
    raws.push(raw);
    let received = '';
    raw.socket.on('data', (chunk) => {
      received += chunk;
    });
    await ping(door);
    door.open();
    while (!received.includes('HTTP/1.1 101')) await once(raw.socket, 'data');
    expect(received).toMatch(/^HTTP\/1\.1 200.*"id":1.*HTTP\/1\.1 101/s);
  });

  test('that waits for an answer does not keep anybody from closing', async () => {
    const door = await openDoor();
    const raw = await RawSocket.send(door.port, post(call(1, 'devnet_wait')) + handshake());
    raws.push(raw);
    await ping(door);
    const gone = once(raw.socket, 'close');
    await door.close();
    await gone;
    expect(raw.head).toMatch(/^HTTP\/1\.1 200/);
  });
});

describe('who does not read', () => {
  const notify = (listener: Listener, number: number, length = 1_000): void => {
    const shared = Buffer.from(`${'x'.repeat(length)}"}`);
    listener.sendShared(Buffer.from(`{"id":${number},"text":"`), shared);
  };

  /** Sends until the socket is closed; how many messages that took. */
  async function exhaust(listener: Listener, length: number): Promise<number> {
    let sent = 0;
    for (; listener.isOpen && sent < 1_000_000; sent += 1) {
      notify(listener, sent, length);
      if (sent % 10 === 0) await new Promise(setImmediate);
    }
    return sent;
  }

  test.each([
    ['messages', { messages: 100, bytes: 1_000_000_000 }, 10_000],
    ['bytes', { messages: 1_000_000, bytes: 1_000_000 }, 100_000],
  ])('is sent away when too many %s wait, and told why', async (_, queueLimit, length) => {
    const door = await openDoor({ queueLimit });
    const reader = await listening(door);
    const { raw, listener } = await listening(door);
    raw.socket.pause();
    const sent = await exhaust(listener, length);
    // At once, not when the connection is really closed.
    expect(door.gone).toEqual([listener]);
    expect(door.warnings).toHaveLength(1);
    notify(reader.listener, 1);
    await reader.raw.until(() => reader.raw.texts.length === 2);
    await ping(door);

    raw.socket.resume();
    expect(await raw.closed()).toEqual([1008, 'messages are not read fast enough']);
    const numbers = idsOf(raw.texts.slice(1));
    expect(numbers).toEqual(upTo(numbers.length));
    // What the node held was the queue and nothing more.
    const most = Math.min(queueLimit.messages, Math.floor(queueLimit.bytes / length));
    expect(sent - numbers.length).toBeGreaterThanOrEqual(most);
    expect(sent - numbers.length).toBeLessThanOrEqual(most + 1);
    expect(raw.frames.at(-1)?.opcode).toBe(CLOSE);
  });

  test('for a while misses nothing', async () => {
    const door = await openDoor();
    const { raw, listener } = await listening(door);
    raw.socket.pause();
    for (const number of upTo(300)) notify(listener, number, 100_000);
    await ping(door);
    expect(listener.isOpen).toBe(true);
    raw.socket.resume();
    await raw.until(() => raw.texts.length === 301);
    expect(idsOf(raw.texts)).toEqual([0, ...upTo(300)]);
  });

  test('who is only written to late is not sent away', async () => {
    const door = await openDoor({ queueLimit: { messages: 10, bytes: 10_000 } });
    const { raw, listener } = await listening(door);
    for (const number of upTo(1_000)) notify(listener, number, 50);
    await raw.until(() => raw.texts.length === 1_001);
    expect(idsOf(raw.texts)).toEqual([0, ...upTo(1_000)]);
  });

  test('answers gets no more of them until it does', async () => {
    const door = await openDoor();
    const raw = await rawSocket(door);
    raw.socket.pause();
    for (const id of upTo(MANY)) raw.call(id, 'devnet_large');
    let pings = 0;
    let before: number;
    do {
      before = door.calls();
      for (let times = 0; times < 5; times += 1) await ping(door);
      pings += 5;
    } while (door.calls() > before + 5);
    expect(door.calls()).toBeLessThan(MANY + pings);
    expect(door.sockets.count).toBe(1);
    raw.socket.resume();
    await raw.until(() => raw.texts.length === MANY);
    expect(idsOf(raw.texts)).toEqual(upTo(MANY));
    expect(door.warnings).toEqual([]);
  });

  test('on a real chain delays neither it nor others', async () => {
    const node = await createNode({ seed: 0, port: 0, maximumQueuedMessages: 1_000 });
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
      .map((told) => JSON.parse(told).params.result.block_number);
    expect(numbers).toEqual(upTo(blocks).map((block) => block + 1));

    deaf.socket.resume();
    expect(await deaf.closed()).toEqual([1008, 'messages are not read fast enough']);
    await node.close();
  });
});

describe('who may be gone', () => {
  const pulseMilliseconds = 30;

  /** Waits for so many pulses, by the pings that a client of the usual kind gets. */
  async function pulses(door: Door, count: number): Promise<void> {
    const socket = await polite(door);
    for (let times = 0; times < count; times += 1) await once(socket, 'ping');
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.terminate();
  }

  test('is asked, and disconnected if it does not answer', async () => {
    const door = await openDoor({ pulseMilliseconds });
    const { raw, listener } = await listening(door);
    const answering = pulses(door, 6);
    await once(raw.socket, 'close');
    expect(raw.frames.map(({ opcode }) => opcode)).toContain(PING);
    expect(raw.goodbye).toBeUndefined();
    expect(door.gone).toEqual([listener]);
    await answering;
  });

  test('shows by a message that it is not', async () => {
    const door = await openDoor({ pulseMilliseconds });
    const raw = await rawSocket(door);
    let pings = 0;
    while (pings < 6) {
      await raw.until(() => raw.frames.filter(({ opcode }) => opcode === PING).length > pings);
      pings += 1;
      raw.call(pings, 'starknet_chainId');
    }
    await raw.until(() => raw.texts.length === 6);
    expect(raw.socket.closed).toBe(false);
  });

  test('is not asked while it cannot be heard because its own calls take long', async () => {
    const door = await openDoor({ pulseMilliseconds });
    const raw = await rawSocket(door);
    raw.call(0, 'devnet_wait');
    for (const id of upTo(200)) raw.call(id + 1, 'starknet_chainId');
    await pulses(door, 6);
    expect(raw.socket.closed).toBe(false);
    door.open();
    await raw.until(() => raw.texts.length === 201);
    expect(idsOf(raw.texts)).toEqual(upTo(201));
  });

  test('is disconnected if it calls and calls but never reads', async () => {
    const door = await openDoor({ pulseMilliseconds });
    const raw = await rawSocket(door);
    raw.socket.pause();
    for (const id of upTo(MANY)) raw.call(id, 'devnet_large');
    while (door.sockets.count > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(door.calls()).toBeLessThan(MANY);
  });

  test('and pings itself is answered, also while a call takes long', async () => {
    const door = await openDoor();
    const raw = await rawSocket(door);
    raw.call(1, 'devnet_wait');
    raw.write(frame('hello', { opcode: PING }));
    await raw.until(() => raw.frames.length === 1);
    expect(raw.frames).toEqual([{ opcode: PONG, payload: Buffer.from('hello') }]);
  });
});

describe('closing', () => {
  test.each<[string, (raw: RawSocket) => void]>([
    ['says goodbye', (raw) => raw.write(frame(Buffer.from([3, 232]), { opcode: CLOSE }))],
    ['ends the connection', (raw) => raw.socket.end()],
    ['breaks the connection', (raw) => raw.socket.resetAndDestroy()],
  ])('a client that %s is told nothing more', async (_, leave) => {
    const door = await openDoor();
    const { raw, listener } = await listening(door);
    leave(raw);
    while (door.sockets.count > 0) await new Promise(setImmediate);
    expect(door.gone).toEqual([listener]);
    expect(listener.isOpen).toBe(false);
    listener.send('nothing');
    listener.sendShared(Buffer.from('no'), Buffer.from('thing'));
  });

  test('a client that says goodbye and stays is told nothing more either', async () => {
    const door = await openDoor();
    const { raw, listener } = await listening(door);
    raw.socket.pause();
    raw.write(frame(Buffer.from([3, 232]), { opcode: CLOSE }));
    while (listener.isOpen) await new Promise(setImmediate);
    listener.sendShared(Buffer.from('no'), Buffer.from('thing'));
    expect(door.gone).toEqual([listener]);
  });

  test('the node says goodbye, to those who read and answer and to those who do not', async () => {
    const node = await createNode({ seed: 0, port: 0 });
    const { port } = await node.listen();
    const usual = await polite({ port });
    const silent = await rawSocket({ port });
    const deaf = await rawSocket({ port });
    deaf.socket.pause();
    const goodbye = once(usual, 'close');
    await node.close();
    const [code, reason] = await goodbye;
    expect([code, String(reason)]).toEqual([1001, 'the node stops']);
    expect(silent.goodbye).toEqual([1001, 'the node stops']);
    deaf.socket.resume();
    expect(await deaf.closed()).toEqual([1001, 'the node stops']);
  });

  test('the node does not wait where everybody answers', async () => {
    const closing = async (connect: (at: { readonly port: number }) => Promise<unknown>) => {
      const node = await createNode({ seed: 0, port: 0 });
      const { port } = await node.listen();
      await Promise.all(upTo(20).map(() => connect({ port })));
      const begin = performance.now();
      await node.close();
      return performance.now() - begin;
    };
    expect(await closing(polite)).toBeLessThan(await closing(rawSocket));
  });
});

describe('order', () => {
  test('answers come in the order of the calls, whatever each takes', async () => {
    const door = await openDoor();
    const raw = await rawSocket(door);
    raw.call(0, 'starknet_chainId');
    raw.call(1, 'devnet_wait');
    raw.call(2, 'starknet_chainId');
    raw.call(3, 'devnet_large');
    raw.call(4, 'nothing');
    for (const id of upTo(200)) raw.call(5 + id, 'starknet_chainId');
    await raw.until(() => raw.texts.length === 1);
    // Others do not wait for it.
    await ping(door);
    expect(idsOf(raw.texts)).toEqual([0]);
    door.open();
    await raw.until(() => raw.texts.length === 205);
    expect(idsOf(raw.texts)).toEqual(upTo(205));
  });

  test('what is sent to a socket stays in order, whatever is an answer', async () => {
    const door = await openDoor();
    const { raw, listener } = await listening(door);
    for (const number of upTo(100)) {
      if (number % 3 === 0) listener.send(`{"id":${number}}`);
      else listener.sendShared(Buffer.from('{"id":'), Buffer.from(`${number}}`));
    }
    await raw.until(() => raw.texts.length === 101);
    expect(idsOf(raw.texts.slice(1))).toEqual(upTo(100));
  });

  test('messages of every length arrive as they were', async () => {
    const door = await openDoor();
    const { raw, listener } = await listening(door);
    const lengths = [0, 1, 125, 126, 127, 65_535, 65_536, 65_537, 300_000, 2];
    for (const length of lengths) {
      listener.sendShared(
        Buffer.alloc(Math.floor(length / 2), 'ä'),
        Buffer.alloc(Math.ceil(length / 2), 'x'),
      );
      listener.send('é'.repeat(length));
    }
    await raw.until(() => raw.texts.length === 1 + 2 * lengths.length);
    const sizes = raw.frames.slice(1).map(({ payload }) => payload.length);
    expect(sizes).toEqual(lengths.flatMap((length) => [length, 2 * length]));
  });

  test('a subscription is confirmed before it is told anything, however busy the chain is', async () => {
    const node = await createNode({ seed: 0, port: 0 });
    const { port, url } = await node.listen();
    let isDone = false;
    const work = async (method: string, params: object): Promise<void> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const headers = { 'content-type': 'application/json' };
      while (!isDone) await (await fetch(url, { method: 'POST', headers, body })).text();
    };
    const busy = [
      work('devnet_createBlock', {}),
      work('devnet_createBlock', {}),
      work('devnet_mint', { address: '0x1', amount: 1 }),
    ];
    for (let round = 0; round < 10; round += 1) {
      const raw = await rawSocket({ port });
      raw.call(0, 'starknet_subscribeNewHeads', { block_id: { block_number: 0 } });
      raw.call(1, 'starknet_subscribeNewHeads');
      raw.call(2, 'starknet_subscribeNewTransactionReceipts');
      const wanted = 8;
      const parsed = () => raw.texts.map((told) => JSON.parse(told));
      const toldTo = (id: number): readonly number[] => {
        const messages = parsed();
        const confirmed = messages.findIndex((message) => message.id === id);
        if (confirmed < 0) return [];
        const subscription = messages[confirmed].result;
        const told = [...messages.entries()].filter(
          ([, message]) => message.params?.subscription_id === subscription,
        );
        expect(told.every(([at]) => at > confirmed)).toBe(true);
        return told.map(([, message]) => message.params.result.block_number);
      };
      await raw.until(() => toldTo(1).length >= wanted && toldTo(2).length >= 1);
      const [all, later] = [toldTo(0), toldTo(1)];
      expect(all).toEqual(upTo(all.length));
      const [first = 0] = later;
      expect(later).toEqual(upTo(later.length).map((number) => first + number));
      raw.socket.destroy();
    }
    isDone = true;
    await Promise.all(busy);
    await node.close();
  });
});
