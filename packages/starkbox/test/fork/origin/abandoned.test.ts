// Questions to the origin whose callers have gone: they end, unless others wait for the same answer.
import { once } from 'node:events';
import { createServer, request, type Server, type ServerResponse } from 'node:http';
import { ERRORS } from '@starkbox/spec';
import { type ListeningNode, startNode } from '@starkbox/test-support';
import { listen } from '@starkbox/test-support/listen';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { Remote } from '../../../src/fork/origin/remote.js';
import { silentLog } from '../../../src/log.js';
import { QUICK } from '../../support/fork/origin.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const TIMEOUT = 60_000;
let origin: ListeningNode;
let fork: ListeningNode;
let server: Server;
let url: string;
/** Methods that are not answered. */
const silent = new Set<string>();
/** Requests that are not answered, in order of arrival. */
const waiting: { readonly methods: readonly string[]; readonly response: ServerResponse }[] = [];
let arrived: () => void = () => undefined;

async function serve(body: string, response: ServerResponse): Promise<void> {
  const questions: readonly { readonly method: string }[] = [JSON.parse(body)].flat();
  const methods = questions.map(({ method }) => method);
  if (methods.some((method) => silent.has(method))) {
    waiting.push({ methods, response });
    arrived();
    return;
  }
  const answer = await fetch(origin.url, { method: 'POST', headers: JSON_TYPE, body });
  response.end(await answer.text());
}

/** The next request that is not answered. */
async function nextWaiting(): Promise<ServerResponse> {
  if (waiting.length === 0) {
    await new Promise<void>((resolve) => {
      arrived = resolve;
    });
  }
  const next = waiting.shift();
  if (!next) throw new Error('no request has come');
  return next.response;
}

beforeAll(async () => {
  origin = await startNode({ listen: true, seed: 0 });
  await origin.client.call('devnet_createBlock');
  server = createServer(async (incoming, response) => {
    let body = '';
    for await (const piece of incoming.setEncoding('utf8')) body += piece;
    await serve(body, response).catch(() => response.destroy());
  });
  url = `http://127.0.0.1:${await listen(server)}`;
  fork = await startNode({ listen: true, seed: 1, forkNetwork: url, forkUpstreamCaching: false });
});
afterAll(async () => {
  await fork.close();
  server.closeAllConnections();
  server.close();
  await origin.close();
});

const NONCE = 'starknet_getNonce';

describe('a question', () => {
  test('ends when its only caller has gone, and another caller asks anew', async () => {
    silent.add(NONCE);
    const remote = new Remote([url], {
      log: silentLog,
      policy: { ...QUICK, queueTimeout: TIMEOUT },
    });
    const caller = new AbortController();
    const answer = remote.ask(NONCE, { index: 1 }, { signal: caller.signal });
    const response = await nextWaiting();
    caller.abort();
    await expect(answer).rejects.toMatchObject({ code: -1 });
    await once(response, 'close');
    silent.delete(NONCE);
    const params = { block_id: { block_number: 1 }, contract_address: '0x77' };
    await expect(remote.ask(NONCE, params)).rejects.toMatchObject({
      code: ERRORS.CONTRACT_NOT_FOUND.code,
    });
    expect(remote.figures()).toMatchObject({ questions: 2, requests: 2, retries: 0 });
    remote.close();
  });

  test('goes on for the callers that are left', async () => {
    silent.add(NONCE);
    const remote = new Remote([url], {
      log: silentLog,
      policy: { ...QUICK, queueTimeout: TIMEOUT },
    });
    const [first, second] = [new AbortController(), new AbortController()];
    const abandoned = remote.ask(NONCE, { index: 2 }, { signal: first.signal });
    const awaited = remote.ask(NONCE, { index: 2 }, { signal: second.signal });
    const response = await nextWaiting();
    first.abort();
    await expect(abandoned).rejects.toMatchObject({ code: -1 });
    response.end('{"jsonrpc":"2.0","id":0,"result":"0x5"}');
    expect(await awaited).toBe('0x5');
    silent.delete(NONCE);
    remote.close();
  });

  test('leaves the others of its batch alone', async () => {
    silent.add(NONCE);
    const remote = new Remote([url], {
      log: silentLog,
      policy: { ...QUICK, queueTimeout: TIMEOUT },
    });
    const caller = new AbortController();
    const abandoned = remote.ask(NONCE, { index: 3 }, { signal: caller.signal });
    const awaited = remote.ask(NONCE, { index: 4 });
    const response = await nextWaiting();
    caller.abort();
    await expect(abandoned).rejects.toMatchObject({ code: -1 });
    response.end(
      '[{"jsonrpc":"2.0","id":1,"result":"0x6"},{"jsonrpc":"2.0","id":0,"result":"0x5"}]',
    );
    expect(await awaited).toBe('0x6');
    silent.delete(NONCE);
    remote.close();
  });

  test('that waits in the queue is never sent', async () => {
    silent.add(NONCE);
    const policy = { ...QUICK, queueTimeout: TIMEOUT, concurrency: 1, batch: 1 };
    const remote = new Remote([url], { log: silentLog, policy });
    const first = remote.ask(NONCE, { index: 5 });
    const response = await nextWaiting();
    const caller = new AbortController();
    const queued = remote.ask(NONCE, { index: 6 }, { signal: caller.signal });
    caller.abort();
    await expect(queued).rejects.toMatchObject({ code: -1 });
    response.end('{"jsonrpc":"2.0","id":0,"result":"0x5"}');
    expect(await first).toBe('0x5');
    silent.delete(NONCE);
    await remote.ask('starknet_chainId', []);
    expect(remote.figures().requests).toBe(2);
    remote.close();
  });
});

