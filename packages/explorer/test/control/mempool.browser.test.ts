// Controls of the mempool.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLive, type Stage, setStage } from '../support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage({ blockGenerationOn: 'mempool' });
});
afterAll(() => stage.close());

const status = () => stage.node.client.call('devnet_getStatus', {});

test('transactions are listed, removed, pre-confirmed and sealed', async () => {
  const { page } = await openLive(stage, 'control');
  await page.getByText('transactions wait in the mempool').first().waitFor();
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
