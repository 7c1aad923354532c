// The HTTP door as clients and browsers meet it, over real sockets; also when they misbehave.
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { parse } from '../../../src/json/json.js';
import { silentLog } from '../../../src/log.js';
import { Dispatcher, type Session } from '../../../src/rpc/protocol/dispatcher.js';
import { Schema } from '../../../src/rpc/protocol/schema.js';
import { type HttpOptions, type HttpServer, serveHttp } from '../../../src/server/http/server.js';

interface Gate {
  /** Resolves when somebody waits at the gate. */
  readonly reached: Promise<void>;
  open(): void;
}

let gates: { reach: () => void; opened: Promise<void> }[] = [];
let done = 0;
let sessions: Session[] = [];
const servers: HttpServer[] = [];
const sockets: Socket[] = [];

/** The next call of `devnet_wait` waits until this is opened. */
function gate(): Gate {
  let open = (): void => {};
  let reach = (): void => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  gates.push({ reach, opened });
  return { reached, open };
}

const dispatcher = new Dispatcher({
  handlers: {
    starknet_chainId: (_: object, { session }) => {
      sessions.push(session);
      return '0x1';
    },
    devnet_wait: async (_: object, { session }) => {
      sessions.push(session);
      const next = gates.shift();
      next?.reach();
      await next?.opened;
      done += 1;
      return done;
    },
    devnet_large: () => '0'.repeat(5_000_000),
  },
  restricted: undefined,
  log: silentLog,
  maxBatch: 10,
  schema: new Schema(() => new Map()),
});

async function start(options: Partial<HttpOptions> = {}): Promise<HttpServer & { url: string }> {
  const server = await serveHttp({
    dispatcher,
    host: '127.0.0.1',
    port: 0,
    timeoutSeconds: 20,
    bodyLimit: 1_000_000,
    config: () => '{"seed":0}',
    log: silentLog,
    ...options,
  });
  servers.push(server);
  return { ...server, url: `http://127.0.0.1:${server.port}` };
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.close()));
  gates = [];
  sessions = [];
  done = 0;
});

const JSON_TYPE = { 'content-type': 'application/json' };
const CHAIN_ID = '{"jsonrpc":"2.0","id":1,"method":"starknet_chainId"}';
const WAIT = '{"jsonrpc":"2.0","id":"w","method":"devnet_wait"}';
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":"0x1"}';

const post = (url: string, body: string, headers: Record<string, string> = JSON_TYPE) =>
  fetch(url, { method: 'POST', body, headers });

async function errorOf(response: Response): Promise<[number, unknown, number]> {
  expect(response.headers.get('content-type')).toBe('application/json');
  const { id, error } = JSON.parse(await response.text());
  return [response.status, id, error.code];
}

/** A connection that sends exactly what it is told, and everything that came back on it. */
async function raw(port: number): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return { socket, received: () => text };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const head = (length: number, ...more: string[]): string =>
  [
    'POST / HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    ...more,
    '\r\n',
  ].join('\r\n');
const message = (body: string): string => head(body.length) + body;

test.each(['/', '/rpc', '/rpc?x=1', '/?a=/b'])('POST %s takes calls', async (path) => {
  const { url } = await start();
  const response = await post(url + path, CHAIN_ID);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('content-length')).toBe(String(ANSWER.length));
  expect(await response.text()).toBe(ANSWER);
});

test('JSON-RPC errors are answers like others: HTTP 200', async () => {
  const { url } = await start();
  expect(await errorOf(await post(url, '{ no }'))).toEqual([200, null, -32700]);
  expect(await errorOf(await post(url, ''))).toEqual([200, null, -32700]);
  expect(await errorOf(await post(url, 'null'))).toEqual([200, null, -32600]);
  const unknown = '{"jsonrpc":"2.0","id":5,"method":"nope"}';
  expect(await errorOf(await post(url, unknown))).toEqual([200, 5, -32601]);
});

test('a notification is executed and answered with nothing', async () => {
  const { url } = await start();
  const response = await post(url, '{"jsonrpc":"2.0","method":"starknet_chainId"}');
  expect(response.status).toBe(204);
  expect(await response.text()).toBe('');
  expect(sessions).toHaveLength(1);
});

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'Application/JSON',
  'application/vnd.api+json',
  'application/x+json; a=b',
])('content type %s is fine', async (type) => {
  const { url } = await start();
  expect(await (await post(url, CHAIN_ID, { 'content-type': type })).text()).toBe(ANSWER);
});

