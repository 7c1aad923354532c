// `starkbox/client` in chromium: the same chain in a page, without the engine and without Node.
/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { closeAfterTest } from '@starkbox/test-support/closing';
import { listen } from '@starkbox/test-support/listen';
import { createChain } from 'starkbox';
import type * as Client from 'starkbox/client';
import { build } from 'vite';
import { expect, test } from 'vitest';
import { sharedPages } from '../../../explorer/test/support/stage.js';

const TOKEN = 'correct-horse-staple';
const source = (path: string): string =>
  fileURLToPath(new URL(`../../../../${path}`, import.meta.url));

declare global {
  interface Window {
    client: typeof Client;
  }
}

/** The client as a bundler makes it for a page; a module of Node in it would be an error. */
async function bundleClient(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    resolve: {
      alias: { '@starkbox/spec': source('packages/spec/src/index.ts') },
    },
    build: {
      write: false,
      minify: false,
      lib: {
        entry: source('packages/starkbox/src/client.ts'),
        formats: ['iife'],
        name: 'client',
      },
    },
  });
  const [output] = Array.isArray(built) ? built : [];
  const [chunk] = output?.output ?? [];
  if (chunk?.type !== 'chunk') throw new Error('vite built no script');
  return chunk.code;
}

/** A site on a port of its own, with the client and a class. */
async function openSite(): Promise<string> {
  const script = await bundleClient();
  const files: Readonly<Record<string, string>> = {
    '/': '<!doctype html><title>A page</title><script src="/client.js"></script>',
    '/client.js': script,
    '/counter.json': readFileSync(source('contracts/cairo/counter.sierra.json'), 'utf8'),
  };
  const server = createServer((request, response) => {
    const content = files[request.url ?? '/'];
    response
      .writeHead(content === undefined ? 404 : 200, { 'content-type': 'text/html' })
      .end(content);
  });
  closeAfterTest(() => server.close());
  return `http://localhost:${await listen(server)}/`;
}

test('a page controls a node as a program does', async () => {
  const node = await createChain({ seed: 0, accounts: 2, port: 0, authToken: TOKEN });
  closeAfterTest(() => node.close());
  const { url } = await node.listen();
  const page = await (await sharedPages()).take();
  await page.goto(await openSite());
  const results = await page.evaluate(
    async ([nodeUrl = '', token = '']) => {
      const { connect, isRpcError } = window.client;
      const refused = await connect(nodeUrl).catch(String);
      const chain = await connect(nodeUrl, { token });
      const heads = chain.subscribe('starknet_subscribeNewHeads');
      const { balance } = await chain.mint('0x1', 2n ** 70n);
      const { value: head } = await heads.next();
      await heads.close();
      const snapshot = await chain.snapshot();
      const { classHash } = await chain.declare('/counter.json');
      const { address } = await chain.deploy({ classHash, calldata: [41] });
      const count = await chain.storage(address).get('count');
      const reason = await chain.deploy({ classHash }).catch((error: unknown) => error);
      const lost = await chain.declare('/missing.json').catch(String);
      await snapshot.restore();
      const branch = await chain.branch();
      await branch.mine(3);
      const heights = [
        await chain.request('starknet_blockNumber'),
        await branch.request('starknet_blockNumber'),
      ];
      await branch.close();
      const { length } = await chain.instances.list();
      const slot = chain.storage('0x1').slot('ERC20_balances', [7]);
      await chain.close();
      return {
        refused,
        accounts: chain.accounts,
        balance: String(balance),
        head: Object(head).result.block_number,
        count: String(count),
        reason: isRpcError(reason) ? reason.message : '',
        lost,
        heights,
        length,
        slot,
        closed: await chain.mine().catch(String),
        globals: ['Buffer', 'process'].filter((name) => name in window),
      };
    },
    [url, TOKEN],
  );
  expect(results).toEqual({
    refused: expect.stringContaining('requires a token'),
    accounts: node.accounts,
    balance: String(2n ** 70n),
    head: 1,
    count: '41',
    reason: expect.stringContaining('the calldata is too short: start (u128) is missing'),
    lost: expect.stringContaining('/missing.json cannot be read'),
    heights: [1, 4],
    length: 0,
    slot: node.storage('0x1').slot('ERC20_balances', [7]),
    closed: expect.stringContaining('is closed: connect again'),
    globals: [],
  });
});

test('a page is told that no node responds', async () => {
  const page = await (await sharedPages()).take();
  await page.goto(await openSite());
  const message = await page.evaluate(() =>
    window.client.connect('http://127.0.0.1:9').catch(String),
  );
  expect(message).toMatch(/^ConnectionError: No node responds at http:\/\/127\.0\.0\.1:9\/rpc/);
});
