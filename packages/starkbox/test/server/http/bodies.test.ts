// Bodies of requests and their limits, and answers that take too long.
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isAnyFull, passTimeout, watchServerSockets } from '../../support/server-sockets.js';
import {
  ANSWER,
  CHAIN_ID,
  closeAfterEach,
  ended,
  errorOf,
  gate,
  head,
  JSON_TYPE,
  message,
  post,
  raw,
  sessions,
  start,
  until,
  WAIT,
} from './test-server.js';

closeAfterEach();
watchServerSockets();

test('a body of exactly the limit is read, one byte more is 413', async () => {
  const { url } = await start({ bodyLimit: 200 });
  expect(await (await post(url, CHAIN_ID.padEnd(200))).text()).toBe(ANSWER);
  const response = await post(url, CHAIN_ID.padEnd(201));
  const text = await response.clone().text();
  expect(await errorOf(response)).toEqual([413, null, -32600]);
  expect(text).toContain('200 bytes');
  expect(text).toContain('--request-body-size-limit');
  expect(sessions).toHaveLength(1);
});

test('a body without a declared length is cut off at the limit too', async () => {
  const { url } = await start({ bodyLimit: 1000 });
  const body = new ReadableStream({
    start(controller) {
      for (let i = 0; i < 100; i += 1) controller.enqueue(new Uint8Array(100));
      controller.close();
    },
  });
  const init = { method: 'POST', body, headers: JSON_TYPE, duplex: 'half' } as const;
  expect(await errorOf(await fetch(url, init))).toEqual([413, null, -32600]);
});

test('after a refused body the connection can be used further', async () => {
  const { port } = await start({ bodyLimit: 100 });
  const { socket, received } = await raw(port);
  socket.write(message(' '.repeat(500_000)) + message(CHAIN_ID));
  await until(() => received().includes(ANSWER));
  expect(received()).toMatch(/^HTTP\/1\.1 413.*HTTP\/1\.1 200/s);
});

test('an Expect header is answered with 100 Continue or a refusal', async () => {
  const { port } = await start({ bodyLimit: 100 });
  const small = await raw(port);
  small.socket.write(head(CHAIN_ID.length, 'Expect: 100-continue'));
  await until(() => small.received().includes('100 Continue'));
  small.socket.write(CHAIN_ID);
  await until(() => small.received().includes(ANSWER));

  const large = await raw(port);
  large.socket.write(head(1000, 'Expect: 100-continue'));
  await once(large.socket, 'end');
  expect(large.received()).toMatch(/^HTTP\/1\.1 413/);
  expect(large.received()).not.toContain('100 Continue');
});

test('an answer that takes too long is 408, and the work goes on', async () => {
  const { url } = await start();
  const { open, reached } = gate();
  const posted = post(url, WAIT);
  await reached;
  passTimeout(20);
  const response = await posted;
  const text = await response.clone().text();
  expect(await errorOf(response)).toEqual([408, 'w', -32002]);
  expect(text).toContain('--timeout');
  expect(ended()).toBe(0);
  open();
  await until(() => ended() === 1);
  expect(await (await post(url, CHAIN_ID)).text()).toBe(ANSWER);
});

test('the signal of a call aborts after a timeout, and when the client is gone', async () => {
  const { url } = await start();
  const late = gate();
  const posted = post(url, WAIT);
  await late.reached;
  expect(sessions.at(-1)?.signal?.aborted).toBe(false);
  passTimeout(20);
  await posted;
  expect(sessions.at(-1)?.signal?.aborted).toBe(true);
  late.open();

  const { port } = await start();
  const { socket } = await raw(port);
  const clientGate = gate();
  socket.write(head(WAIT.length) + WAIT);
  await clientGate.reached;
  expect(sessions.at(-1)?.signal?.aborted).toBe(false);
  socket.destroy();
  await until(() => sessions.at(-1)?.signal?.aborted === true);
  clientGate.open();
});

test('a body that does not come is 408, and the connection is closed', async () => {
  const { port } = await start({ timeoutSeconds: 1 });
  const { socket, received } = await raw(port);
  socket.write(`${head(CHAIN_ID.length)}{"jsonrpc"`);
  await once(socket, 'end');
  expect(received()).toMatch(/^HTTP\/1\.1 408/);
});

test('a body that comes too slowly is 408, and the connection is closed', async () => {
  const { port } = await start({ timeoutSeconds: 1 });
  const { socket, received } = await raw(port);
  socket.write(`${head(10_000)}{"jsonrpc"`);
  const drip = setInterval(() => socket.write(' '), 100);
  await once(socket, 'end');
  clearInterval(drip);
  expect(received()).toMatch(/^HTTP\/1\.1 408/);
});

test('a client that does not read its answer is disconnected', async () => {
  const server = await start();
  const { socket } = await raw(server.port);
  socket.pause();
  const call = message('{"jsonrpc":"2.0","id":1,"method":"devnet_large"}');
  socket.write(call.repeat(20));
  await until(isAnyFull);
  expect(server.connections).toBe(1);
  passTimeout(20);
  await until(() => server.connections === 0);
});
