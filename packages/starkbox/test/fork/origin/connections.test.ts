// Connections to the origin: compression, redirects, and connections that stay open.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { listen } from '@starkbox/test-support/listen';
import { STRK } from '@starkbox/test-support/signing';
import { afterEach, expect, test } from 'vitest';
import { Remote } from '../../../src/fork/origin/remote.js';
import { silentLog } from '../../../src/log.js';
import { QUICK } from '../../support/fork/origin.js';

const ANSWER = '{"jsonrpc":"2.0","id":0,"result":"0x5"}';
const servers: Server[] = [];
const remotes: Remote[] = [];

afterEach(() => {
  for (const remote of remotes.splice(0)) remote.close();
  for (const server of servers.splice(0)) server.close();
});

/** The address of a server that answers each request as given. */
async function serving(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(request, response));
  });
  servers.push(server);
  return `http://127.0.0.1:${await listen(server)}`;
}

function connect(url: string, headers: readonly string[] = []): Remote {
  const policy = { ...QUICK, attempts: 1 };
  const remote = new Remote([url], { log: silentLog, policy, headers });
  remotes.push(remote);
  return remote;
}

const askNonce = (remote: Remote): Promise<unknown> =>
  remote.ask('starknet_getNonce', { block_id: 'latest', contract_address: STRK });

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('answers may be compressed by %s', async (name, compress) => {
  const url = await serving(({ headers }, response) => {
    const isAccepted = headers['accept-encoding']?.includes(name) === true;
    response.setHeader('content-encoding', name).end(isAccepted ? compress(ANSWER) : '');
  });
  expect(await askNonce(connect(url))).toBe('0x5');
});

test('questions may be redirected, but not with headers of the user', async () => {
  const target = await serving((_, response) => response.end(ANSWER));
  const url = await serving((_, response) => {
    response.writeHead(307, { location: target }).end();
  });
  expect(await askNonce(connect(url))).toBe('0x5');
  await expect(askNonce(connect(url, ['x-key: secret']))).rejects.toThrow('it redirects');
});

test('a password in the URL is sent to its own site alone', async () => {
  const authorizations: (string | undefined)[] = [];
  const target = await serving(({ headers }, response) => {
    authorizations.push(headers.authorization);
    response.end(ANSWER);
  });
  const url = await serving(({ headers, url: path }, response) => {
    authorizations.push(headers.authorization);
    const location = path === '/' ? '/again' : target;
    response.writeHead(307, { location }).end();
  });
  const remote = connect(url.replace('//', '//user:secret@'));
  expect(await askNonce(remote)).toBe('0x5');
  const basic = `Basic ${Buffer.from('user:secret').toString('base64')}`;
  expect(authorizations).toEqual([basic, basic, undefined]);
});

test('questions share a connection; one that the origin has just ended is replaced', async () => {
  const sockets: unknown[] = [];
  const url = await serving((request, response) => {
    sockets.push(request.socket);
    if (sockets.length === 3) request.socket.destroy();
    else response.end(ANSWER);
  });
  const remote = connect(url);
  for (const _ of [1, 2, 3]) expect(await askNonce(remote)).toBe('0x5');
  expect(sockets).toHaveLength(4);
  expect(new Set(sockets.slice(0, 3)).size).toBe(1);
  expect(sockets[3]).not.toBe(sockets[0]);
  expect(remote.figures()).toEqual({ questions: 3, requests: 3, retries: 0 });
});
