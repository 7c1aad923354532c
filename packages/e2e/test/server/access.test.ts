// Access rules over HTTP and WebSocket, and the limits of what one client may take.
import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { ERRORS } from '@starkbox/spec';
import { startNode } from '@starkbox/test-support';
import { openNode } from '@starkbox/test-support/fixture';
import { type Config, createChain } from 'starkbox';
import { afterAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';

const FORBIDDEN = ERRORS.METHOD_FORBIDDEN.code;
const UNAUTHORIZED = -32_001;
const TOKEN = 'correct-horse-battery-staple';
const ACCOUNTS = 'devnet_getPredeployedAccounts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Not with fetch, which sends the host it likes. */
async function send(
  url: string,
  { path = '/', method = 'POST', headers = {}, call = 'starknet_blockNumber', params = {} } = {},
): Promise<Answer> {
  const clientRequest = request(new URL(path, url), {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    agent: false,
  });
  clientRequest.end(
    method === 'POST' ? JSON.stringify({ jsonrpc: '2.0', id: 1, method: call, params }) : '',
  );
  const [response] = await once(clientRequest, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  const body = text.startsWith('{') ? JSON.parse(text) : {};
  return { status: response.statusCode, headers: response.headers, ...body };
}

/** The answer to a socket with these headers, or the status of its refusal. */
async function overSocket(
  url: string,
  call: string,
  headers: Record<string, string>,
  protocols: string[] = [],
): Promise<{ readonly status?: number; readonly code?: number; readonly protocol?: string }> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, protocols, { headers });
  const refused = once(socket, 'unexpected-response').then(([, { statusCode }]) => ({
    status: Number(statusCode),
  }));
  const answer = (async () => {
    await once(socket, 'open');
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: call, params: {} }));
    const [data] = await once(socket, 'message');
    const { error } = JSON.parse(String(data));
    return { ...(error ? { code: error.code } : {}), protocol: socket.protocol };
  })();
  socket.on('error', () => {});
  try {
    return await Promise.race([refused, answer.catch(() => refused)]);
  } finally {
    socket.terminate();
  }
}

async function listening(config: Partial<Config> = {}): Promise<string> {
  const node = await openNode({ seed: 0, port: 0, ...config });
  return (await node.listen()).url;
}

describe('over HTTP and WebSocket', async () => {
  const { url, close } = await startNode({ listen: true });
  afterAll(close);
  const EVIL = { origin: 'https://evil.example' };
  const CONTROLS = [ACCOUNTS, 'sandbox_getPredeployedAccounts', 'devnet_getConfig'];

  const PAGES: readonly (readonly [string, Record<string, string>, boolean])[] = [
    ['a program', {}, true],
    ['a page of another site', EVIL, false],
  ];

  test.each(PAGES)('%s (%j) may call everything: %s', async (_, headers, passes) => {
    for (const call of ['starknet_blockNumber', 'starknet_chainId', ...CONTROLS]) {
      const answer = await send(url, { headers, call });
      const socket = await overSocket(url, call, headers);
      if (passes) {
        expect(answer).toMatchObject({ status: 200, result: expect.anything() });
        expect(socket).toEqual({ protocol: '' });
      } else {
        expect(answer).toMatchObject({ status: 403, error: { code: FORBIDDEN } });
        expect(socket).toEqual({ status: 403 });
      }
    }
    const config = await send(url, { path: '/config', method: 'GET', headers });
    expect(config.status).toBe(passes ? 200 : 403);
    expect((await send(url, { path: '/is_alive', method: 'GET', headers })).status).toBe(200);
  });

  test('general.14: a page of another site can read how to allow it', async () => {
    const preflight = await send(url, { method: 'OPTIONS', headers: EVIL });
    expect(preflight.status).toBe(200);
    const { error, headers } = await send(url, { headers: EVIL });
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(error?.message).toContain('--allowed-origins https://evil.example');
  });

  test('a batch and a notification of another site change nothing', async () => {
    const create = { jsonrpc: '2.0', method: 'devnet_createBlock' };
    const headers = { 'content-type': 'application/json', ...EVIL };
    for (const body of [create, [{ ...create, id: 1 }, create]]) {
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(answer.status).toBe(403);
    }
    expect((await send(url)).result).toBe(0);
  });

  test('a simple request, which browsers send without asking, changes nothing', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', '']) {
      const headers = { 'content-type': type };
      expect((await send(url, { headers, call: 'devnet_createBlock' })).error?.code).toBe(
        ERRORS.INVALID_REQUEST.code,
      );
      const page = await send(url, {
        headers: { ...EVIL, ...headers },
        call: 'devnet_createBlock',
      });
      expect(page.status).toBe(403);
    }
    expect((await send(url)).result).toBe(0);
  });

  test('an unknown host name is refused for everything', async () => {
    const headers = { host: 'rebound.example:5050' };
    for (const path of ['/', '/rpc', '/nothing']) {
      const answer = await send(url, { path, headers });
      expect(answer).toMatchObject({ status: 403, error: { code: FORBIDDEN } });
    }
    for (const path of ['/config', '/is_alive', '/ws']) {
      expect((await send(url, { path, method: 'GET', headers })).status).toBe(403);
    }
    expect((await send(url, { method: 'OPTIONS', headers })).status).toBe(403);
    expect(await overSocket(url, 'starknet_blockNumber', headers)).toEqual({ status: 403 });
  });

  test('a preflight for a private network is answered', async () => {
    const headers = { ...EVIL, 'access-control-request-private-network': 'true' };
    const answer = await send(url, { method: 'OPTIONS', headers });
    expect(answer.headers['access-control-allow-private-network']).toBe('true');
    expect(answer.headers['access-control-allow-headers']).toBe('content-type');
  });
});

