// The page of instances: branching at a block, comparing two chains, deleting, by keyboard alone.
/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultsOf } from '../support/accessibility.js';
import { tabTo } from '../support/keyboard.js';
import { isLive, type Stage, setStage } from '../support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
  await stage.send(0, [stage.transfer(1, 5n)]);
  await stage.send(0, [stage.transfer(1, 7n)]);
});
afterAll(() => stage.close());

const instances = async () => (await stage.node.client.call('devnet_listInstances', {})).instances;

test('a chain is branched at a block, compared and deleted', async () => {
  const { page, settled, complaints } = await stage.open('instances', { bypassCSP: true });
  await isLive(page);
  await page.getByText('There is only the main chain.').waitFor();
  await tabTo(page, /^name/);
  await page.keyboard.type('trial');
  await page.keyboard.press('Tab');
  await page.keyboard.type('1');
  await page.keyboard.press('Enter');
  const table = page.getByRole('table', { name: 'Chains' });
  const row = table.getByRole('row').filter({ hasText: 'trial' });
  await expect.poll(() => row.innerText()).toMatch(/main chain\s+1\s+1\s/);
  expect(await stage.node.client.call('starknet_blockNumber', {})).toBe(2);

  await row.getByRole('link', { name: 'Compare with trial' }).press('Enter');
  const compared = page.getByRole('region', { name: 'Compare chains' });
  await compared.getByText('They are the same up to block 1.').waitFor();
  expect(await compared.locator('dd').allInnerTexts()).toEqual([
    expect.stringMatching(/head 2\W+1 block since the branch, from 2\W+1 transaction/),
    expect.stringMatching(/head 1\W+no block since the branch/),
  ]);
  const values = compared.getByRole('table', { name: 'Values that differ' });
  const nonce = values.getByRole('row').filter({ hasText: 'nonce' });
  expect((await nonce.innerText()).split(/\s+/).slice(-2)).toEqual(['2', '1']);
  expect(await values.getByRole('row').filter({ hasText: 'STRK' }).count()).toBeGreaterThan(1);
  await settled();
  expect(await faultsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  await page.setViewportSize({ width: 1280, height: 800 });

  await compared.getByLabel('with').selectOption({ label: 'main chain' });
  await compared.getByText('Both are the same chain.').waitFor();
  await row.getByRole('button', { name: 'Delete trial' }).press('Enter');
  await page.keyboard.press('Escape');
  expect(await instances()).toHaveLength(1);
  await row.getByRole('button', { name: 'Delete trial' }).press('Enter');
  const question = page.getByRole('dialog', { name: 'Delete trial?' });
  await question.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
  await row.waitFor({ state: 'detached' });
  expect(await instances()).toEqual([]);
  expect(complaints).toEqual([]);
});
