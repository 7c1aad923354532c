// Faults that explorers of this kind are known for, where no other test has shown that ours has them not.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLive, STRK, type Stage, setStage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
  await stage.send(0, [stage.transfer(1, 25n)]);
  await stage.send(0, [stage.transfer(1, 26n)]);
}, 180_000);
afterAll(() => stage.close());

const status = () => stage.node.client.call('devnet_getStatus', {});
const main = (page: Page): Promise<string> => page.locator('main').innerText();

describe('nothing is destroyed by one click', () => {
  test('aborting blocks says how many go, and can be left', async () => {
    const { page } = await stage.open('control');
    await isLive(page);
    const { block_count } = await status();
    await page.getByLabel('block', { exact: true }).fill(String(block_count - 1));
    await page.getByRole('button', { name: `Abort from ${block_count - 1}` }).click();
    const sheet = page.getByRole('dialog');
    expect(await sheet.innerText()).toContain('1 in all');
    await sheet.getByRole('button', { name: 'Cancel' }).click();
    expect((await status()).block_count).toBe(block_count);
  });

  test('a clock set backwards is asked about; a small number is not taken for a date', async () => {
    const { page } = await stage.open('control');
    await isLive(page);
    const { timestamp } = await stage.node.client.call('starknet_getBlockWithTxHashes', {
      block_id: 'latest',
    });
    await page.getByLabel('new time').fill('5');
    await page.getByRole('button', { name: /^Set clock to/ }).click();
    await page.getByRole('dialog').getByText('Set the clock backwards?').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    const after = await stage.node.client.call('starknet_getBlockWithTxHashes', {
      block_id: 'latest',
    });
    expect(after.timestamp).toBe(timestamp);
  });

  test('opening a page changes nothing', async () => {
    const before = JSON.stringify(await status());
    for (const path of ['control?mint=1', 'accounts', `contract/${STRK}`, 'node']) {
      const { page, leave } = await stage.open(path);
      await isLive(page);
      await page.waitForLoadState('networkidle');
      await leave();
    }
    expect(JSON.stringify(await status())).toBe(before);
  });
});

describe('news comes to every list alike', () => {
  test.each(['', 'blocks', 'transactions', 'accounts'])('/%s', async (path) => {
    const { page } = await stage.open(path);
    await isLive(page);
    await page.locator('tr[data-row]').first().waitFor();
    const before = await main(page);
    await stage.send(0, [stage.transfer(2, 10n ** 18n)]);
    await expect.poll(() => main(page), { timeout: 30_000, interval: 50 }).not.toBe(before);
  });
});

describe('numbers do not mislead', () => {
  test('prices of a block are decimal, to the last digit that tells them apart', async () => {
    await stage.node.client.call('devnet_setGasPrice', {
      gas_price_fri: 987_654_321,
      generate_block: true,
    });
    const number = await stage.node.client.call('starknet_blockNumber', {});
    const { page } = await stage.open(`block/${number}`);
    await page.getByText('l1 0.987654321 gfri').waitFor();
    expect(await page.locator('.meta').allInnerTexts()).not.toContain('0x3ade68b1');
  });

  test('a small amount is not nothing, and has its token', async () => {
    const hash = await stage.send(0, [stage.transfer(1, 25n)]);
    const { page } = await stage.open(`tx/${hash}?tab=events`);
    await page.getByText('value: 25 fri').waitFor();
    expect(await main(page)).not.toMatch(/\b0\.000000 STRK/);
  });

  test('what is a class is called one, and leads to its page', async () => {
    const { page } = await stage.open('node');
    const row = page
      .locator('dt', { hasText: 'ETH class' })
      .locator('xpath=following-sibling::dd[1]');
    const { eth_erc20_class_hash } = await stage.node.client.call('devnet_getConfig', {});
    expect(await row.getByRole('link').getAttribute('href')).toBe(
      `/ui/class/${eth_erc20_class_hash}`,
    );
    expect(await main(page)).toContain('1,000 STRK and 1,000 ETH');
  });

  test('generic types are printed whole', async () => {
    const address = stage.address(0);
    const { page } = await stage.open(`contract/${address}?tab=abi`);
    await page
      .getByText(/Array<Call>|Span<felt252>|Array<felt252>/)
      .first()
      .waitFor();
    expect(await main(page)).not.toMatch(/(?<![<\w])(Call|felt252)>/);
  });
});
