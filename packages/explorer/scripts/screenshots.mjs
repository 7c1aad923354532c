// Screenshots of every page: four widths, light and dark; full, empty, failing, disconnected.
// Usage: node packages/explorer/scripts/screenshots.mjs [folder] [pages, or all] [states: full,empty,error,gone]
//   [widths: 1440,1024,768,400]
//   (after `npm run build:ts` and `npm run build:explorer`)
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { startNode } from '@starkbox/conformance';
import { Class } from '@starkbox/engine';
import { chromium } from 'playwright-core';
import { hash } from 'starknet';

const FOLDER = process.argv[2] ?? 'node_modules/.cache/ui-screenshots';
const STRK = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';
const price = { max_amount: 200_000_000n, max_price_per_unit: 5_000_000_000n };
const resourceBounds = {
  l1_gas: { ...price, max_amount: 0n },
  l2_gas: price,
  l1_data_gas: { ...price, max_amount: 20_000n },
};

const { node, url, account, provider, close } = await startNode({ listen: true, ui: true });
const origin = new URL(url).origin;

/** @param {string} name @param {string[]} constructorCalldata */
async function deploy(name, constructorCalldata = []) {
  const file = new URL(`../../../contracts/cairo/${name}.sierra.json`, import.meta.url);
  const text = readFileSync(file, 'utf8');
  const sierra = JSON.parse(text);
  const casm = JSON.parse(await (await Class.compile(text)).casm());
  const { deploy } = await account(0).declareAndDeploy({
    contract: sierra,
    casm,
    constructorCalldata,
    compiledClassHash: hash.computeCompiledClassHash(casm),
  });
  return deploy.contract_address;
}

/** @param {number} from @param {{contractAddress: string, entrypoint: string, calldata: (string | bigint)[]}[]} calls */
async function send(from, calls) {
  const { transaction_hash } = await account(from).execute(calls, { resourceBounds });
  await provider.waitForTransaction(transaction_hash);
  return transaction_hash;
}

/** @param {number} whom @param {bigint} amount */
const transfer = (whom, amount) => ({
  contractAddress: STRK,
  entrypoint: 'transfer',
  calldata: [node.accounts[whom]?.address ?? '', amount, '0x0'],
});

await node.request('devnet_recordRequests', { enabled: true });
for (let at = 0; at < 6; at++) {
  await node.request('devnet_mint', {
    address: node.accounts[at]?.address,
    amount: 10 ** 18,
    unit: 'FRI',
  });
}
const reverter = await deploy('reverter');
const counter = await deploy('counter', ['7']);
for (let at = 0; at < 12; at++)
  await send(at % 3, [transfer((at + 1) % 3, 15n * 10n ** BigInt(10 + (at % 8)))]);
await node.request('devnet_snapshot', { name: 'before the swap' });
const succeeded = await send(1, [
  transfer(2, 1_500_000_000_000_000_000n),
  { contractAddress: counter, entrypoint: 'increase', calldata: ['0x5'] },
  { contractAddress: reverter, entrypoint: 'recurse', calldata: ['0x3'] },
]);
await send(
  0,
  Array.from({ length: 60 }, () => transfer(4, 1n)),
);
const reverted = await send(1, [transfer(2, 1n), transfer(2, 10n ** 30n)]);
await send(2, [
  { contractAddress: reverter, entrypoint: 'fail_via', calldata: [reverter, '1', '0x6f6f7073'] },
]);
const contracts = new URL('../../../contracts/', import.meta.url);
const places = readFileSync(new URL('places/failures.sierra.json.gz', contracts));
const source = readFileSync(new URL('src/failing/failures.cairo', contracts), 'utf8');
await node.request('devnet_addArtifact', {
  artifact: JSON.parse(gunzipSync(places).toString()),
  sources: { 'contracts/src/failing/failures.cairo': source },
});
const failures = await deploy('failures', ['0']);
const overflow = await send(0, [
  { contractAddress: failures, entrypoint: 'helper', calldata: ['0x1'] },
]);
await node.request('devnet_increaseTime', { time: 86_400 });
await node.request('devnet_setGasPrice', { gas_price_fri: 987_654_321, generate_block: true });
await send(2, [transfer(0, 25n)]);

