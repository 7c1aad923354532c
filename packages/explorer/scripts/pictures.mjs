// Pictures of README and docs, made anew: npm run pictures (after `npm run build:ts` and `npm run build:pages`).
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { STRK, settled, startSample } from './sample-chain.mjs';

const FOLDER = new URL('../../../docs/pictures/', import.meta.url);
/** Shown at half of their size, so that text is sharp. */
const SCALE = 2;

/** @typedef {import('playwright-core').Page} Page */

const sample = await startSample({ hasWallet: true });
const { origin, node, post, transfer } = sample;
const { counter, reverter } = sample;
// Blocks of different size, so that the charts of the overview have something to show. Nonces are those of the last
// block, so each account sends once per block.
await node.request('devnet_setBlockSettings', { block_generation_on: 'demand' });
for (let block = 0; block < 12; block++) {
  for (let from = 0; from < 1 + ((block * 7) % 5); from++) {
    const increase = { contractAddress: counter, entrypoint: 'increase', calldata: ['0x1'] };
    await post(from, [(block + from) % 3 === 0 ? increase : transfer(from + 1, 10n ** 15n)]);
  }
  if (block % 5 === 3) {
    const calldata = [reverter, '1', '0x6f6f7073'];
    await post(6, [{ contractAddress: reverter, entrypoint: 'fail_via', calldata }]);
  }
  await node.request('devnet_createBlock');
}
await post(7, [transfer(2, 10n ** 30n)]);
await node.request('devnet_createBlock');
await node.request('devnet_setBlockSettings', { block_generation_on: 'transaction' });

/** Pages of the explorer by file name. */
const EXPLORER = {
  overview: '',
  'failed-transaction': `tx/${sample.overflow}`,
  'state-changes': `tx/${sample.succeeded}?tab=state`,
  gas: `tx/${sample.succeeded}?tab=gas`,
  debugger: `tx/${sample.overflow}?tab=debug`,
};

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
/** @param {string} name */
const file = (name) => fileURLToPath(new URL(`${name}.png`, FOLDER));
try {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: SCALE,
    colorScheme: 'light',
  });
  for (const [name, path] of Object.entries(EXPLORER)) {
    await page.goto(`${origin}/ui/${path}`);
    await page.locator('h1').waitFor();
    await page.locator('.connection', { hasText: 'live' }).waitFor();
    await page.waitForLoadState('networkidle');
    await settled(page);
    await page.screenshot({ path: file(name) });
  }
  await page.close();
  await shootWallet(await browser.newPage({ deviceScaleFactor: SCALE, colorScheme: 'light' }));
} finally {
  await browser.close();
  await sample.close();
}

/** The wallet's panel on a page of a dapp. @param {Page} page */
async function shootWallet(page) {
  const site = createServer((_request, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(`<!doctype html><title>A dapp</title><script src="${origin}/wallet.js"></script>`);
  });
  await new Promise((resolve) => site.listen(0, '127.0.0.1', () => resolve(undefined)));
  try {
    await page.goto(`http://localhost:${site.address()?.port}/`);
    /** @param {string} type @param {unknown} params */
    const ask = (type, params) =>
      page.evaluate(
        ([type, params]) => {
          // The answer comes when a person has approved.
          Reflect.get(window, 'starknet_starkbox').request({ type, params }).catch(console.error);
        },
        /** @type {const} */ ([type, params]),
      );
    await ask('wallet_requestAccounts', undefined);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Approve' }).click();
    await dialog.waitFor({ state: 'detached' });
    const call = (
      /** @type {string} */ entry_point,
      /** @type {number} */ whom,
      /** @type {string} */ amount,
    ) => ({
      contract_address: STRK,
      entry_point,
      calldata: [node.accounts[whom]?.address, amount, '0'],
    });
    await ask('wallet_addInvokeTransaction', {
      calls: [
        call('approve', 2, '5000000000000000000'),
        call('transfer', 1, '1000000000000000000'),
      ],
    });
    await dialog.getByText('highest fee').waitFor();
    await dialog.screenshot({ path: file('wallet') });
  } finally {
    site.close();
    site.closeAllConnections();
  }
}
