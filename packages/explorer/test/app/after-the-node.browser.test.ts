// What a page shows once its node is gone.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openLive, setStage } from '../support/stage.js';

const isGone = (page: Page): Promise<void> =>
  page
    .locator('.strip:is([data-connection=reconnecting], [data-connection=unreachable])')
    .waitFor();

test('accounts keep their last balances, and an unread page reports the problem', async () => {
  const stage = await setStage();
  let isClosed = false;
  try {
    const { page } = await openLive(stage, 'accounts');
    const row = page.locator('tr', { hasText: 'account 4' });
    const balance = row.locator('[data-balance=strk]');
    await expect.poll(() => balance.innerText()).toMatch(/^1,000/);
    const before = await balance.innerText();
    const others = page.getByRole('region', { name: 'Other accounts' });
    await others.getByText(/^No other account/).waitFor();

    // A second page has loaded its code, and has not read the accounts.
    const unread = await openLive(stage, 'node');
    await unread.settled();
    await stage.close();
    isClosed = true;
    await isGone(page);
    expect(await balance.innerText()).toBe(before);

    await isGone(unread.page);
    await unread.page.evaluate(() => {
      history.pushState(undefined, '', location.pathname.replace(/node$/, 'accounts'));
      dispatchEvent(new PopStateEvent('popstate'));
    });
    await unread.page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
    await unread.page.getByRole('alert').first().waitFor();
    const text = await unread.page.locator('main').innerText();
    expect(text).not.toMatch(/No other account/);
  } finally {
    if (!isClosed) await stage.close();
  }
});