const PAGES = {
  overview: '',
  activity: 'activity',
  blocks: 'blocks',
  block: 'block/20',
  'block-state': 'block/20?tab=state',
  transactions: 'transactions',
  'transaction-reverted': `tx/${reverted}`,
  'transaction-source': `tx/${overflow}`,
  'transaction-succeeded': `tx/${succeeded}`,
  'transaction-state': `tx/${succeeded}?tab=state`,
  'transaction-events': `tx/${succeeded}?tab=events`,
  events: 'events',
  timeline: 'timeline',
  'timeline-compare': 'timeline?a=18&b=24&axis=time',
  'transaction-raw': `tx/${succeeded}?tab=raw`,
  'transaction-gas': `tx/${succeeded}?tab=gas`,
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
  'contract-history': `contract/${counter}?tab=history`,
  'class-deploy':
    'class/0x2e77ee61d4df3d988ee1f42ea5442e913862cc82c2584d212ecda76666498fc?tab=deploy',
  simulate: `simulate?tx=${succeeded}`,
  class: 'class/0x2e77ee61d4df3d988ee1f42ea5442e913862cc82c2584d212ecda76666498fc',
  classes: 'classes',
  control: 'control',
  node: 'node',
  more: 'more',
  missing: 'block/9999',
};

const given = process.argv[3] ?? 'all';
const only = given === 'all' ? undefined : given.split(',');
const states = (process.argv[4] ?? 'full,empty,error,gone').split(',');
const widths = (process.argv[5] ?? '1440,1024,768,400').split(',').map(Number);
const wanted = Object.entries(PAGES).filter(([name]) => !only || only.includes(name));

/** @typedef {import('playwright-core').Page} Page */

/** @param {Page} page @param {string} address @param {boolean} isLive */
async function visit(page, address, isLive = true) {
  await page.goto(address);
  await page.locator('h1').waitFor();
  if (isLive) await page.locator('.connection', { hasText: 'live' }).waitFor();
  await page.waitForLoadState('networkidle');
}

/** The states: how pages get into each, and which pages have it.
 * @type {Record<string, (open: () => Promise<Page>, shoot: (page: Page, name: string) => Promise<void>) => Promise<void>>} */
const STATES = {
  async full(open, shoot) {
    const page = await open();
    page.on('pageerror', (error) => console.error(error));
    page.on('console', (message) => message.type() === 'error' && console.error(message.text()));
    for (const [name, path] of wanted) {
      await visit(page, `${origin}/ui/${path}`);
      await shoot(page, name);
    }
    await page.close();
  },
  /** A chain without blocks of its own; pages of single objects do not have this state. */
  async empty(open, shoot) {
    const other = await startNode({ listen: true, ui: true });
    const page = await open();
    for (const [name, path] of wanted) {
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
      const sent = JSON.parse(route.request().postData() ?? '{}');
      const error = { code: -32603, message: 'Internal error', data: 'the disk is full' };
      const refuse = (/** @type {{id: number}} */ { id }) => ({ jsonrpc: '2.0', id, error });
      await route.fulfill({ json: Array.isArray(sent) ? sent.map(refuse) : refuse(sent) });
    });
    for (const [name, path] of wanted) {
      await visit(page, `${origin}/ui/${path}`);
      await shoot(page, name);
    }
    await page.close();
  },
  /** Pages that are open while their node stops. */
  async gone(open, shoot) {
    const other = await startNode({ listen: true, ui: true });
    const { image } = Object(await node.request('devnet_dump', { format: 'image', inline: true }));
    await other.node.request('devnet_load', { image });
    /** @type {[string, Page][]} */
    const tabs = [];
    for (const [name, path] of wanted) {
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