test.each(['', 'text/plain', 'application/jsonp', 'text/json', 'application/xml'])(
  'content type %j is not',
  async (type) => {
    const { url } = await start();
    const response = await post(url, CHAIN_ID, { 'content-type': type });
    const wrong = `Content-Type must be application/json, got ${type}`;
    const { error } = await response.clone().json();
    expect(error.data.reason).toBe(type === '' ? 'Missing content type' : wrong);
    expect(await errorOf(response)).toEqual([200, null, -32600]);
    expect(sessions).toEqual([]);
  },
);

test('the other routes', async () => {
  const { url } = await start();
  const at = async (method: string, path: string): Promise<[number, string | null, string]> => {
    const response = await fetch(url + path, { method });
    return [response.status, response.headers.get('allow'), await response.text()];
  };
  expect(await at('GET', '/is_alive')).toEqual([200, null, 'Alive!!!']);
  expect(await at('GET', '/is_alive?x')).toEqual([200, null, 'Alive!!!']);
  expect(await at('HEAD', '/is_alive')).toEqual([200, null, '']);
  expect(await at('GET', '/config')).toEqual([200, null, '{"seed":0}']);
  expect(await at('HEAD', '/config')).toEqual([200, null, '']);
  const alive = await fetch(`${url}/is_alive`);
  expect(alive.headers.get('content-type')).toBe('text/plain; charset=utf-8');
});

const SOCKETS = new Map([['/ws', () => {}]]);

test.each([
  ['GET', '/', 405, 'POST', /POST with the header Content-Type: application\/json.*at \/ws\n$/],
  ['GET', '/rpc', 405, 'POST', /POST with the header Content-Type: application\/json/],
  ['PUT', '/rpc', 405, 'POST', /POST with the header Content-Type: application\/json/],
  ['DELETE', '/', 405, 'POST', /POST with the header Content-Type: application\/json/],
  ['PUT', '/is_alive', 405, 'GET,HEAD', /takes GET only/],
  ['DELETE', '/ws', 405, 'GET,HEAD', /WebSocket connections only.*JSON-RPC.*at \/ and \/rpc\n$/],
  ['GET', '/ui/', 404, null, /^The explorer is off: start the node with --ui/],
  ['GET', '/ui', 404, null, /start the node with --ui/],
  ['GET', '/rpc/', 404, null, /^There is no \/rpc\/: JSON-RPC is served at \/ and \/rpc\./],
  ['GET', '/rpc/v0_7', 404, null, /speaks Starknet JSON-RPC \d+\.\d+\.\d+ alone, at \/ and \/rpc/],
  ['GET', '/ws/', 404, null, /WebSocket connections are served at \/ws\n$/],
  ['GET', '/nothing', 404, null, /^There is no \/nothing: JSON-RPC is served at \/ and \/rpc/],
  ['GET', '//', 404, null, /JSON-RPC is served at/],
  ['GET', '/constructor', 404, null, /JSON-RPC is served at/],
  ['GET', '/__proto__', 404, null, /JSON-RPC is served at/],
])('%s %s is told where things are', async (method, path, status, allow, line) => {
  const { url } = await start({ upgrades: SOCKETS });
  const response = await fetch(url + path, { method });
  expect([response.status, response.headers.get('allow')]).toEqual([status, allow]);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(await response.text()).toMatch(line);
  const head = await fetch(url + path, { method: method === 'GET' ? 'HEAD' : method });
  expect(head.status).toBe(status);
});

test.each([
  ['/nothing', 404, /JSON-RPC is served at \/ and \/rpc/],
  ['/rpc/', 404, /JSON-RPC is served at \/ and \/rpc/],
  ['/rpc/v0_7', 404, /speaks Starknet JSON-RPC/],
  ['/ui', 404, /--ui/],
  ['/constructor', 404, /JSON-RPC is served at/],
  ['/is_alive', 405, /takes GET only/],
  ['/ws', 405, /WebSocket connections only/],
])('a call to %s is answered with an error that clients show', async (path, status, message) => {
  const { url } = await start({ upgrades: SOCKETS });
  const response = await post(url + path, CHAIN_ID);
  const body = await response.clone().json();
  expect(body.error.message).toMatch(message);
  expect(await errorOf(response)).toEqual([status, null, -32600]);
  expect(sessions).toEqual([]);
});

test('a path in an answer is cut, and no script', async () => {
  const { url } = await start();
  const response = await fetch(`${url}/${'x'.repeat(5000)}`);
  expect((await response.text()).length).toBeLessThan(250);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
});

