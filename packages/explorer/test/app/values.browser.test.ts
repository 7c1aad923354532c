// Values on pages: prices, amounts, classes and types; opening a page changes nothing.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLive, STRK, type Stage, setStage } from '../support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
  await stage.send(0, [stage.transfer(1, 25n)]);
  await stage.send(0, [stage.transfer(1, 26n)]);
});
afterAll(() => stage.close());

const status = () => stage.node.client.call('devnet_getStatus', {});
const main = (page: Page): Promise<string> => page.locator('main').innerText();

test('opening a page changes nothing', async () => {
  const before = JSON.stringify(await status());
  for (const path of ['control?mint=1', 'accounts', `contract/${STRK}`, 'node']) {
    const { page, leave, settled } = await stage.open(path);
    await isLive(page);
    await settled();
    await leave();
  }
  expect(JSON.stringify(await status())).toBe(before);
});

describe('values', () => {
  test('prices of a block are decimal with all significant digits', async () => {
    await stage.node.client.call('devnet_setGasPrice', {
      gas_price_fri: 987_654_321,
      generate_block: true,
    });
    const number = await stage.node.client.call('starknet_blockNumber', {});
    const { page } = await stage.open(`block/${number}`);
    const price = page.locator('.fact-grid > div', { hasText: 'L1 gas price' }).locator('dd');
    await expect.poll(() => price.innerText()).toBe('0.987654321 gfri');
    expect(await main(page)).not.toContain('0x3ade68b1');
  });

  test('a small amount is shown in fri and not rounded to zero', async () => {
    const hash = await stage.send(0, [stage.transfer(1, 25n)]);
    const { page } = await stage.open(`tx/${hash}?tab=events`);
    await page.getByText('value: 25 fri').waitFor();
    expect(await main(page)).not.toMatch(/\b0\.000000 STRK/);
  });

  test('changes have all decimals; hashes of blocks come last, each with its number once', async () => {
    await stage.node.client.call('devnet_createBlock', { count: 10 });
    await stage.send(0, [stage.transfer(1, 1_500_000_000_000n)]);
    const number = await stage.node.client.call('starknet_blockNumber', {});
    const { page } = await stage.open(`block/${number}?tab=state`);
    const groups = page.getByRole('table', { name: 'State changes' }).locator('tbody');
    const recipient = groups.locator('tr', { hasText: '[account 1]' });
    await expect.poll(() => recipient.locator('td').last().innerText()).toBe('+0.0000015 STRK');
    expect(await groups.last().innerText()).toMatch(
      new RegExp(`^\\s*block hashes 1 value\\s+block_hashes\\[${number - 10}\\]\\s+0\\s`),
    );
  });

  test('a class is labelled as class and links to its page', async () => {
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

  test('generic types are printed in full', async () => {
    const address = stage.address(0);
    const { page } = await stage.open(`contract/${address}?tab=abi`);
    await page
      .getByText(/Array<Call>|Span<felt252>|Array<felt252>/)
      .first()
      .waitFor();
    expect(await main(page)).not.toMatch(/(?<![<\w])(Call|felt252)>/);
  });
});