describe('of a client of the fork that has gone', () => {
  const BLOCK = 'starknet_getBlockWithTxs';

  test('over HTTP', async () => {
    silent.add(BLOCK);
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: BLOCK,
      params: { block_id: { block_number: 0 } },
    };
    const clientRequest = request(fork.url, { method: 'POST', headers: JSON_TYPE });
    clientRequest.on('error', () => undefined);
    clientRequest.end(JSON.stringify(call));
    const response = await nextWaiting();
    clientRequest.destroy();
    await once(response, 'close');
    silent.delete(BLOCK);
    const block = await fork.client.call(BLOCK, { block_id: { block_number: 0 } });
    expect(block).toMatchObject({ block_number: 0 });
    expect(waiting).toEqual([]);
  });

  test('over a WebSocket, which began to subscribe', async () => {
    silent.add('starknet_getEvents');
    const socket = new WebSocket(`${fork.url.replace('http', 'ws')}/ws`);
    await once(socket, 'open');
    const params = { block_id: { block_number: 0 } };
    const call = { jsonrpc: '2.0', id: 1, method: 'starknet_subscribeEvents', params };
    socket.send(JSON.stringify(call));
    const response = await nextWaiting();
    socket.terminate();
    await once(response, 'close');
    silent.delete('starknet_getEvents');
    expect(waiting).toEqual([]);
  });
});

test('pages of events without end are not followed without end', async () => {
  let pages = 0;
  const endless = createServer(async (incoming, response) => {
    let body = '';
    for await (const piece of incoming.setEncoding('utf8')) body += piece;
    const { id, method } = JSON.parse(body);
    if (method === 'starknet_getEvents') {
      pages += 1;
      const result = { events: [], continuation_token: `page ${pages}` };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      return;
    }
    const answer = await fetch(origin.url, { method: 'POST', headers: JSON_TYPE, body });
    response.end(await answer.text());
  });
  const forkNetwork = `http://127.0.0.1:${await listen(endless)}`;
  const hostile = await startNode({
    listen: true,
    seed: 1,
    forkNetwork,
    forkUpstreamCaching: false,
  });
  const socket = new WebSocket(`${hostile.url.replace('http', 'ws')}/ws`);
  await once(socket, 'open');
  const params = { block_id: { block_number: 0 } };
  const call = { jsonrpc: '2.0', id: 1, method: 'starknet_subscribeEvents', params };
  socket.send(JSON.stringify(call));
  const [message] = await once(socket, 'message');
  expect(JSON.parse(String(message))).toMatchObject({ id: 1, error: { code: -1 } });
  expect(pages).toBe(1000);
  socket.terminate();
  await hostile.close();
  endless.closeAllConnections();
  endless.close();
});
