// The mempool: its controls and its page.
/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultsOf } from '../support/accessibility.js';
import { tabTo } from '../support/keyboard.js';
import { isLive, openLive, type Stage, setStage } from '../support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage({ blockGenerationOn: 'mempool' });
});
afterAll(() => stage.close());

const status = () => stage.node.client.call('devnet_getStatus', {});

test('transactions are listed, removed, pre-confirmed and sealed', async () => {
  const { page } = await openLive(stage, 'control');
  await page.getByText('0 waiting').waitFor();
  const rows = page.getByRole('list', { name: 'Waiting transactions' }).getByRole('listitem');
  for (const account of [0, 1, 2]) await stage.post(account, [stage.transfer(1, 1n)]);
  await expect.poll(() => rows.count()).toBe(3);
  await rows
    .last()
    .getByRole('button', { name: /^Remove/ })
    .click();
  await expect.poll(() => rows.count()).toBe(2);
  expect(await rows.first().innerText()).toContain('number 1 in order');
  await page.getByRole('button', { name: 'Pre-confirm next' }).click();
  await expect.poll(() => rows.count()).toBe(1);
  expect(await status()).toMatchObject({ pre_confirmed_tx_count: 1, mempool_tx_count: 1 });
  await page.getByRole('button', { name: 'Seal a block' }).click();
  await expect.poll(() => rows.count()).toBe(0);
  expect(await status()).toMatchObject({ pre_confirmed_tx_count: 0, mempool_tx_count: 0 });
});

test('a waiting transaction is found; its page says so, and shows it once it is included', async () => {
  const hash = await stage.post(0, [stage.transfer(1, 1n)]);
  const { page } = await openLive(stage, '');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill(hash);
  await page.getByRole('option', { name: /in the mempool/ }).click();
  await page.getByText('This transaction waits in the mempool.').waitFor();
  await stage.node.client.call('devnet_mempoolSelect', {});
  await page.getByText('This transaction is selected for the block').waitFor();
  await stage.node.client.call('devnet_mempoolSeal', {});
  await page.getByRole('heading', { name: 'Succeeded' }).waitFor();
  expect(await page.getByText('has no transaction').count()).toBe(0);
});

test('its page shows order and missing nonces, and replaces, drops and seals by keyboard', async () => {
  const client = stage.node.client;
  const nonce = BigInt(
    await client.call('starknet_getNonce', {
      block_id: 'pre_confirmed',
      contract_address: stage.address(0),
    }),
  );
  const first = await stage.post(0, [stage.transfer(1, 1n)], { nonce });
  await stage.post(0, [stage.transfer(1, 2n), stage.transfer(2, 2n), stage.transfer(3, 2n)], {
    nonce: nonce + 2n,
  });
  const { page, settled, complaints } = await stage.open('', { bypassCSP: true });
  await isLive(page);
  await page.locator('nav.rail').getByRole('link', { name: 'Mempool' }).press('Enter');
  const rows = page.getByRole('table', { name: 'Waiting transactions' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(2);
  const gap = `nonce ${nonce + 1n} is missing, and 1 transaction waits for it.`;
  await page.getByText(gap).waitFor();
  expect(await rows.first().innerText()).toMatch(/^1\s.*can be executed/s);
  const calls = await rows.locator('td.main').allInnerTexts();
  expect(calls.map((text) => text.replaceAll(/\s/g, ''))).toEqual([
    'STRK.transfer',
    'STRK.transfer+2more',
  ]);
  await settled();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: `Replace ${first}` }).press('Enter');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await rows.allInnerTexts()).join(' ')).toMatch(/\s7\s+can be/);
  await page.getByRole('region', { name: 'Dropped transactions' }).waitFor();
  await tabTo(page, /^Seal a block/);
  await page.keyboard.press('Enter');
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByRole('button', { name: /^Drop 0x/ }).press('Enter');
  await page.getByText('No transaction waits.').waitFor();
  await client.call('devnet_setBlockSettings', { block_generation_on: 'transaction' });
  await page.getByText('The mempool is off').waitFor();
  await page.locator('nav.rail').getByRole('link', { name: 'Blocks' }).press('Enter');
  await page
    .locator('nav.rail')
    .getByRole('link', { name: 'Mempool' })
    .waitFor({ state: 'detached' });
  await client.call('devnet_setBlockSettings', { block_generation_on: 'mempool' });
  await page.locator('nav.rail').getByRole('link', { name: 'Mempool' }).waitFor();
  expect(complaints).toEqual([]);
});