test('sites and names that were allowed', async () => {
  const url = await listening({
    allowedOrigins: ['https://app.example'],
    allowedHosts: ['box.example'],
  });
  const headers = { origin: 'https://app.example', host: 'box.example' };
  expect((await send(url, { headers, call: ACCOUNTS })).error).toBeUndefined();
  expect((await overSocket(url, ACCOUNTS, headers)).code).toBeUndefined();
});

test('general.13: a node on all interfaces does not answer a rebound page', async () => {
  const url = (await listening({ host: '0.0.0.0' })).replace('0.0.0.0', '127.0.0.1');
  // A GET of a page of the same site has no Origin header.
  const rebound = { path: '/config', method: 'GET', headers: { host: 'rebound.example:5050' } };
  const answer = await send(url, rebound);
  expect(answer).toMatchObject({ status: 403, error: { code: FORBIDDEN } });
  expect(answer.error?.message).toContain('rebound.example');
  expect(answer.error?.message).toContain('--allowed-hosts');
  expect(await overSocket(url, 'starknet_blockNumber', rebound.headers)).toEqual({ status: 403 });
  for (const host of ['starkbox:5050', 'host.docker.internal:5050', '192.168.1.20:5050']) {
    expect((await send(url, { ...rebound, headers: { host } })).status).toBe(200);
    expect((await send(url, { headers: { host }, call: ACCOUNTS })).error).toBeUndefined();
  }
});

test('every client needs the token', async () => {
  const url = await listening({ authToken: TOKEN });
  const right = { authorization: `Bearer ${TOKEN}` };
  for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
    const answer = await send(url, { headers });
    expect(answer).toMatchObject({ status: 401, error: { code: UNAUTHORIZED } });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect((await send(url, { path: '/config', method: 'GET', headers })).status).toBe(401);
    expect(await overSocket(url, 'starknet_blockNumber', headers)).toEqual({ status: 401 });
  }
  expect(await send(url, { headers: right, call: ACCOUNTS })).toMatchObject({ status: 200 });
  expect((await send(url, { path: '/config', method: 'GET', headers: right })).status).toBe(200);
  expect((await overSocket(url, ACCOUNTS, right)).code).toBeUndefined();
  const offered = ['starkbox', `starkbox.bearer.${Buffer.from(TOKEN).toString('base64url')}`];
  expect(await overSocket(url, ACCOUNTS, {}, offered)).toEqual({ protocol: 'starkbox' });
  expect((await send(url, { path: '/is_alive', method: 'GET' })).status).toBe(200);
  const preflight = await send(url, { method: 'OPTIONS' });
  expect(preflight.headers['access-control-allow-headers']).toBe('content-type,authorization');
  // A page with the token still needs --allowed-origins.
  const page = { ...right, origin: 'https://evil.example' };
  expect(await send(url, { headers: page })).toMatchObject({ status: 403 });
});

test('a token is shown nowhere', async () => {
  const node = await createChain({ seed: 0, authToken: TOKEN });
  expect(JSON.stringify(await node.request('devnet_getConfig'))).not.toContain(TOKEN);
  await node.close();
});

describe('what costs too much', () => {
  test('heads that are too large are refused', async () => {
    const url = await listening();
    const headers = { 'x-large': 'x'.repeat(20_000) };
    expect((await send(url, { headers })).status).toBe(431);
    expect((await send(url)).result).toBe(0);
  });

  test('batches, depth and simulations have their errors', async () => {
    const node = await createChain({ seed: 0 });
    const handle = async (text: string) => JSON.parse((await node.handle(text)) ?? '{}');
    const call = '{"jsonrpc":"2.0","id":1,"method":"starknet_blockNumber"}';
    const batch = (length: number) => handle(`[${Array.from({ length }, () => call).join()}]`);
    expect(await batch(1001)).toMatchObject({ error: { code: ERRORS.INVALID_REQUEST.code } });
    expect(await batch(1000)).toHaveLength(1000);
    const deep = `{"jsonrpc":"2.0","id":1,"method":"x","params":${'['.repeat(1000)}${']'.repeat(1000)}}`;
    expect(await handle(deep)).toMatchObject({ error: { code: ERRORS.PARSE_ERROR.code } });
    const transaction = {
      type: 'INVOKE',
      version: '0x3',
      sender_address: '0x1',
      calldata: [],
      signature: [],
      nonce: '0x0',
      resource_bounds: {
        l1_gas: { max_amount: '0x0', max_price_per_unit: '0x0' },
        l2_gas: { max_amount: '0x0', max_price_per_unit: '0x0' },
        l1_data_gas: { max_amount: '0x0', max_price_per_unit: '0x0' },
      },
      tip: '0x0',
      paymaster_data: [],
      account_deployment_data: [],
      nonce_data_availability_mode: 'L1',
      fee_data_availability_mode: 'L1',
    };
    const many = Array.from({ length: 1001 }, () => transaction);
    const rest = { block_id: 'latest', simulation_flags: [] };
    for (const [method, params] of [
      ['starknet_estimateFee', { request: many, ...rest }],
      ['starknet_simulateTransactions', { transactions: many, ...rest }],
    ] as const) {
      await expect(node.requestRaw(method, params)).rejects.toMatchObject({
        code: ERRORS.INVALID_PARAMS.code,
      });
    }
    await node.close();
  });
});
