// Screenshots of every page: four widths, light and dark; full, empty, failing, disconnected.
// Usage: node packages/explorer/scripts/screenshots.mjs [folder] [pages, or all] [states: full,empty,error,gone]
//   [widths: 1440,1024,768,390]
//   (after `npm run build:ts` and `npm run build:explorer`)
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startNode } from '@starkbox/test-support';
import { chromium } from 'playwright-core';
import { STRK, settled, startSample } from './sample-chain.mjs';

const FOLDER = process.argv[2] ?? 'node_modules/.cache/ui-screenshots';
const { node, origin, close, counter, succeeded, reverted, overflow, underfunded } =
  await startSample();

const PAGES = {
  overview: '',
  activity: 'activity',
  blocks: 'blocks',
  block: 'block/20',
  'block-state': 'block/20?tab=state',
  transactions: 'transactions',
  'transaction-reverted': `tx/${reverted}`,
  'transaction-source': `tx/${overflow}`,
  'transaction-remedy': `tx/${underfunded}`,
  'transaction-succeeded': `tx/${succeeded}`,
  'transaction-state': `tx/${succeeded}?tab=state`,
  'transaction-events': `tx/${succeeded}?tab=events`,
  events: 'events',
  timeline: 'timeline',
  instances: 'instances',
  'timeline-compare': 'timeline?a=18&b=24&axis=time',
  'transaction-raw': `tx/${succeeded}?tab=raw`,
  'transaction-gas': `tx/${succeeded}?tab=gas`,
  'transaction-debug': `tx/${overflow}?tab=debug`,
  'gas-table': 'gas?view=table&from=0',
  gas: 'gas?from=0',
  messages: 'messages?send=1',
  console: 'console?method=starknet_getEvents',
  requests: 'requests',
  accounts: 'accounts',
  contracts: 'contracts',
  contract: `contract/${counter}`,
  'contract-read': `contract/${counter}?tab=read`,
  'contract-storage': `contract/${STRK}?tab=storage`,
  'contract-interact': `contract/${STRK}?tab=interact&f=transfer`,
  'contract-calls': `contract/${counter}?tab=calls`,
  'contract-events': `contract/${STRK}?tab=events`,
  'contract-token': `contract/${STRK}?tab=token`,
  token: `token/${STRK}`,
  'contract-history': `contract/${counter}?tab=history`,
  'class-deploy':
    'class/0x2e77ee61d4df3d988ee1f42ea5442e913862cc82c2584d212ecda76666498fc?tab=deploy',
  simulate: `simulate?tx=${succeeded}`,
  class: 'class/0x2e77ee61d4df3d988ee1f42ea5442e913862cc82c2584d212ecda76666498fc',
  classes: 'classes',
  rules: 'rules',
  mempool: 'mempool',
  control: 'control',
  node: 'node',
  more: 'more',
  missing: 'block/9999',
};

const selection = process.argv[3] ?? 'all';
const only = selection === 'all' ? undefined : selection.split(',');
const states = (process.argv[4] ?? 'full,empty,error,gone').split(',');
const widths = (process.argv[5] ?? '1440,1024,768,390').split(',').map(Number);
const pages = Object.entries(PAGES).filter(([name]) => !only || only.includes(name));

/** @typedef {import('playwright-core').Page} Page */

/** @param {Page} page @param {string} address @param {boolean} isLive */
async function visit(page, address, isLive = true) {
  await page.goto(address);
  await page.locator('h1').waitFor();
  if (isLive) await page.locator('.connection', { hasText: 'live' }).waitFor();
  await page.waitForLoadState('networkidle');
  await settled(page);
}

/** The states: how pages get into each, and which pages have it.
 * @type {Record<string, (open: () => Promise<Page>, shoot: (page: Page, name: string) => Promise<void>) => Promise<void>>} */
const STATES = {
  async full(open, shoot) {
    const page = await open();
    page.on('pageerror', (error) => console.error(error));
    page.on('console', (message) => message.type() === 'error' && console.error(message.text()));
    for (const [name, path] of pages) {
      await visit(page, `${origin}/ui/${path}`);
      await shoot(page, name);
    }
    await page.close();
  },
  /** A chain without blocks of its own; pages of single objects do not have this state. */
  async empty(open, shoot) {
    const other = await startNode({ listen: true, ui: true });
    const page = await open();
    for (const [name, path] of pages) {
      if (/[/?]/.test(path)) continue;
      await visit(page, `${new URL(other.url).origin}/ui/${path}`);
      await shoot(page, name);
    }
    await page.close();
    await other.close();
  },
  /** Every request fails, while the socket stays connected. */
  async error(open, shoot) {
    const page = await open();
    await page.route('**/rpc', async (route) => {
      const body = JSON.parse(route.request().postData() ?? '{}');
      const error = { code: -32603, message: 'Internal error', data: 'the disk is full' };
      const refuse = (/** @type {{id: number}} */ { id }) => ({ jsonrpc: '2.0', id, error });
      await route.fulfill({ json: Array.isArray(body) ? body.map(refuse) : refuse(body) });
    });
    for (const [name, path] of pages) {
      await visit(page, `${origin}/ui/${path}`);
      await shoot(page, name);
    }
    await page.close();
  },
  /** Pages that are open while their node stops. */
  async gone(open, shoot) {
    const other = await startNode({ listen: true, ui: true });
    const { image } = await node.request('devnet_dump', { format: 'image', inline: true });
    await other.node.request('devnet_load', { image });
    /** @type {[string, Page][]} */
    const tabs = [];
    for (const [name, path] of pages) {
      const page = await open();
      await visit(page, `${new URL(other.url).origin}/ui/${path}`);
      tabs.push([name, page]);
    }
    await other.close();
    for (const [name, page] of tabs) {
      await page.locator('.connection', { hasText: 'not reachable' }).waitFor();
      await shoot(page, name);
      await page.close();
    }
  },
};

mkdirSync(FOLDER, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  for (const state of states) {
    for (const width of widths) {
      for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
        const mark = state === 'full' ? '' : `-${state}`;
        await STATES[state]?.(
          () =>
            browser.newPage({ viewport: { width, height: width > 1280 ? 900 : 800 }, colorScheme }),
          async (page, name) => {
            await page.screenshot({
              path: join(FOLDER, `${name}${mark}-${width}-${colorScheme}.png`),
            });
          },
        );
      }
    }
  }
} finally {
  await browser.close();
  await close();
}
