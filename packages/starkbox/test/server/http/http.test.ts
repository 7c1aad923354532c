import { expect, test } from 'vitest';
import { silentLog } from '../../../src/log.js';
import {
  ANSWER,
  CHAIN_ID,
  closeAfterEach,
  dispatcher,
  errorOf,
  JSON_TYPE,
  post,
  sessions,
  start,
} from './test-server.js';

closeAfterEach();

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
const VERSIONS = new Map(['/rpc/v0_8', '/rpc/v0_9'].map((path) => [path, dispatcher]));

test.each([
  ['GET', '/', 405, 'POST', /POST with the header Content-Type: application\/json.*at \/ws\n$/],
  ['GET', '/rpc/v0_8', 405, 'POST', /POST with the header Content-Type: application\/json/],
  ['GET', '/rpc', 405, 'POST', /POST with the header Content-Type: application\/json/],
  ['PUT', '/rpc', 405, 'POST', /POST with the header Content-Type: application\/json/],
  ['DELETE', '/', 405, 'POST', /POST with the header Content-Type: application\/json/],
  ['PUT', '/is_alive', 405, 'GET,HEAD', /accepts only GET/],
  ['DELETE', '/ws', 405, 'GET,HEAD', /only WebSocket connections.*JSON-RPC.*at \/ and \/rpc\n$/],
  ['GET', '/ui/', 404, null, /^The explorer is off: start the node with --ui/],
  ['GET', '/ui', 404, null, /start the node with --ui/],
  ['GET', '/rpc/', 404, null, /^There is no \/rpc\/: JSON-RPC is served at \/ and \/rpc\./],
  [
    'GET',
    '/rpc/v0_7',
    404,
    null,
    /versions .* are at \/rpc\/v0_8, \/rpc\/v0_9; 0\.10\.\d+ is also at \/ and \/rpc\. WebSocket/,
  ],
  ['GET', '/ws/', 404, null, /WebSocket connections are served at \/ws\n$/],
  ['GET', '/nothing', 404, null, /^There is no \/nothing: JSON-RPC is served at \/ and \/rpc/],
  ['GET', '//', 404, null, /JSON-RPC is served at/],
  ['GET', '/constructor', 404, null, /JSON-RPC is served at/],
  ['GET', '/__proto__', 404, null, /JSON-RPC is served at/],
])('%s %s is answered with a usage hint', async (method, path, status, allow, line) => {
  const { url } = await start({ upgrades: SOCKETS, versions: VERSIONS });
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
  ['/rpc/v0_7', 404, /versions .* are at \/rpc\/v0_8, \/rpc\/v0_9;/],
  ['/ui', 404, /--ui/],
  ['/constructor', 404, /JSON-RPC is served at/],
  ['/is_alive', 405, /accepts only GET/],
  ['/ws', 405, /only WebSocket connections/],
])('a call to %s is answered with an error that clients show', async (path, status, message) => {
  const { url } = await start({ upgrades: SOCKETS, versions: VERSIONS });
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

test('an answer that fails in its middle ends the connection, and the server lives on', async () => {
  const logged: unknown[] = [];
  let isFirst = true;
  const { url } = await start({
    dispatcher: {
      handle: async (_text, _session, delivery) => {
        if (!isFirst) return ANSWER;
        isFirst = false;
        await delivery?.('[');
        throw new Error('secret');
      },
    },
    log: { ...silentLog, error: (fields) => void logged.push(fields) },
  });
  await expect(post(url, CHAIN_ID).then((response) => response.text())).rejects.toThrow();
  expect(logged).toHaveLength(1);
  expect(await (await post(url, CHAIN_ID)).text()).toBe(ANSWER);
});

test('a page of any site can read why its call is rejected', async () => {
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
