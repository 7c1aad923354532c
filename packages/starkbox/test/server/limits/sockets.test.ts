// Memory of WebSocket clients: arriving messages, queued calls, unread answers.
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { silentLog } from '../../../src/log.js';
import { Dispatcher } from '../../../src/rpc/protocol/dispatcher.js';
import { Schema } from '../../../src/rpc/protocol/schema.js';
import { MemoryBudget } from '../../../src/scheduling/memory-budget.js';
import { type HttpServer, serveHttp } from '../../../src/server/http/server.js';
import { type Sockets, serveSockets } from '../../../src/server/ws/server.js';
import { frame, PING, PONG, RawSocket } from '../../support/raw-socket.js';
import { batch, call } from './served.js';

const MEGABYTE = 2 ** 20;
const ANSWER = 'x'.repeat(MEGABYTE);
let server: HttpServer | undefined;
let sockets: Sockets | undefined;
let budget = new MemoryBudget();
const clients: (RawSocket | WebSocket)[] = [];

async function start(limit: number, maxAnswer = 2 ** 28): Promise<string> {
  budget = new MemoryBudget(limit);
  const dispatcher = new Dispatcher({
    handlers: { starknet_chainId: () => '0x1', devnet_large: () => ANSWER },
    restricted: undefined,
    log: silentLog,
    maxBatch: 1000,
    maxAnswer,
    schema: new Schema(() => new Map()),
  });
  const opened = serveSockets({
    dispatcher,
    budget,
    messageLimit: 4 * MEGABYTE,
    queueLimit: { messages: 1_000_000, bytes: 1_000_000_000 },
    beforeAnswer: () => {},
    onClose: () => {},
    log: silentLog,
  });
  sockets = opened;
  server = await serveHttp({
    dispatcher,
    host: '127.0.0.1',
    port: 0,
    timeoutSeconds: 100,
    bodyLimit: 4 * MEGABYTE,
    config: () => '{}',
    upgrades: new Map([['/ws', opened.upgrade]]),
    log: silentLog,
  });
  return `ws://127.0.0.1:${server.port}/ws`;
}

async function connect(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url);
  clients.push(socket);
  await once(socket, 'open');
  return socket;
}

async function raw(): Promise<RawSocket> {
  const socket = await RawSocket.open(server?.port ?? 0);
  clients.push(socket);
  return socket;
}

const heldBytes = (): number => budget.held;
const nothingHeld = () => expect.poll(heldBytes, { timeout: 20_000 }).toBe(0);

afterEach(async () => {
  for (const client of clients.splice(0)) {
    if (client instanceof WebSocket) client.terminate();
    else client.socket.destroy();
  }
  sockets?.close();
  await server?.close();
});

async function ask(socket: WebSocket, text: string): Promise<string> {
  const answer = once(socket, 'message');
  socket.send(text);
  return String((await answer)[0]);
}

