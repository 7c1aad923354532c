// Memory of request bodies while they arrive, alone and together.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { ERRORS } from '@starkbox/spec';
import { afterEach, describe, expect, test } from 'vitest';
import { call, head, type Served, serve } from './served.js';

const MEGABYTE = 'x'.repeat(2 ** 20);
let served: Served | undefined;

afterEach(async () => {
  await served?.close();
});

async function start(changes: Parameters<typeof serve>[0] = {}): Promise<Served> {
  served = await serve(changes);
  return served;
}

const heldBytes = (): number => served?.budget.held ?? -1;
const nothingHeld = () => expect.poll(heldBytes, { timeout: 20_000 }).toBe(0);

function received(socket: Socket): Promise<string> {
  let said = '';
  socket.on('data', (data) => {
    said += data;
  });
  return once(socket, 'close').then(() => said);
}

describe('bodies', () => {
  test('together have a limit; what is beyond it is answered with 503 and closed', async () => {
    const { send, post, budget } = await start({ memory: 8 * 2 ** 20 });
    const sockets: Socket[] = [];
    for (let count = 1; count <= 3; count += 1) {
      sockets.push(send(head(3 * 2 ** 20) + MEGABYTE.repeat(2)));
      await expect.poll(heldBytes, { timeout: 20_000 }).toBe(count * 2 * 2 ** 20);
    }
    const last = send(head(3 * 2 ** 20) + MEGABYTE.repeat(2));
    const said = await received(last);
    expect(said).toMatch(/^HTTP\/1.1 503 /);
    expect(said).toMatch(/^retry-after: 1\r$/im);
    expect(said).toMatch(/^connection: close\r$/im);
    const error = {
      code: ERRORS.SERVICE_BUSY.code,
      message: `The node has reached its memory budget for clients (${budget.limit} bytes); try again later, or raise --memory-budget`,
    };
    expect(JSON.parse(said.slice(said.indexOf('\r\n\r\n')))).toEqual({
      jsonrpc: '2.0',
      id: null,
      error,
    });
    // What large ones leave is for small ones.
    expect(await (await post(call(1, 'starknet_chainId'))).body).toContain('"0x1"');
    for (const socket of sockets) socket.destroy();
    await nothingHeld();
    expect(await (await post(call(1, 'devnet_large'))).body).toContain('"result"');
  });

  test('that stop half way are given up after the time limit, and held no longer', async () => {
    const { send } = await start({ timeoutSeconds: 0.5 });
    const socket = send(head(3 * 2 ** 20) + MEGABYTE);
    const said = received(socket);
    await expect.poll(heldBytes).toBe(2 ** 20);
    expect(await said).toMatch(/^HTTP\/1.1 408 /);
    await nothingHeld();
  });

  test('of clients that go are held no longer', async () => {
    const { send } = await start();
    const socket = send(head(3 * 2 ** 20) + MEGABYTE);
    await expect.poll(heldBytes).toBe(2 ** 20);
    socket.destroy();
    await nothingHeld();
  });

  test('of clients that go during a call are held until the call ends', async () => {
    const { send, server, calls, open } = await start();
    const body = call(1, 'devnet_wait');
    const socket = send(head(body.length) + body);
    await expect.poll(calls).toBe(1);
    socket.destroy();
    await expect.poll(() => server.connections).toBe(0);
    expect(heldBytes()).toBe(body.length);
    open();
    await nothingHeld();
  });

  test('that are too long, malformed or of too many values leave nothing', async () => {
    const { post } = await start({ maxValues: 100_000 });
    expect((await post(MEGABYTE.repeat(5))).statusCode).toBe(413);
    await nothingHeld();
    expect(await (await post(MEGABYTE)).body).toContain('-32700');
    await nothingHeld();
    const storm = await (await post(`[${'{},'.repeat(1_000_000)}{}]`)).body;
    expect(JSON.parse(storm).error).toEqual({
      code: ERRORS.INVALID_REQUEST.code,
      message: 'The request has more than 100000 JSON values; --maximum-json-values sets the limit',
    });
    await nothingHeld();
  });

  test('in many small pieces are read as they are', async () => {
    const { send } = await start();
    const text = `{"jsonrpc":"2.0","id":"${'é😀x'.repeat(9_000)}","method":"starknet_chainId"}`;
    const pieces = Buffer.from(text);
    const socket = send(
      'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n',
    );
    const said = received(socket);
    for (let at = 0; at < pieces.length; ) {
      const piece = pieces.subarray(at, at + 1 + (at % 5_000));
      socket.write(`${piece.length.toString(16)}\r\n`);
      socket.write(piece);
      socket.write('\r\n');
      at += piece.length;
    }
    socket.write('0\r\n\r\n');
    const answer = await said;
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).id).toBe('é😀x'.repeat(9_000));
    await nothingHeld();
  });

  test('of one byte in each piece take about as much memory as others', async () => {
    const { send } = await start();
    const socket = send(
      'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
    );
    const before = process.memoryUsage().rss;
    const pieces = '1\r\nx\r\n'.repeat(50_000);
    for (let count = 0; count < 16; count += 1) {
      socket.write(pieces);
      await expect.poll(heldBytes, { timeout: 20_000, interval: 1 }).toBe((count + 1) * 50_000);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
    socket.destroy();
    await nothingHeld();
  });
});