test('GET /config says what replaces it', async () => {
  const { url } = await start();
  const { headers } = await fetch(`${url}/config`);
  expect(headers.get('content-type')).toBe('application/json');
  expect(headers.get('deprecation')).toBe('true');
  expect(headers.get('link')).toContain('devnet_getConfig');
});

test('a route that fails unexpectedly is 500, and the server lives on', async () => {
  const logged: unknown[] = [];
  const { url } = await start({
    config: () => {
      throw new Error('secret');
    },
    log: { ...silentLog, error: (fields) => void logged.push(fields) },
  });
  const response = await fetch(`${url}/config`);
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('secret');
  expect(logged).toHaveLength(1);
  expect(await (await post(url, CHAIN_ID)).text()).toBe(ANSWER);
});

test('browsers of any site may call', async () => {
  const { url } = await start();
  for (const path of ['/rpc', '/nothing']) {
    const preflight = await fetch(url + path, { method: 'OPTIONS' });
    expect(preflight.status).toBe(200);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET,POST');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type');
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(await preflight.text()).toBe('');
  }
  const vary = 'origin, access-control-request-method, access-control-request-headers';
  for (const response of [
    await post(url, CHAIN_ID, { ...JSON_TYPE, origin: 'http://example.org' }),
    await fetch(`${url}/nothing`),
    await fetch(url),
  ]) {
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('vary')).toBe(vary);
    expect(response.headers.has('access-control-allow-credentials')).toBe(false);
  }
  await post(url, CHAIN_ID);
  const agent = 'node';
  expect(sessions.map(({ signal: _signal, ...caller }) => caller)).toEqual([
    { transport: 'http', agent, origin: 'http://example.org' },
    { transport: 'http', agent },
  ]);
});

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

test('who asks before sending is told to go on, or to leave it', async () => {
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
  const { url } = await start({ timeoutSeconds: 0.05 });
  const { open } = gate();
  const response = await post(url, WAIT);
  const text = await response.clone().text();
  expect(await errorOf(response)).toEqual([408, 'w', -32002]);
  expect(text).toContain('--timeout');
  expect(done).toBe(0);
  open();
  await until(() => done === 1);
  expect(await (await post(url, CHAIN_ID)).text()).toBe(ANSWER);
});

test('a call is told that its answer cannot be delivered: after a timeout, and when the client is gone', async () => {
  const { url } = await start({ timeoutSeconds: 0.05 });
  const late = gate();
  await post(url, WAIT);
  expect(sessions.at(-1)?.signal?.aborted).toBe(true);
  late.open();

  const { port } = await start();
  const { socket } = await raw(port);
  const left = gate();
  socket.write(head(WAIT.length) + WAIT);
  await left.reached;
  expect(sessions.at(-1)?.signal?.aborted).toBe(false);
  socket.destroy();
  await until(() => sessions.at(-1)?.signal?.aborted === true);
  left.open();
});

test('a timeout longer than timers can be does not fire at once', async () => {
  const { url } = await start({ timeoutSeconds: 1e9 });
  const { open, reached } = gate();
  const response = post(url, WAIT);
  await reached;
  open();
  expect((await response).status).toBe(200);
});

test('a body that does not come is 408, and the connection is closed', async () => {
  const { port } = await start({ timeoutSeconds: 0.05 });
  const { socket, received } = await raw(port);
  socket.write(`${head(CHAIN_ID.length)}{"jsonrpc"`);
  await once(socket, 'end');
  expect(received()).toMatch(/^HTTP\/1\.1 408/);
});

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
  await until(() => sessions.length === 1);
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

test('clients that leave do no harm', async () => {
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
  await until(() => done === 1);
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
  // Where there is no other protocol, nobody insists on one.
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
  await until(() => done === 1);
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

test('closing does not wait for ever for a request that does not arrive', async () => {
  const server = await start();
  const { socket } = await raw(server.port);
  socket.write(head(1000));
  await new Promise((resolve) => setTimeout(resolve, 20));
  const ended = once(socket, 'close');
  await server.close();
  await ended;
});

test('a head that comes slowly is not waited for, and others are served meanwhile', async () => {
  const { port, url } = await start({ headSeconds: 1 });
  const slow = await raw(port);
  slow.socket.write('POST / HTTP/1.1\r\nHost: localhost\r\n');
  const drip = setInterval(() => slow.socket.write('x: y\r\n'), 100);
  expect(await (await post(url, CHAIN_ID)).text()).toBe(ANSWER);
  await once(slow.socket, 'close');
  clearInterval(drip);
  expect(slow.received()).toMatch(/^HTTP\/1\.1 408 /);
  expect(await (await post(url, CHAIN_ID)).text()).toBe(ANSWER);
});
