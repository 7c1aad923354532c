// Access rules in a real browser: what pages of other sites can do to a node, and what they cannot.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { ERRORS } from '@starkbox/spec';
import { type ListeningNode, startNode } from '@starkbox/test-support';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
const TOKEN = 'a-token-for-browsers';
const FORBIDDEN = ERRORS.METHOD_FORBIDDEN.code;
/** Names of the internet, all of which lead to this machine here. */
const NAMES = ['dapp.example', 'rebound.example'];

const starknetJs = readFileSync(
  createRequire(import.meta.url)
    .resolve('starknet')
    .replace(/index\.\w+$/, 'index.global.js'),
);

/** A site with one page, at any name. */
const site = createServer((request, response) => {
  const isScript = request.url === '/starknet.js';
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
  response.end(isScript ? starknetJs : '<!doctype html><title>page</title>');
});

/** What a call came to in a page: its result, the code of its error, or that the browser let it not be. */
type PageAnswer =
  | { readonly result: unknown }
  | { readonly code: number; readonly status?: number }
  | { readonly blocked: string };

describe('in a browser', () => {
  let browser: Browser;
  let sitePort = 0;
  let node: ListeningNode;

  beforeAll(async () => {
    if (CHROMIUM === undefined)
      throw new Error('these tests need chromium: apt-get install chromium');
    await new Promise<void>((resolve) => site.listen(0, resolve));
    const address: AddressInfo | string | null = site.address();
    sitePort = typeof address === 'object' && address !== null ? address.port : 0;
    node = await startNode({ listen: true });
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        '--no-sandbox',
        // What newer browsers do by themselves is not what we are to rely on.
        '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests',
        `--host-resolver-rules=${NAMES.map((name) => `MAP ${name} 127.0.0.1`).join(',')}`,
      ],
    });
  }, 180_000);

  afterAll(async () => {
    await browser?.close();
    await node?.close();
    site.close();
  });

  async function pageOn(host: string): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(`http://${host}:${sitePort}/`);
    return page;
  }

  interface PageCall {
    readonly url: string;
    readonly method: string;
    readonly params?: object;
    readonly token?: string;
    readonly mode?: 'cors' | 'no-cors';
    readonly type?: string;
  }

  const overHttp = (page: Page, pageCall: PageCall): Promise<PageAnswer> =>
    page.evaluate(async ({ url, method, params = {}, token, mode = 'cors', type }) => {
      try {
        const response = await fetch(url, {
          method: 'POST',
          mode,
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
          headers: {
            'content-type': type ?? 'application/json',
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          },
        });
        if (response.type === 'opaque') return { blocked: 'opaque' };
        const { result, error } = JSON.parse(await response.text());
        return error ? { code: error.code, status: response.status } : { result };
      } catch (error) {
        return { blocked: String(error) };
      }
    }, pageCall);

  const overSocket = (page: Page, { url, method, params, token }: PageCall): Promise<PageAnswer> =>
    page.evaluate(
      ({ url, method, params = {}, token }) =>
        new Promise<PageAnswer>((resolve) => {
          const coded = token && btoa(token).replaceAll('=', '');
          const socket = new WebSocket(
            `${url.replace('http', 'ws')}/ws`,
            coded ? ['starkbox', `starkbox.bearer.${coded}`] : [],
          );
          socket.onerror = () => resolve({ blocked: 'refused' });
          socket.onopen = () =>
            socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
          socket.onmessage = ({ data }) => {
            const { result, error } = JSON.parse(data);
            resolve(error ? { code: error.code } : { result });
            socket.close();
          };
        }),
      { url, method, ...(params ? { params } : {}), ...(token ? { token } : {}) },
    );

  const CALLS: readonly (readonly [string, object])[] = [
    ['starknet_blockNumber', {}],
    ['chain_blockNumber', {}],
    ['devnet_getPredeployedAccounts', {}],
    ['sandbox_getPredeployedAccounts', {}],
    ['devnet_getConfig', {}],
    ['devnet_mint', { address: '0x1', amount: 1 }],
    ['devnet_dump', { path: '/tmp/starkbox-must-not-be-written' }],
    ['devnet_restart', {}],
    ['sandbox_createBlock', {}],
  ];
  const height = () => node.client.call('starknet_blockNumber');

  test('a page of an allowed site runs a dapp', async () => {
    const allowed = await startNode({
      listen: true,
      allowedOrigins: [`http://dapp.example:${sitePort}`],
    });
    const page = await pageOn('dapp.example');
    await page.addScriptTag({ url: '/starknet.js' });
    const [{ address = '', privateKey = '' } = {}] = allowed.node.accounts;
    const balance = await page.evaluate(
      async ({ url, address, privateKey, token }) => {
        const { RpcProvider, Account } = Reflect.get(globalThis, 'starknet');
        const provider = new RpcProvider({ nodeUrl: url });
        const account = new Account({ provider, address, signer: privateKey });
        const { transaction_hash } = await account.execute(
          { contractAddress: token, entrypoint: 'transfer', calldata: ['0x123', '7', '0'] },
          { tip: 0 },
        );
        await provider.waitForTransaction(transaction_hash, { retryInterval: 50 });
        return provider.callContract({
          contractAddress: token,
          entrypoint: 'balance_of',
          calldata: ['0x123'],
        });
      },
      { url: allowed.url, address, privateKey, token: allowed.node.tokens.strk.address },
    );
    expect(balance).toEqual(['0x7', '0x0']);
    const blockNumber = await allowed.client.call('starknet_blockNumber');
    expect(await overSocket(page, { url: allowed.url, method: 'starknet_blockNumber' })).toEqual({
      result: blockNumber,
    });
    expect(await overHttp(page, { url: allowed.url, method: 'devnet_getConfig' })).toMatchObject({
      result: { seed: 0 },
    });
    await page.close();
    await allowed.close();
  });

  test('any other page calls nothing, over HTTP or WebSocket', async () => {
    const page = await pageOn('dapp.example');
    const before = await height();
    for (const [method, params] of CALLS) {
      const call = { url: node.url, method, params };
      expect([method, await overHttp(page, call)]).toEqual([
        method,
        { code: FORBIDDEN, status: 403 },
      ]);
      expect([method, await overSocket(page, call)]).toEqual([method, { blocked: 'refused' }]);
      // Without a preflight a browser sends no JSON, and hides the answer from the page.
      await overHttp(page, { ...call, mode: 'no-cors', type: 'text/plain' });
      await overHttp(page, { ...call, mode: 'no-cors' });
      await page.evaluate(
        ({ url, body }) => void Reflect.get(globalThis, 'navigator').sendBeacon(url, body),
        {
          url: node.url,
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        },
      );
    }
    const config = await page.evaluate(
      (url) =>
        fetch(`${url}/config`).then(
          (response) => response.text(),
          () => '',
        ),
      node.url,
    );
    expect(config).not.toContain('seed');
    expect(await height()).toBe(before);
    expect(existsSync('/tmp/starkbox-must-not-be-written')).toBe(false);
    await page.close();
  });

  test('nor does a page without a site', async () => {
    const page = await browser.newPage();
    await page.goto('data:text/html,<title>nobody</title>');
    const call = { url: node.url, method: 'devnet_getPredeployedAccounts' };
    expect(await overHttp(page, call)).toEqual({ code: FORBIDDEN, status: 403 });
    expect(await overSocket(page, call)).toEqual({ blocked: 'refused' });
    await page.close();
  });

  test.each(['localhost', '127.0.0.1', 'app.localhost'])(
    'a page on another port of %s may do everything',
    async (host) => {
      const page = await pageOn(host);
      const before = await height();
      for (const over of [overHttp, overSocket]) {
        const read = { url: node.url, method: 'devnet_getConfig' };
        expect(await over(page, read)).toMatchObject({ result: { seed: 0 } });
        await over(page, { url: node.url, method: 'devnet_createBlock' });
      }
      expect(await height()).toBe(before + 2);
      await page.close();
    },
  );

  test('a name that was made to lead here gets nothing', async () => {
    const rebound = node.url.replace('127.0.0.1', 'rebound.example');
    const page = await browser.newPage();
    // The page of an attacker would have come from the same name, when it led elsewhere.
    await page.route(`${rebound}/`, (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({ contentType: 'text/html', body: '<title>mine</title>' })
        : route.continue(),
    );
    await page.goto(`${rebound}/`);
    expect(await page.evaluate(() => Reflect.get(globalThis, 'origin'))).toBe(rebound);
    for (const method of ['starknet_blockNumber', 'devnet_getPredeployedAccounts']) {
      expect(await overHttp(page, { url: rebound, method })).toEqual({
        code: FORBIDDEN,
        status: 403,
      });
      expect(await overSocket(page, { url: rebound, method })).toEqual({ blocked: 'refused' });
    }
    const status = await page.evaluate(async () => (await fetch('/config')).status);
    expect(status).toBe(403);
    await page.close();
  });

  test('a page that has the token comes in, and no other', async () => {
    const guarded = await startNode({ authToken: TOKEN });
    const { url } = await guarded.node.listen();
    const page = await pageOn('localhost');
    const call = { url, method: 'devnet_getConfig' };
    for (const token of [undefined, 'wrong']) {
      const callWithToken = token === undefined ? call : { ...call, token };
      expect(await overHttp(page, callWithToken)).toEqual({ code: -32_001, status: 401 });
      expect(await overSocket(page, callWithToken)).toEqual({ blocked: 'refused' });
    }
    for (const over of [overHttp, overSocket]) {
      expect(await over(page, { ...call, token: TOKEN })).toMatchObject({ result: { seed: 0 } });
    }
    await page.close();
    await guarded.close();
  });
});
