// Recording of calls on request, without secrets.
import { ERRORS } from '@starkbox/spec';
import { connectSocket, startNode } from '@starkbox/test-support';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';

const TOKEN = 'a-token-that-is-not-kept';
const { node, url, client, close } = await startNode({ listen: true, ui: true });
afterAll(close);

const record = (params: { enabled: boolean; bodies?: boolean; clear?: boolean }) =>
  client.call('devnet_recordRequests', params);
const list = async (limit = 50) => (await client.call('devnet_getRequests', { limit })).requests;
const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
/** Everything that is kept, as one text. */
async function everything(): Promise<string> {
  const rows = await list(200);
  const whole = await Promise.all(rows.map(({ id }) => client.call('devnet_getRequest', { id })));
  return JSON.stringify([rows, whole]);
}

beforeEach(() => record({ enabled: true, clear: true }));

test('nothing is recorded until recording is switched on', async () => {
  await using quiet = await startNode();
  await quiet.client.call('starknet_chainId');
  expect(await quiet.client.call('devnet_getRequests')).toEqual({
    requests: [],
    recording: false,
    bodies: true,
    kept: 0,
    kept_bytes: 0,
  });
  await record({ enabled: false });
  await client.call('starknet_chainId');
  expect(await list()).toEqual([]);
});

test('a call is kept with its answer, its client and its times', async () => {
  await client.call('devnet_mint', { address: '0x0001', amount: 1 });
  await client.failure('starknet_getNonce', { block_id: 'latest', contract_address: '0x77' });
  await node.request('starknet_chainId');
  const [third, second, first] = await list();
  expect(first).toMatchObject({
    method: 'devnet_mint',
    outcome: 'ok',
    transport: 'http',
    params_preview: '{"address":"0x0001","amount":1}',
    result_preview: expect.stringMatching(/^\{"new_balance":"1"/),
  });
  expect(second).toMatchObject({
    outcome: 'error',
    code: ERRORS.CONTRACT_NOT_FOUND.code,
    message: 'Contract not found',
  });
  expect(third).toMatchObject({ transport: 'in-process', client: 1, method: 'starknet_chainId' });
  expect(second?.client).toBe(first?.client);
  expect(first?.agent).toBe('node');
  expect(Math.abs((first?.time ?? 0) - Date.now())).toBeLessThan(60_000);
  const { duration_ms = -1, queue_ms = -1, execute_ms = -1, encode_ms = -1 } = first ?? {};
  for (const part of [queue_ms, execute_ms, encode_ms]) expect(part).toBeGreaterThanOrEqual(0);
  expect(Math.abs(queue_ms + execute_ms + encode_ms - duration_ms)).toBeLessThan(0.01);
  const { request, response } = await client.call('devnet_getRequest', { id: first?.id ?? 0 });
  expect(JSON.parse(request?.text ?? '')).toMatchObject({
    method: 'devnet_mint',
    params: { address: '0x0001', amount: 1 },
  });
  expect(JSON.parse(response?.text ?? '').result.new_balance).toBe('1');
  expect(request).toMatchObject({ is_whole: true, bytes: first?.bytes });
  expect((await client.failure('devnet_getRequest', { id: 10 ** 9 })).code).toBe(-1);
});

test('without bodies only the outlines are kept', async () => {
  expect(await record({ enabled: true, bodies: false })).toEqual({
    recording: true,
    bodies: false,
  });
  await client.call('devnet_mint', { address: '0x5ec7e7', amount: 1 });
  const [row] = await list();
  expect(row).toMatchObject({ method: 'devnet_mint', outcome: 'ok' });
  expect(await client.call('devnet_getRequest', { id: row?.id ?? 0 })).toEqual({ row });
  expect(JSON.stringify(row)).not.toContain('5ec7e7');
});

test('calls have the ids of their batch and of their client', async () => {
  const chainIdCall = '{"jsonrpc":"2.0","id":1,"method":"starknet_chainId"}';
  await post(`[${chainIdCall},${chainIdCall.replace('chainId', 'nothing')}]`, {
    'user-agent': 'some wallet',
  });
  await post(chainIdCall, { 'user-agent': 'another wallet' });
  const socket = await connectSocket(url);
  await socket.call('starknet_chainId');
  await socket.close();
  const [overSocket, alone, failed, good] = await list();
  expect(good?.batch).toEqual(expect.any(Number));
  expect(failed).toMatchObject({
    batch: good?.batch,
    method: 'unknown',
    code: ERRORS.METHOD_NOT_FOUND.code,
  });
  expect(alone?.batch).toBeUndefined();
  expect(alone?.client).not.toBe(good?.client);
  expect(failed?.client).toBe(good?.client);
  expect(overSocket).toMatchObject({ transport: 'ws', client: expect.any(Number) });
});

test('refused calls are recorded with their reason', async () => {
  await client.failure('devnet_mint', { address: '0x1', amount: -5 });
  await post('{ no JSON');
  await post('{"jsonrpc":"2.0","id":1,"method":5}');
  await post('{}', { 'content-type': 'text/plain' });
  const origin = 'https://elsewhere.example';
  await post('{"jsonrpc":"2.0","id":1,"method":"devnet_getStatus"}', { origin });
  const [foreign, plain, envelope, text, schema] = await list();
  expect(schema).toMatchObject({
    code: ERRORS.INVALID_PARAMS.code,
    message: expect.stringContaining('amount'),
  });
  expect(text).toMatchObject({ method: 'unknown', code: ERRORS.PARSE_ERROR.code });
  expect(envelope?.message).toContain('method must be a string');
  expect(plain).toMatchObject({
    code: ERRORS.INVALID_REQUEST.code,
    message: expect.stringContaining('Content-Type'),
  });
  expect(foreign).toMatchObject({
    code: ERRORS.METHOD_FORBIDDEN.code,
    origin,
    method: 'unknown',
  });
  expect(foreign?.message).toContain('--allowed-origins');
});

test('the explorer is recognised by its tag, which other pages cannot send', async () => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"starknet_chainId"}';
  const tagged = { 'x-starkbox-client': 'ui' };
  await post(body, { ...tagged, origin: new URL(url).origin });
  await post(body, { ...tagged, origin: 'http://localhost:3000' });
  await post(body, { 'x-starkbox-client': '<img onerror>' });
  const { requests } = await client.call('devnet_getRequests', { include_explorer: true });
  expect(requests.map(({ tag }) => tag)).toEqual([undefined, undefined, 'ui']);
  expect((await list()).map(({ tag }) => tag)).toEqual([undefined, undefined]);
  const answer = await fetch(url, {
    method: 'OPTIONS',
    headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' },
  });
  expect(answer.headers.get('access-control-allow-headers')).not.toContain('starkbox');
});

