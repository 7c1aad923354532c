// Handshakes of WebSockets, and clients that break the protocol.
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import {
  BINARY,
  CLOSE,
  frame,
  handshake,
  PING,
  PONG,
  RawSocket,
} from '../../support/raw-socket.js';
import {
  closeAfterEach,
  idsOf,
  listening,
  openServer,
  ping,
  rawSocket,
  raws,
  upTo,
} from './socket-server.js';

closeAfterEach();

describe('a client that breaks the protocol', () => {
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
    const served = await openServer();
    const bystander = await listening(served);
    const raw = await rawSocket(served);
    raw.write(bytes);
    expect((await raw.closed())?.[0]).toBe(code);
    expect(raw.texts).toEqual([]);
    bystander.listener.send('still here');
    await bystander.raw.until(() => bystander.raw.texts.length === 2);
    expect(bystander.raw.goodbye).toBeUndefined();
    await ping(served);
  });

  test('a message of exactly the limit is read, in one part or in many', async () => {
    const raw = await rawSocket(await openServer());
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
    const { port } = await openServer();
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
    const raw = await rawSocket(await openServer());
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
    const { port } = await openServer();
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
    const { port } = await openServer();
    const raw = await RawSocket.send(port, handshake('/ws', { [name]: value }));
    raws.push(raw);
    await once(raw.socket, 'close');
    expect(raw.head).toMatch(/^HTTP\/1\.1 400/);
  });

  test('is refused with another method', async () => {
    const { port } = await openServer();
    expect(await answerTo(port, handshake().replace('GET', 'POST'))).toMatch(/^HTTP\/1\.1 405/);
  });

  test('that never ends does not delay closing', async () => {
    const served = await openServer();
    raws.push(await RawSocket.send(served.port, handshake().slice(0, -2)));
    raws.push(await RawSocket.send(served.port, handshake('/nothing')));
    raws.push(
      await RawSocket.send(served.port, handshake('/ws', { 'Sec-WebSocket-Version': '1' })),
    );
    await ping(served);
    await served.close();
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
    const { port } = await openServer();
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
    const served = await openServer();
    const ids = idsOn(
      served.port,
      3,
      post(call(1, 'devnet_wait')) + post(call(2)) + post(call(3), ...H2C),
    );
    while (served.calls() < 1) await new Promise(setImmediate);
    served.open();
    expect(await ids).toEqual(['1', '2', '3']);
  });

  test('for a WebSocket waits for the answers before it', async () => {
    const served = await openServer();
    const raw = await RawSocket.send(served.port, post(call(1, 'devnet_wait')) + handshake());
    raws.push(raw);
    let received = '';
    raw.socket.on('data', (chunk) => {
      received += chunk;
    });
    await ping(served);
    served.open();
    while (!received.includes('HTTP/1.1 101')) await once(raw.socket, 'data');
    expect(received).toMatch(/^HTTP\/1\.1 200.*"id":1.*HTTP\/1\.1 101/s);
  });

  test('that waits for an answer does not delay closing', async () => {
    const served = await openServer();
    const raw = await RawSocket.send(served.port, post(call(1, 'devnet_wait')) + handshake());
    raws.push(raw);
    await ping(served);
    const gone = once(raw.socket, 'close');
    await served.close();
    await gone;
    expect(raw.head).toMatch(/^HTTP\/1\.1 200/);
  });
});
