// Files of the explorer over HTTP: paths, caching and security headers.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib';
import { ERRORS } from '@starkbox/spec';
import { startNode } from '@starkbox/test-support';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { afterAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { silentLog } from '../../src/log.js';
import { AccessRules } from '../../src/server/access.js';
import { Explorer } from '../../src/server/http/explorer-files.js';
import { serveHttp } from '../../src/server/http/server.js';
import { exchange } from '../support/raw-http.js';

const folder = temporaryFolderOfFile();
const site = join(folder, 'site');
const SCRIPT = 'console.log("explorer");'.repeat(50);
mkdirSync(join(site, 'assets'), { recursive: true });
writeFileSync(join(folder, 'secret.txt'), 'secret');
writeFileSync(join(site, 'index.html'), '<!doctype html><title>explorer</title>');
writeFileSync(join(site, 'assets', 'app-1a2b.js'), SCRIPT);
writeFileSync(join(site, 'assets', 'app-1a2b.js.br'), brotliCompressSync(SCRIPT));
writeFileSync(join(site, 'assets', 'app-1a2b.js.gz'), gzipSync(SCRIPT));
writeFileSync(join(site, 'assets', 'app-1a2b.css'), 'body{}');
writeFileSync(join(site, 'icon.svg'), '<svg/>');

const common = {
  dispatcher: { handle: async () => undefined },
  host: '127.0.0.1',
  port: 0,
  timeoutSeconds: 10,
  bodyLimit: 1000,
  config: () => '{}',
  log: silentLog,
  access: new AccessRules({
    host: '127.0.0.1',
    allowedHosts: undefined,
    allowedOrigins: undefined,
    token: 'secret-token',
  }),
};
const server = await serveHttp({ ...common, explorer: new Explorer(site) });
const empty = await serveHttp({ ...common, explorer: new Explorer(join(folder, 'nothing')) });
const without = await serveHttp(common);
afterAll(async () => {
  for (const running of [server, empty, without]) await running.close();
});

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  exchange(server.port, method, path, headers);

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

describe('the page', () => {
  test.each(['/ui', '/ui/', '/ui/index.html', '/ui/tx/0x12', '/ui/block/402?tab=state'])(
    'is at %s, and is asked for every time',
    async (path) => {
      const { status, headers, body } = await get(path);
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-cache');
      expect(body.toString()).toContain('<title>explorer</title>');
    },
  );

  test('needs no token, which a browser could not bring', async () => {
    expect((await get('/ui/')).status).toBe(200);
    expect((await get('/config')).status).toBe(401);
  });

  test('has strict security headers, and allows no other origin', async () => {
    for (const path of ['/ui/', '/ui/assets/app-1a2b.js', '/ui/missing.js']) {
      const { headers } = await get(path, { origin: 'https://elsewhere.example' });
      expect(headers).toMatchObject({
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers['permissions-policy']).toMatch(/camera=\(\).*, clipboard-write=\(self\)$/);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    for (const method of ['OPTIONS', 'POST', 'PUT']) {
      const { status, headers } = await get('/ui/', {}, method);
      expect([status, headers['allow']]).toEqual([405, 'GET,HEAD']);
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  test('is served under the host names of the node only', async () => {
    expect((await get('/ui/', { host: 'rebound.example' })).status).toBe(403);
  });
});

describe('a file', () => {
  test('is cached as immutable, because its name contains its hash', async () => {
    const { status, headers, body } = await get('/ui/assets/app-1a2b.js');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      'content-length': String(SCRIPT.length),
    });
    expect(headers['content-encoding']).toBeUndefined();
    expect(body.toString()).toBe(SCRIPT);
    expect((await get('/ui/icon.svg')).headers['content-type']).toBe('image/svg+xml');
  });

  test.each([
    ['gzip, deflate, br', 'br'],
    ['gzip;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['BR', 'br'],
    ['identity', undefined],
    ['br;q=0.0, gzip;q=0', undefined],
  ])('comes packed for %s as %s', async (accepted, encoding) => {
    const { headers } = await get('/ui/assets/app-1a2b.js', { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    const css = await get('/ui/assets/app-1a2b.css', { 'accept-encoding': accepted });
    expect([css.headers['content-encoding'], css.body.toString()]).toEqual([undefined, 'body{}']);
  });

  test('is the same when unpacked', async () => {
    const { body } = await get('/ui/assets/app-1a2b.js', { 'accept-encoding': 'br' });
    expect(brotliDecompressSync(body).toString()).toBe(SCRIPT);
  });

  test('answers HEAD requests', async () => {
    const { status, headers, body } = await get('/ui/assets/app-1a2b.js', {}, 'HEAD');
    expect([status, headers['content-length'], body.length]).toEqual([200, '1200', 0]);
  });

  test.each([
    '/ui/missing.js',
    '/ui/assets/app-0000.js',
    '/ui/../secret.txt',
    '/ui/assets/../../secret.txt',
    '/ui/./icon.svg',
    '/ui//icon.svg',
    '/ui/assets/',
    '/ui/..\\secret.txt',
    '/ui/%2e%2e/secret.txt',
    '/ui/..%2fsecret.txt',
    `/ui/${'x'.repeat(5000)}.js`,
  ])('is not found at %s', async (path) => {
    const { status, body } = await get(path);
    expect([status, body.toString()]).toEqual([404, 'UI asset not found']);
  });
});

test('an installation without the explorer says so', async () => {
  const { status, body } = await exchange(empty.port, 'GET', '/ui/');
  expect(status).toBe(503);
  expect(body.toString()).toContain('was not built');
});

test('without --ui nothing is served', async () => {
  expect((await exchange(without.port, 'GET', '/ui')).status).toBe(404);
  expect((await exchange(without.port, 'GET', '/ui/blocks')).status).toBe(404);
});

describe('a node', () => {
  test('serves it, and its pages may steer the chain over HTTP and WebSocket', async () => {
    await using running = await startNode({ listen: true, ui: true });
    const { url, client } = running;
    const { host: authority, port } = new URL(url);
    expect([200, 503]).toContain((await exchange(Number(port), 'GET', '/ui/')).status);
    expect((await client.call('devnet_getConfig')).server_config.ui_enabled).toBe(true);
    const body = '{"jsonrpc":"2.0","id":1,"method":"devnet_getStatus"}';
    const headers = { 'content-type': 'application/json' };
    const ask = async (origin: string) => {
      const headersWithOrigin = { ...headers, origin };
      const answer = await exchange(Number(port), 'POST', '/rpc', headersWithOrigin, body);
      return JSON.parse(answer.body.toString());
    };
    expect(await ask(url)).toHaveProperty('result');
    expect(await ask('https://elsewhere.example')).toMatchObject({
      error: { code: ERRORS.METHOD_FORBIDDEN.code },
    });
    const socket = new WebSocket(`ws://${authority}/ws`, { origin: url });
    const answer = await new Promise<string>((resolve, reject) => {
      socket.on('open', () => socket.send(body));
      socket.on('message', (data: Buffer) => resolve(data.toString()));
      socket.on('error', reject);
    });
    socket.close();
    expect(JSON.parse(answer)).toHaveProperty('result');
  });
});