describe('secrets', () => {
  const secret = `0x${'5ec7e7'.repeat(8)}`;
  const network_url = 'http://user:5ec7e7@127.0.0.1:1/v3/5ec7e7?key=5ec7e7';

  test('are not kept, whatever they come in', async () => {
    const postman = { network_url, deployer_account_private_key: secret };
    await client.failure('devnet_postmanLoad', postman);
    await client.failure('devnet_postmanLoda', postman);
    await client.failure('devnet_restart', { fork: { url: network_url } });
    await client.failure('devnet_load', {
      events: [{ method: 'devnet_postmanLoad', params: [network_url, '0x1', secret] }],
    });
    await post(
      `{"jsonrpc":"2.0","id":1,"method":"devnet_postmanLoad","params":["${network_url}",null,"${secret}"]}`,
    );
    await post(
      `{"jsonrpc":"2.0","id":1,"method":"devnet_mint","params":{"deployer_private\\u005fkey":"${secret}"}}`,
    );
    await post(
      `{"jsonrpc":"2.0","id":1,"method":"devnet_search","params":{"query":"{\\"private_key\\": \\"${secret}\\"}"}}`,
    );
    await post(`{"method":"devnet_postmanLoad","params":["${secret}"`);
    await post(`{"Authorization": "Bearer ${secret}", "token": "${secret}"`);
    await client.call('devnet_getPredeployedAccounts');
    await client.call('devnet_getConfig');
    await client.call('devnet_search', { query: node.accounts[0]?.privateKey ?? '' });
    const dump = await client.call('devnet_dump', { format: 'image', inline: true });
    const text = await everything();
    expect(await list()).toHaveLength(13);
    expect(text).not.toMatch(/5ec7e7/);
    expect(text).toContain('http://127.0.0.1:1/•••');
    for (const { privateKey } of node.accounts) {
      expect(text).not.toContain(privateKey.replace(/^0x0*/, ''));
    }
    expect(text).not.toMatch(/"seed\\*":\d/);
    expect(text).not.toContain(JSON.stringify(dump).slice(200, 260));
  });

  test('nor is the token of the node', async () => {
    await using guarded = await startNode({ listen: true, authToken: TOKEN });
    const { url, node } = guarded;
    await node.request('devnet_recordRequests', { enabled: true });
    const authorization = `Bearer ${TOKEN}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"devnet_search","params":{"query":"${TOKEN}"}}`;
    const headers = { 'content-type': 'application/json' };
    await fetch(url, { method: 'POST', headers: { ...headers, authorization }, body });
    await fetch(url, { method: 'POST', headers, body });
    const rows = JSON.stringify(await node.request('devnet_getRequests'));
    expect(rows).not.toContain(TOKEN);
    expect(rows).toContain('Unauthorized');
  });
});

