// HTTP connections: many requests on one, clients that leave, other protocols, and closing.
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { parse } from '../../../src/json/json.js';
import { silentLog } from '../../../src/log.js';
import {
  ANSWER,
  CHAIN_ID,
  closeAfterEach,
  ended,
  gate,
  head,
  JSON_TYPE,
  message,
  post,
  raw,
  start,
  until,
  WAIT,
} from './test-server.js';

closeAfterEach();

test('a connection serves many requests, also after errors', async () => {
  const { port } = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (method: string, path: string, body = ''): Promise<[number, Socket]> => {
    const request = httpRequest({ port, agent, method, path, headers: JSON_TYPE });
    request.end(body);
    const [response]: IncomingMessage[] = await once(request, 'response');
    await once(response?.resume() ?? request, 'end');
    if (!response || !request.socket) throw new Error('no response');
    return [response.statusCode ?? 0, request.socket];
  };
  const outcomes = [
    await ask('POST', '/', CHAIN_ID),
    await ask('POST', '/', '{'),
    await ask('POST', '/nothing', 'x'.repeat(100_000)),
    await ask('PUT', '/rpc', 'x'.repeat(100_000)),
    await ask('POST', '/', '{"jsonrpc":"2.0","method":"starknet_chainId"}'),
    await ask('HEAD', '/is_alive'),
    await ask('POST', '/', CHAIN_ID),
  ];
  expect(outcomes.map(([status]) => status)).toEqual([200, 200, 404, 405, 204, 200, 200]);
  expect(new Set(outcomes.map(([, socket]) => socket)).size).toBe(1);
  agent.destroy();
});

test('pipelined requests are answered in their order', async () => {
  const { port } = await start();
  const { open, reached } = gate();
  const { socket, received } = await raw(port);
  socket.write(message(WAIT) + message(CHAIN_ID) + message('{'));
  await reached;
  expect(received()).toBe('');
  open();
  await until(() => received().includes('-32700'));
  expect(received()).toMatch(/"id":"w".*"id":1,.*-32700/s);
});

test('a body may come byte by byte, also in the middle of a character', async () => {
  const { port } = await start();
  const { socket, received } = await raw(port);
  const body = Buffer.from('{"jsonrpc":"2.0","id":"ü€😀","method":"starknet_chainId"}');
  socket.setNoDelay(true);
  socket.write(head(body.length));
  for (const byte of body) {
    socket.write(Buffer.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await until(() => received().includes('"id":"ü€😀"'));
});

test('clients that disconnect have no effect on others', async () => {
  const logged: unknown[] = [];
  const log = { ...silentLog, error: (fields: unknown) => void logged.push(fields) };
  const { url, port } = await start({ log });
  const early = await raw(port);
  early.socket.write(head(1000));
  const late = await raw(port);
  const { open, reached } = gate();
  late.socket.write(message(WAIT));
  await reached;
  early.socket.destroy();
  late.socket.resetAndDestroy();
  const greedy = await raw(port);
  greedy.socket.write(message('{"jsonrpc":"2.0","id":1,"method":"devnet_large"}'));
  await until(() => greedy.received().length > 0);
  greedy.socket.destroy();
  open();
  await until(() => ended() === 1);
  expect(await (await post(url, CHAIN_ID)).text()).toBe(ANSWER);
  expect(logged).toEqual([]);
});

test.each([
  'garbage\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  `GET /${'x'.repeat(100_000)} HTTP/1.1\r\n`,
])('what is no HTTP is refused: %#', async (text) => {
  const { url, port } = await start();
  const { socket, received } = await raw(port);
  socket.write(text);
  await once(socket, 'close');
  expect(received()).toMatch(/^HTTP\/1\.1 4\d\d/);
  expect(await (await post(url, CHAIN_ID)).text()).toBe(ANSWER);
});

test('the whole address in the request line works, as proxies send it', async () => {
  const { port } = await start();
  const { socket, received } = await raw(port);
  socket.write('GET http://example.org/is_alive HTTP/1.1\r\nHost: example.org\r\n\r\n');
  await until(() => received().includes('Alive!!!'));
});

test('a port that is taken is an error that can be recognised', async () => {
  const { port } = await start();
  await expect(start({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('IPv6 works', async () => {
  const { port } = await start({ host: '::1' });
  expect(await (await post(`http://[::1]:${port}`, CHAIN_ID)).text()).toBe(ANSWER);
});

test('other protocols get their connections', async () => {
  const paths: unknown[] = [];
  const upgrades = new Map([
    [
      '/ws',
      (request: IncomingMessage, socket: NodeJS.WritableStream) => {
        paths.push(request.url);
        socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\nhello');
      },
    ],
  ]);
  const { url, port } = await start({ upgrades });
  const knock = async (path: string): Promise<string> => {
    const { socket, received } = await raw(port);
    const headers = ['Host: x', 'Connection: Upgrade, close', 'Upgrade: a'].join('\r\n');
    socket.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`);
    await once(socket, 'end');
    return received();
  };
  expect(await knock('/ws?x=1')).toContain('hello');
  // Paths without another protocol ignore the upgrade.
  expect(await knock('/is_alive')).toMatch(/^HTTP\/1\.1 200/);
  expect(await knock('/nothing')).toMatch(/^HTTP\/1\.1 404/);
  expect(paths).toEqual(['/ws?x=1']);
  expect((await fetch(`${url}/ws`)).status).toBe(400);
});

test('closing finishes what is under way and then ends every connection', async () => {
  const server = await start();
  const silent = await raw(server.port);
  const idle = await raw(server.port);
  idle.socket.write(message(CHAIN_ID));
  await until(() => idle.received().includes(ANSWER));
  const busy = await raw(server.port);
  const first = gate();
  const second = gate();
  busy.socket.write(message(WAIT) + message(WAIT));
  await Promise.all([first.reached, second.reached]);

  const gone = Promise.all([once(silent.socket, 'close'), once(idle.socket, 'close')]);
  let closed = false;
  const closing = server.close().then(() => {
    closed = true;
  });
  await gone;
  await expect(post(server.url, CHAIN_ID)).rejects.toThrow();
  expect(closed).toBe(false);
  second.open();
  await until(() => ended() === 1);
  expect(busy.received()).toBe('');
  first.open();
  await closing;
  await until(() => busy.socket.destroyed || busy.socket.readableEnded);
  expect(
    parse(
      `[${busy
        .received()
        .match(/\{.*\}/g)
        ?.join(',')}]`,
    ),
  ).toMatchObject([{ result: 2 }, { result: 1 }]);
  await server.close();
});

test('closing does not wait for an incomplete request', async () => {
  const server = await start();
  const { socket, received } = await raw(server.port);
  socket.write(head(1000, 'Expect: 100-continue'));
  await until(() => received().includes('100 Continue'));
  const closed = once(socket, 'close');
  await server.close();
  await closed;
  expect(received()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
});

test('a head that comes slowly is not waited for, and others are served meanwhile', async () => {
  const { port, url } = await start({ headSeconds: 1 });
  const slow = await raw(port);
  const closed = once(slow.socket, 'close');
  slow.socket.write('POST / HTTP/1.1\r\nHost: localhost\r\n');
  const drip = setInterval(() => slow.socket.write('x: y\r\n'), 100);
  expect(await (await post(url, CHAIN_ID)).text()).toBe(ANSWER);
  await closed;
  clearInterval(drip);
  expect(slow.received()).toMatch(/^HTTP\/1\.1 408 /);
  expect(await (await post(url, CHAIN_ID)).text()).toBe(ANSWER);
});
