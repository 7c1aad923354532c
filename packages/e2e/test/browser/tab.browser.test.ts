// `starkbox/browser` in chromium: a whole chain in a tab, built as it is published.
/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { closeAfterTest } from '@starkbox/test-support/closing';
import { parseSync } from 'oxc-parser';
import { createChain } from 'starkbox';
import type * as Browser from 'starkbox/browser';
import { expect, test } from 'vitest';
import { sharedPages } from '../../../explorer/test/support/stage.js';

const { openSite } = await import(
  new URL('../../../../scripts/tab/site.mjs', import.meta.url).href
);
const { expectedTour, imageOf } = await import(
  new URL('../../../../scripts/tab/expected.mjs', import.meta.url).href
);

declare global {
  interface Window {
    tour: (nodeUrl: string) => Promise<unknown>;
    createChain: typeof Browser.createChain;
    chains: Browser.TabChain[];
  }
}

test('a page runs a chain, forks a node, and shares the chain', async () => {
  const node = await createChain({ seed: 1, accounts: 1, port: 0 });
  closeAfterTest(() => node.close());
  const { url } = await node.listen();
  const expected = await expectedTour(createChain, node);
  const site = await openSite(await imageOf(node));
  closeAfterTest(() => site.close());
  const page = await (await sharedPages()).take();
  await page.goto(site.url);
  await page.waitForFunction(() => 'tour' in window);
  const results = await page.evaluate((nodeUrl) => window.tour(nodeUrl), url);
  const patterns = Object.entries(expected).map(([name, value]) => [
    name,
    value instanceof RegExp ? expect.stringMatching(value) : value,
  ]);
  expect(results).toEqual(Object.fromEntries(patterns));
});

test('a worker that fails ends its chain with the reason, and others go on', async () => {
  const site = await openSite(new Uint8Array());
  closeAfterTest(() => site.close());
  const page = await (await sharedPages()).take();
  await page.goto(site.url);
  await page.waitForFunction(() => 'tour' in window);
  await page.evaluate(async () => {
    window.chains = [await window.createChain(), await window.createChain()];
  });
  const [worker] = page.workers();
  const failed = page.evaluate(async () => {
    const [chain] = window.chains;
    const heads = chain?.subscribe('starknet_subscribeNewHeads');
    await heads?.ready;
    return heads?.next().then(
      () => 'ended',
      (error: unknown) => String(error),
    );
  });
  await page.evaluate(() => window.chains[0]?.request('starknet_blockNumber'));
  await worker?.evaluate(() => {
    setTimeout(() => {
      throw new RangeError('out of memory');
    });
  });
  expect(await failed).toMatch(/The worker of the chain failed: .*out of memory.*Create another/);
  const results = await page.evaluate(async () => {
    const [first, second] = window.chains;
    const rejected = await first?.mine().catch(String);
    await second?.mine();
    const height = await second?.request('starknet_blockNumber');
    await Promise.all([first?.close(), second?.close()]);
    return { rejected, height };
  });
  expect(results).toEqual({ rejected: expect.stringContaining('out of memory'), height: 1 });
});

test('a worker that cannot be loaded says what to install', async () => {
  const site = await openSite(new Uint8Array());
  closeAfterTest(() => site.close());
  const page = await (await sharedPages()).take();
  await page.route('**/worker.js', (route) => route.fulfill({ status: 404 }));
  await page.goto(site.url);
  await page.waitForFunction(() => 'tour' in window);
  const [missing, wrong] = await page.evaluate(async () => [
    await window.createChain().catch(String),
    await window.createChain({ ...Object({ image: 'chain.image' }) }).catch(String),
  ]);
  await page.unroute('**/worker.js');
  expect(missing).toMatch(/its file cannot be loaded\. Install @starkbox\/engine-wasm/);
  expect(wrong).toMatch(/^TypeError: image must be a Uint8Array/);
});

test('the worker is one file that imports nothing, so that no module of Node is in it', () => {
  const file = fileURLToPath(
    new URL('../../../engine-wasm/dist/worker/worker.js', import.meta.url),
  );
  const { module, errors } = parseSync(file, readFileSync(file, 'utf8'));
  const { staticImports, dynamicImports } = module;
  expect({ errors, staticImports, dynamicImports }).toEqual({
    errors: [],
    staticImports: [],
    dynamicImports: [],
  });
});