test('long texts are kept by their beginning, and what is kept is bounded', async () => {
  const query = 'x'.repeat(100_000);
  await client.call('devnet_search', { query });
  const [long] = await list();
  const { request } = await client.call('devnet_getRequest', { id: long?.id ?? 0 });
  expect(request).toMatchObject({ is_whole: false, bytes: long?.bytes });
  expect(request?.text).toHaveLength(64 * 1024);
  expect(long?.bytes).toBeGreaterThan(100_000);
  const call = `{"jsonrpc":"2.0","id":1,"method":"devnet_search","params":{"query":"${query}"}}`;
  for (let count = 0; count < 300; count += 1) await node.handle(call);
  const { kept: keptCount, kept_bytes } = await client.call('devnet_getRequests', { limit: 1 });
  expect(keptCount).toBeLessThan(300);
  expect(kept_bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
  expect(kept_bytes).toBeGreaterThan(13 * 1024 * 1024);
  for (let count = 0; count < 2100; count += 1) await node.request('starknet_chainId');
  expect((await client.call('devnet_getRequests', { limit: 1 })).kept).toBe(2000);
  const [newest] = await list(1);
  const page = await client.call('devnet_getRequests', { before: newest?.id ?? 0, limit: 200 });
  expect(page.requests).toHaveLength(200);
  expect(page.requests[0]?.id).toBe((newest?.id ?? 0) - 1);
});

test('calls of the explorer do not displace calls of clients', async () => {
  await client.call('starknet_chainId');
  const read = '{"jsonrpc":"2.0","id":1,"method":"starknet_blockNumber"}';
  const batch = `[${Array.from({ length: 100 }, () => read).join()}]`;
  for (let count = 0; count < 30; count += 1) await post(batch, { 'x-starkbox-client': 'ui' });
  await post(read, { 'x-starkbox-client': 'console' });
  expect((await list()).map(({ method }) => method)).toEqual([
    'starknet_blockNumber',
    'starknet_chainId',
  ]);
  const withExplorer = { include_explorer: true, limit: 200 };
  const newest = await client.call('devnet_getRequests', withExplorer);
  expect(newest).toMatchObject({ kept: 202, requests: { length: 200 } });
  const before = newest.requests.at(-1)?.id ?? 0;
  const older = await client.call('devnet_getRequests', { ...withExplorer, before });
  expect(older.requests.map(({ method }) => method)).toEqual([
    'starknet_blockNumber',
    'starknet_chainId',
  ]);
});

test('subscribers are notified', async () => {
  const socket = await connectSocket(url);
  const subscription = await socket.subscribe('devnet_subscribeRequests');
  await client.call('starknet_chainId');
  expect(await socket.next()).toMatchObject({
    method: 'devnet_subscriptionRequests',
    subscription,
    result: { method: 'starknet_chainId', transport: 'http' },
  });
  await socket.close();
});
