// Paths of the versions: which there are, what they share, and what is said of one that there is not.
import { once } from 'node:events';
import { ERRORS } from '@starkbox/spec';
import { checkedClient, connectSocket, overHttp, startNode } from '@starkbox/test-support';
import { invokeRequest, STRK } from '@starkbox/test-support/signing';
import { afterAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { silentLog } from '../../src/log.js';
import { Dispatcher } from '../../src/rpc/protocol/dispatcher.js';
import { MethodIndex } from '../../src/rpc/protocol/method-table.js';
import { Schema } from '../../src/rpc/protocol/schema.js';

const { url, node, client, close } = await startNode({
  listen: true,
  dumpOn: 'request',
  restrictedMethods: ['devnet_mint'],
});
afterAll(close);

const VERSIONS = [
  ['v0_8', '0.8.1'],
  ['v0_9', '0.9.0'],
  ['v0_10', '0.10.2'],
] as const;

async function ask(path: string, method: string, params?: unknown) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url + path, { method: 'POST', headers, body });
  return { status: response.status, ...(await response.json()) };
}

describe.each(VERSIONS)('%s', (version, spec) => {
  const path = `/rpc/${version}`;

  test('tells its version over HTTP and WebSocket, under both names', async () => {
    expect(await ask(path, 'starknet_specVersion')).toMatchObject({ result: spec });
    expect(await ask(path, 'chain_specVersion')).toMatchObject({ result: spec });
    const socket = await connectSocket(url, version);
    expect(await socket.call('starknet_specVersion')).toBe(spec);
    await socket.close();
    const plain = new WebSocket(url.replace('http', 'ws') + path);
    await once(plain, 'open');
    plain.close();
  });

  test('has all methods of the sandbox as they are', async () => {
    const newest = await ask('/rpc', 'devnet_getConfig');
    expect(await ask(path, 'devnet_getConfig')).toEqual(newest);
    expect(await ask(path, 'sandbox_getConfig')).toEqual(newest);
    const abort = { starting_block_id: 'pending' };
    expect((await ask(path, 'devnet_abortBlocks', abort)).error.code).toBe(
      ERRORS.INVALID_PARAMS.code,
    );
  });

  test('describes its own methods', async () => {
    const { result } = await ask(path, 'rpc.discover');
    const names = result.methods.map(({ name }: { name: string }) => name);
    expect(names.includes('starknet_subscribePendingTransactions')).toBe(version === 'v0_8');
    expect(names.includes('starknet_proveTransaction')).toBe(version === 'v0_10');
  });

  test('takes batches', async () => {
    const calls = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'starknet_specVersion' }));
    const answer = await overHttp(url + path)(JSON.stringify(calls));
    expect(JSON.parse(answer ?? '')).toMatchObject([{ result: spec }, { result: spec }]);
  });

  test('journals what it changes, to be loaded by any version', async () => {
    const [account] = node.accounts;
    if (!account) throw new Error('there is no account');
    const calls = [{ to: STRK, name: 'transfer', calldata: ['0x2', '0x1', '0x0'] }];
    const older = checkedClient(overHttp(url + path), version);
    const nonce = Number(await older.call('starknet_getNonce', ['latest', account.address]));
    const request = invokeRequest(account, calls, nonce);
    await older.call('starknet_addInvokeTransaction', [request]);
    const journal = JSON.parse(JSON.stringify(await client.call('devnet_dump')));
    expect(journal.at(-1)).toMatchObject({
      method: 'starknet_addInvokeTransaction',
      params: [{ sender_address: account.address }],
    });
  });
});

test.each(['/', '/rpc'])('%s is the newest', async (path) => {
  expect(await ask(path, 'starknet_specVersion')).toMatchObject({ result: '0.10.2' });
});

test('a version that there is not is refused with those that there are', async () => {
  const names = /no \/\S*v0_7: .*\/rpc\/v0_8, \/rpc\/v0_9, \/rpc\/v0_10/;
  expect(await ask('/rpc/v0_7', 'starknet_chainId')).toMatchObject({
    status: 404,
    error: { code: ERRORS.INVALID_REQUEST.code, message: expect.stringMatching(names) },
  });
  for (const path of ['/rpc/v0_7', '/ws/rpc/v0_7']) {
    const socket = new WebSocket(url.replace('http', 'ws') + path);
    const [, response] = await once(socket, 'unexpected-response');
    expect(response.statusCode).toBe(404);
    const [text] = await once(response, 'data');
    expect(String(text)).toMatch(names);
    socket.on('error', () => {}).terminate();
  }
});

test('a method that is forbidden is so in every version', async () => {
  for (const [version] of VERSIONS) {
    for (const name of ['devnet_mint', 'sandbox_mint']) {
      expect((await ask(`/rpc/${version}`, name)).error.code).toBe(ERRORS.METHOD_FORBIDDEN.code);
    }
  }
});

test('a name of an older version is forbidden with the canonical one', async () => {
  const names = ['starknet_old', 'starknet_other'];
  const dispatcher = new Dispatcher({
    handlers: {
      index: new MethodIndex(names, ['chain_new'], { starknet_old: 'starknet_new' }),
      handlerOf: (name: string) => () => names.indexOf(name) + 1,
    },
    schema: new Schema(() => new Map()),
    log: silentLog,
  });
  const session = { transport: 'in-process' } as const;
  for (const name of ['starknet_old', 'chain_old']) {
    await expect(dispatcher.call(name, [], session)).rejects.toMatchObject({
      code: ERRORS.METHOD_FORBIDDEN.code,
    });
  }
  expect(await dispatcher.call('starknet_other', [], session)).toBe(2);
});

test('methods of another version are not there', async () => {
  const socket = await connectSocket(url, 'v0_8');
  for (const name of ['NewTransactions', 'NewTransactionReceipts']) {
    expect((await socket.failure(`starknet_subscribe${name}`)).code).toBe(
      ERRORS.METHOD_NOT_FOUND.code,
    );
  }
  await socket.close();
  const pending = await ask('/rpc/v0_9', 'starknet_subscribePendingTransactions');
  expect(pending.error.code).toBe(ERRORS.METHOD_NOT_FOUND.code);
});

test('calls are recorded under canonical names', async () => {
  await client.call('devnet_recordRequests', { enabled: true, clear: true });
  await ask('/rpc/v0_8', 'chain_getNonce', ['pending', STRK]);
  const socket = await connectSocket(url, 'v0_8');
  await socket.ask('starknet_subscribePendingTransactions');
  await socket.close();
  await client.call('starknet_chainId');
  const { requests } = await client.call('devnet_getRequests');
  const calls = requests.map(({ method, version }) => [method, version]);
  expect(calls).toContainEqual(['starknet_getNonce', 'v0_8']);
  expect(calls).toContainEqual(['starknet_subscribeNewTransactions', 'v0_8']);
  expect(calls).toContainEqual(['starknet_chainId', undefined]);
});
