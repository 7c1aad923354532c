// The wallet's script over HTTP: who gets it, and how.
import { writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { startNode } from '@starkbox/test-support';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { afterAll, describe, expect, test } from 'vitest';
import { silentLog } from '../../src/log.js';
import { AccessRules } from '../../src/server/access.js';
import { type HttpServer, serveHttp } from '../../src/server/http/server.js';
import { isLocalPeer, WalletScript } from '../../src/server/http/wallet-script.js';
import { exchange } from '../support/raw-http.js';

const folder = temporaryFolderOfFile();
const file = join(folder, 'wallet.js');
writeFileSync(file, 'install();');
writeFileSync(`${file}.gz`, gzipSync('install();'));

const servers: HttpServer[] = [];
async function serve(token?: string, wallet?: WalletScript, host = '127.0.0.1') {
  const access = { host, allowedHosts: undefined, allowedOrigins: undefined, token };
  const server = await serveHttp({
    dispatcher: { handle: async () => undefined },
    host,
    port: 0,
    timeoutSeconds: 10,
    bodyLimit: 1000,
    config: () => '{}',
    log: silentLog,
    access: new AccessRules(access),
    wallet,
  });
  servers.push(server);
  return server;
}
afterAll(async () => {
  for (const server of servers) await server.close();
});

const get = ({ port }: HttpServer, headers: Record<string, string> = {}, method = 'GET') =>
  exchange(port, method, '/wallet.js', headers);

test('a page of this machine includes it, also from a node with a token', async () => {
  for (const token of [undefined, 'secret']) {
    const server = await serve(token, new WalletScript(file));
    const { status, headers, body } = await get(server, { 'sec-fetch-site': 'same-site' });
    expect([status, body.toString()]).toEqual([200, 'install();']);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
  }
});

test('it is sent compressed', async () => {
  const server = await serve(undefined, new WalletScript(file));
  const { headers } = await get(server, { 'accept-encoding': 'gzip' });
  expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
});

test('a page that points its name at this machine does not get it', async () => {
  const server = await serve(undefined, new WalletScript(file));
  expect((await get(server, { host: 'evil.example' })).status).toBe(403);
});

test('it only takes GET', async () => {
  const server = await serve(undefined, new WalletScript(file));
  expect((await get(server, {}, 'DELETE')).status).toBe(405);
});

test('without --wallet the answer names the option, without a build the command', async () => {
  const off = await get(await serve());
  expect([off.status, off.body.toString()]).toEqual([404, expect.stringContaining('--wallet')]);
  const unbuilt = await get(await serve(undefined, new WalletScript(join(folder, 'none.js'))));
  expect(unbuilt.status).toBe(503);
});

test.each([
  ['127.0.0.1', true],
  ['127.8.0.1', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.0.0.1', false],
  ['::ffff:10.0.0.1', false],
  ['fe80::1', false],
  [undefined, false],
])('a connection from %s is local: %s', (address, isLocal) => {
  expect(isLocalPeer(address)).toBe(isLocal);
});

const outside = Object.values(networkInterfaces())
  .flat()
  .find(
    (networkInterface) => networkInterface?.family === 'IPv4' && !networkInterface.internal,
  )?.address;

if (outside === undefined) {
  console.warn(
    'This machine has no address for others: access from another machine was not tried.',
  );
}

describe.runIf(outside !== undefined)('another machine', () => {
  const ask = async (server: HttpServer, headers: Record<string, string> = {}) =>
    (await fetch(`http://${outside}:${server.port}/wallet.js`, { headers })).status;

  test('gets it with the token only', async () => {
    const open = await serve(undefined, new WalletScript(file), '0.0.0.0');
    expect(await ask(open)).toBe(403);
    const guarded = await serve('secret', new WalletScript(file), '0.0.0.0');
    expect(await ask(guarded)).toBe(403);
    expect(await ask(guarded, { authorization: 'Bearer wrong' })).toBe(403);
    expect(await ask(guarded, { authorization: 'Bearer secret' })).toBe(200);
  });
});

test('a node serves it with --wallet', async () => {
  const node = await startNode({ listen: true, wallet: true });
  const { status } = await fetch(new URL('/wallet.js', node.url));
  expect([200, 503]).toContain(status);
});
