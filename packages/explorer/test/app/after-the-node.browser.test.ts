// What the page of accounts shows once its node is gone.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openLive, setStage } from '../support/stage.js';

const isGone = (page: Page): Promise<void> =>
  page
    .locator('.strip:is([data-connection=reconnecting], [data-connection=unreachable])')
    .waitFor();
const balances = (page: Page) => page.locator('[data-balance=strk]');

test('accounts keep their last balances, also after another page', async () => {
  const stage = await setStage();
  let isClosed = false;
  try {
    const { page, settled } = await openLive(stage, 'accounts');
    await expect.poll(() => balances(page).nth(4).innerText()).toMatch(/^1,000/);
    const before = await balances(page).allInnerTexts();
    await page.getByRole('link', { name: 'Blocks' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Blocks' }).waitFor();
    await settled();
    await stage.close();
    isClosed = true;
    await isGone(page);
    await page.getByRole('link', { name: 'Accounts' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
    await expect.poll(() => balances(page).allInnerTexts()).toEqual(before);
  } finally {
    if (!isClosed) await stage.close();
  }
});

test('a page that cannot read the accounts reports that, without rows and without claims', async () => {
  const stage = await setStage();
  try {
    const { page } = await stage.open('node');
    await page.route('**/rpc', (route) => route.abort());
    await page.goto(`${stage.origin}/ui/accounts`);
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
    await page.locator('main').getByRole('alert').first().waitFor();
    expect(await balances(page).count()).toBe(0);
    expect(await page.locator('main').innerText()).not.toContain('No other account');
    await page.unroute('**/rpc');
    await page.locator('main').getByRole('button', { name: /again/i }).first().click();
    await expect.poll(() => balances(page).nth(4).innerText()).toMatch(/^1,000/);
  } finally {
    await stage.close();
  }
});
