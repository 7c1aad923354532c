// The overview: charts, failures, busy contracts and facts of the chain, live; first steps on an empty one.
/// <reference lib="dom" />
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openLive, type Stage, setStage, watchClipboard } from '../support/stage.js';

const chart = (page: Page, name: string) => page.getByRole('slider', { name });
const main = (page: Page): Promise<string> => page.locator('main').innerText();
const path = (page: Page): string => new URL(page.url()).pathname;

async function withStage(run: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await setStage();
  try {
    await run(stage);
  } finally {
    await stage.close();
  }
}

/** Presses Tab until the focus is on an element that matches. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let step = 0; step < 80; step++) {
    await page.keyboard.press('Tab');
    if (
      await page.evaluate((selectorText) => document.activeElement?.matches(selectorText), selector)
    )
      return;
  }
  throw new Error(`${selector} was not reached`);
}

test('shows the newest blocks, failures and contracts, live and without a pointer', () =>
  withStage(async (stage) => {
    await stage.send(0, [stage.transfer(1, 5n)]);
    const failed = await stage.send(1, [stage.transfer(2, 10n ** 30n)]);
    const { page, complaints, settled } = await openLive(stage, '');
    await chart(page, 'Transactions per block: 2 in 3 blocks, at most 1').waitFor();
    await chart(page, 'Failures per block: 1 in 3 blocks').waitFor();
    expect(await main(page)).toMatch(/2 transactions in 3 blocks. 1 failed\./);
    const failure = page.getByRole('region', { name: 'Last failures' }).getByRole('listitem');
    expect(await failure.innerText()).toMatch(/insufficient balance”\s+account 1 → STRK.transfer/);
    const strk = page.getByRole('table', { name: 'Busiest contracts' }).locator('tbody tr');
    await expect.poll(() => strk.innerText()).toMatch(/STRK\s+2\s+1\s/);
    const facts = page.getByRole('region', { name: 'Chain' });
    expect(await facts.innerText()).toContain('a block per transaction');
    expect(await facts.innerText()).toContain(`${stage.origin}/rpc`);

    // One bar is drawn for the block with a failure, and the same values are in a table.
    const failedBars = page.locator('.tile-failures .chart-failed');
    expect(await failedBars.getAttribute('d')).toMatch(/^M[^M]+$/);
    await stage.send(0, [stage.transfer(1, 6n), stage.transfer(1, 7n)]);
    await stage.node.client.call('devnet_increaseTime', { time: 86_400 });
    await chart(page, 'Transactions per block: 3 in 5 blocks').waitFor();
    await expect.poll(() => facts.innerText()).toContain('+1 d from the system clock');
    await settled();

    await tabTo(page, '[role=slider]');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.getByText(/^block 2, .*: 1 transaction, 1 failed/).waitFor();
    expect(await page.locator('.chart-pointed').count()).toBe(3);
    await tabTo(page, '.values summary');
    await page.keyboard.press('Enter');
    const values = page.getByRole('table', { name: 'Values by block' }).locator('tbody tr');
    expect(await values.nth(2).innerText()).toMatch(/^2\s.*\s1\s+1\s+[\d,]+$/);
    await tabTo(page, '.failures .reason');
    await page.keyboard.press('Enter');
    await expect.poll(() => path(page)).toBe(`/ui/tx/${failed}`);
    await page.goBack();
    await tabTo(page, '[role=slider]');
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await expect.poll(() => path(page)).toBe('/ui/block/0');
    expect(complaints).toEqual([]);
  }));

test('an empty chain shows code that sends the first transaction', () =>
  withStage(async (stage) => {
    const { page, settled } = await stage.open('', { bypassCSP: true });
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByText(stage.address(0)).first().waitFor();
    const copied = await watchClipboard(page);
    const key = stage.node.node.accounts[0]?.privateKey ?? '';
    for (const client of ['starknet.py', 'sncast', 'starknet.js']) {
      await steps.getByRole('button', { name: client, exact: true }).click();
      expect(await steps.innerText()).toContain(`${stage.origin}/rpc`);
      await steps.getByRole('button', { name: `Copy for ${client}` }).click();
      await expect.poll(copied).toContain(key);
      expect(await main(page)).not.toContain(key);
    }
    await settled();
    const folder = mkdtempSync(
      fileURLToPath(new URL('../../../../node_modules/.cache/snippet-', import.meta.url)),
    );
    try {
      const file = join(folder, 'snippet.mjs');
      writeFileSync(file, await copied());
      await import(pathToFileURL(file).href);
    } finally {
      rmSync(folder, { recursive: true });
    }
    await chart(page, 'Transactions per block: 1 in 2 blocks').waitFor();
    await page.getByText('Connect a program').click();
    await page.getByText('Values as a table').click();
  }));