describe('a socket', () => {
  test('holds nothing between calls, whatever their size', async () => {
    const socket = await connect(await start(64 * MEGABYTE));
    expect(await ask(socket, call(1, 'starknet_chainId'))).toContain('"0x1"');
    expect(await ask(socket, call(2, 'devnet_large'))).toContain(ANSWER);
    expect(await ask(socket, batch(['devnet_large', 'devnet_large']))).toContain('"id":1');
    expect(await ask(socket, `[${' '.repeat(2 * MEGABYTE)}]`)).toContain('-32600');
    await nothingHeld();
  });

  test('gets errors for the part of a batch that exceeds the limit of an answer', async () => {
    const socket = await connect(await start(64 * MEGABYTE, 2.5 * MEGABYTE));
    const answers: { result?: unknown; error?: { message: string } }[] = JSON.parse(
      await ask(socket, batch(Array.from({ length: 5 }, () => 'devnet_large'))),
    );
    expect(answers.map(({ error }) => error?.message.includes('--maximum-response-size'))).toEqual([
      undefined,
      undefined,
      true,
      true,
      true,
    ]);
    await nothingHeld();
  });

  test('gets an error, and goes on, where the budget does not allow an answer', async () => {
    const socket = await connect(await start(MEGABYTE));
    expect(await ask(socket, call(5, 'devnet_large'))).toMatch(/"id":5,"error".*--memory-budget/);
    expect(await ask(socket, call(6, 'starknet_chainId'))).toContain('"0x1"');
    await nothingHeld();
  });

  test('is closed when what it sends of a message is more than the budget allows', async () => {
    const url = await start(4 * MEGABYTE);
    const [first, second] = [await raw(), await raw()];
    const part = frame('x'.repeat(2 * MEGABYTE), { length: 3 * MEGABYTE });
    first.write(part);
    await expect.poll(heldBytes, { timeout: 20_000 }).toBeGreaterThanOrEqual(part.length);
    const ofFirst = heldBytes();
    expect(ofFirst).toBeLessThan(part.length * 1.5);
    second.write(part);
    expect(await second.closed()).toEqual([
      1013,
      'the node has reached its memory budget; --memory-budget sets the limit',
    ]);
    await expect.poll(() => sockets?.count, { timeout: 20_000 }).toBe(1);
    expect(heldBytes()).toBe(ofFirst);
    // Small calls are served meanwhile.
    const socket = await connect(url);
    expect(await ask(socket, call(1, 'starknet_chainId'))).toContain('"0x1"');
    first.socket.destroy();
    await nothingHeld();
  });

  test('that is closed for what it sends counts as long as it is there, and nothing more is kept', async () => {
    await start(4 * MEGABYTE);
    const socket = await raw();
    const part = frame('x'.repeat(3.9 * MEGABYTE), { length: 4 * MEGABYTE });
    socket.write(part);
    expect((await socket.closed())?.[0]).toBe(1013);
    expect(sockets?.count).toBe(1);
    const refused = heldBytes();
    expect(refused).toBeGreaterThan(2 * MEGABYTE);
    socket.write(Buffer.alloc(16 * MEGABYTE));
    await expect.poll(() => sockets?.count, { timeout: 20_000 }).toBe(0);
    expect(refused).toBeLessThanOrEqual(4 * MEGABYTE);
    await nothingHeld();
  });

  test('counts until it is gone also after another reason to close it', async () => {
    await start(64 * MEGABYTE);
    const socket = await raw();
    sockets?.close();
    expect((await socket.closed())?.[0]).toBe(1001);
    socket.write(frame('x'.repeat(MEGABYTE), { length: 2 * MEGABYTE }));
    await expect.poll(heldBytes, { timeout: 20_000 }).toBeGreaterThan(MEGABYTE / 2);
    await nothingHeld();
  });

  test('counts small frames and chunks by the memory that they take', async () => {
    await start(64 * MEGABYTE);
    const socket = await raw();
    const fragment = frame('x', { isLast: false });
    const next = frame('x', { opcode: 0, isLast: false });
    socket.write(Buffer.concat([fragment, ...Array.from({ length: 9_999 }, () => next)]));
    await expect.poll(heldBytes, { timeout: 20_000 }).toBeGreaterThan(10_000 * 150);
    socket.write(frame('x', { opcode: 0 }));
    await nothingHeld();
  });

  test('counts two bytes for each character of a call that has others than those of ASCII', async () => {
    const socket = await connect(await start(4 * MEGABYTE));
    const padded = (text: string) =>
      `${call(1, 'starknet_chainId')}${' '.repeat(2 * MEGABYTE)}${text}`;
    expect(await ask(socket, padded(''))).toContain('"0x1"');
    expect(await ask(socket, padded('\u{1F600}'))).toContain('--memory-budget');
    await nothingHeld();
  });

  test('holds nothing for pings, and what is between two messages', async () => {
    await start(64 * MEGABYTE);
    const socket = await raw();
    const text = frame(call(1, 'starknet_chainId'));
    const ping = frame('hello', { opcode: PING });
    for (const byte of Buffer.concat([ping, text, ping, text.subarray(0, 20)])) {
      socket.write(Buffer.from([byte]));
    }
    await socket.until(() => socket.texts.length === 1);
    await expect.poll(heldBytes, { timeout: 20_000 }).toBeGreaterThanOrEqual(20);
    socket.write(Buffer.concat([text.subarray(20), ping]));
    await socket.until(() => socket.texts.length === 2);
    await nothingHeld();
    expect(socket.frames.filter(({ opcode }) => opcode === PONG)).toHaveLength(3);
  });

  test('that does not read holds its unread answers until it is gone', async () => {
    await start(64 * MEGABYTE);
    const socket = await raw();
    socket.socket.pause();
    for (let id = 0; id < 40; id += 1) socket.call(id, 'devnet_large', []);
    await expect.poll(heldBytes, { timeout: 20_000 }).toBeGreaterThan(MEGABYTE / 2);
    expect(heldBytes()).toBeLessThan(8 * MEGABYTE);
    socket.socket.destroy();
    await nothingHeld();
  });
});
