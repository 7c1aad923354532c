// Sizes of answers, and large answers in pieces that add up to the same bytes.
import { once } from 'node:events';
import { ERRORS } from '@starkbox/spec';
import { afterEach, describe, expect, test } from 'vitest';
import { passTimeout, watchServerSockets } from '../../support/server-sockets.js';
import { batch, call, head, type Served, SIZE, serve } from './served.js';

const LARGE = 'devnet_large';
let served: Served | undefined;

watchServerSockets();

afterEach(async () => {
  await served?.close();
});

async function start(changes: Parameters<typeof serve>[0] = {}): Promise<Served> {
  served = await serve(changes);
  return served;
}

describe('an answer', () => {
  test('of a long batch comes in pieces, which are what single answers are', async () => {
    const { post } = await start();
    const methods = Array.from({ length: 200 }, (_, n) => (n % 3 ? LARGE : 'starknet_chainId'));
    const response = await post(batch(methods));
    expect(response.statusCode).toBe(200);
    expect(response.headers['transfer-encoding']).toBe('chunked');
    let pieces = 0;
    response.on('data', () => {
      pieces += 1;
    });
    const whole = await response.body;
    const single: string[] = [];
    for (const [id, method] of methods.entries()) {
      single.push(await (await post(call(id, method))).body);
    }
    expect(whole === `[${single.join()}]`).toBe(true);
    expect(pieces).toBeGreaterThan(10);
  });

  test('that is short has a length, as before', async () => {
    const { post } = await start();
    for (const body of [call(1, 'starknet_chainId'), batch(['starknet_chainId']), call(1, LARGE)]) {
      const response = await post(body);
      const answer = await response.body;
      expect(response.headers['content-length']).toBe(`${Buffer.byteLength(answer)}`);
      expect(response.headers['transfer-encoding']).toBeUndefined();
    }
    const both = await (await post(batch(['starknet_chainId', 'starknet_chainId']))).body;
    expect(both).toBe(
      '[{"jsonrpc":"2.0","id":0,"result":"0x1"},{"jsonrpc":"2.0","id":1,"result":"0x1"}]',
    );
    expect((await post('[{"jsonrpc":"2.0","method":"starknet_chainId"}]')).statusCode).toBe(204);
  });

  test('has a limit: calls beyond it are answered with an error and not made', async () => {
    const { post, calls } = await start({ maxAnswer: 5 * SIZE });
    const response = await post(batch(Array.from({ length: 10 }, () => LARGE)));
    const answers: { id: number; result?: string; error?: unknown }[] = JSON.parse(
      await response.body,
    );
    expect(answers.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(answers.slice(0, 4).every(({ result }) => result?.length === SIZE)).toBe(true);
    for (const { error } of answers.slice(4)) {
      expect(error).toEqual({
        code: ERRORS.SERVICE_BUSY.code,
        message: `The response would exceed ${5 * SIZE} bytes; request less at once, --maximum-response-size sets the limit`,
      });
    }
    // The fifth was made, and found to be too much.
    expect(calls()).toBe(5);
  });

  test('of a single call has the same limit', async () => {
    const { post } = await start({ maxAnswer: SIZE - 1 });
    expect(await (await post(call(7, LARGE))).body).toMatch(
      /"id":7,"error":\{"code":-32005,.*--maximum-response-size/,
    );
  });

  test('that no string could hold is refused like any other', async () => {
    const { post } = await start({
      handlers: { devnet_endless: () => Array(600).fill('y'.repeat(2 ** 20)) },
      maxAnswer: 2 ** 24,
    });
    const answer = await (await post(call(1, 'devnet_endless'))).body;
    expect(answer).toContain('--maximum-response-size');
  });

  test('of a client that does not read is not made further', async () => {
    const { send, calls } = await start();
    const body = batch(Array.from({ length: 1000 }, () => LARGE));
    const socket = send(head(body.length) + body);
    socket.pause();
    // Once the buffers of the system are full, no more answers are made.
    let before = 0;
    for (let quietTurns = 0; quietTurns < 100; ) {
      await new Promise(setImmediate);
      quietTurns = calls() > 0 && calls() === before ? quietTurns + 1 : 0;
      before = calls();
    }
    expect(calls()).toBeLessThan(1000);
    socket.destroy();
    await once(socket, 'close');
    expect(calls()).toBe(before);
  });

  test('of a client that is gone is not made further', async () => {
    const { send, calls, open, server } = await start();
    const body = batch(['devnet_wait', LARGE, LARGE]);
    const socket = send(head(body.length) + body);
    await expect.poll(calls).toBe(1);
    socket.destroy();
    await expect.poll(() => server.connections).toBe(0);
    open();
    await new Promise(setImmediate);
    expect(calls()).toBe(1);
  });
});

describe('the time limit', () => {
  test('ends a batch: what has not begun is not begun', async () => {
    const { post, calls, open } = await start();
    const posted = post(batch(['devnet_wait', LARGE, LARGE]));
    await expect.poll(calls).toBe(1);
    passTimeout(100);
    const response = await posted;
    expect(response.statusCode).toBe(408);
    expect(await response.body).toContain('--timeout');
    open();
    await new Promise(setImmediate);
    expect(calls()).toBe(1);
  });

  test('answers the rest of a batch whose answer has begun with errors', async () => {
    const { post, calls } = await start({ timeoutSeconds: 100 });
    const response = await post(batch([LARGE, LARGE, 'devnet_wait', LARGE, 'starknet_chainId']));
    expect(response.statusCode).toBe(200);
    await expect.poll(calls).toBe(3);
    passTimeout(100);
    const answers: object[] = JSON.parse(await response.body);
    expect(answers).toHaveLength(5);
    const error = { code: -32002, message: 'No response within 100 s; --timeout sets the limit' };
    expect(answers.slice(2)).toEqual([2, 3, 4].map((id) => ({ jsonrpc: '2.0', id, error })));
    expect(calls()).toBe(3);
  });

  test('comes while a batch is busy, and others are answered', async () => {
    let callCount = 0;
    const { post } = await start({
      handlers: {
        starknet_chainId: () => '0x1',
        devnet_busy: () => {
          callCount += 1;
          for (const begin = performance.now(); performance.now() - begin < 15; );
          return callCount;
        },
      },
    });
    const chainId = async () => (await post(call(1, 'starknet_chainId'))).body;
    // Two connections, so that none has to be made beside the batch.
    await Promise.all([chainId(), chainId()]);
    const long = post(batch(Array.from({ length: 1000 }, () => 'devnet_busy')));
    while (callCount < 3) await new Promise(setImmediate);
    expect(await chainId()).toContain('"0x1"');
    passTimeout(100);
    const ended = callCount;
    expect(ended).toBeLessThan(500);
    expect((await long).statusCode).toBe(408);
    for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
    expect(callCount).toBeLessThanOrEqual(ended + 1);
  });
});
