// `starkbox/browser` in chromium: a whole chain in a tab, built as it is published.
/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { createChain } from 'starkbox';
import { expect, test } from 'vitest';
import { sharedPages } from '../../../explorer/test/support/stage.js';
import { closeAfterTest } from '../../support/closing.js';

const { openSite } = await import(
  new URL('../../../../scripts/tab/site.mjs', import.meta.url).href
);
const { expectedTour } = await import(
  new URL('../../../../scripts/tab/expected.mjs', import.meta.url).href
);

declare global {
  interface Window {
    tour: (nodeUrl: string) => Promise<unknown>;
  }
}

test('a page runs a chain, forks a node, and shares the chain', async () => {
  const node = await createChain({ seed: 1, accounts: 1, port: 0 });
  closeAfterTest(() => node.close());
  const { url } = await node.listen();
  const expected = await expectedTour(createChain, node);
  const site = await openSite();
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

test('the worker is one file that imports nothing, so that no module of Node is in it', () => {
  const file = fileURLToPath(new URL('../../../starkbox/dist/web/worker.js', import.meta.url));
  const { module, errors } = parseSync(file, readFileSync(file, 'utf8'));
  const { staticImports, dynamicImports } = module;
  expect({ errors, staticImports, dynamicImports }).toEqual({
    errors: [],
    staticImports: [],
    dynamicImports: [],
  });
});
