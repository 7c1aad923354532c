// The page of instances: branching at a block, comparing two chains, deleting, by keyboard alone.
/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultsOf } from '../support/accessibility.js';
import { tabTo } from '../support/keyboard.js';
import { failCalls, isLive, type Stage, setStage } from '../support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
  await stage.send(0, [stage.transfer(1, 5n)]);
  await stage.send(0, [stage.transfer(1, 7n)]);
});
afterAll(() => stage.close());

const instances = async () => (await stage.node.client.call('devnet_listInstances', {})).instances;

test('a page that cannot read the instances claims nothing about them', async () => {
  const { page } = await stage.open('node');
  await failCalls(page, 'devnet_listInstances');
  await page.goto(`${stage.origin}/ui/instances`);
  const main = page.locator('main');
  await main.getByRole('alert').getByText('Could not read the instances.').waitFor();
  expect(await main.innerText()).not.toContain('There is only the main chain.');
  await page.unroute('**/rpc');
  await main.getByRole('button', { name: 'Try again' }).click();
  await main.getByText('There is only the main chain.').waitFor();
});

test('a chain is branched at a block, compared and deleted', async () => {
  const { page, settled, complaints } = await stage.open('instances', { bypassCSP: true });
  await isLive(page);
  await page.getByText('There is only the main chain.').waitFor();
  await tabTo(page, /^Name/);
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
  const group = (name: RegExp) =>
    values.locator('tbody').filter({ has: page.getByRole('rowheader', { name }) });
  const nonce = group(/^account 0, ends/).getByRole('row', { name: /^nonce/ });
  expect(await nonce.innerText()).toMatch(/^nonce\s+2\s+1(\s|$)/);
  const balances = group(/^STRK/).getByRole('row', { name: /^ERC20_balances/ });
  await expect.poll(() => balances.count()).toBeGreaterThan(1);
  await expect.poll(() => balances.filter({ hasText: 'account 1' }).innerText()).toMatch(/7 fri$/);
  await settled();
  expect(await faultsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  await page.setViewportSize({ width: 1280, height: 800 });

  await compared.getByLabel('Compare with').selectOption({ label: 'main chain' });
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
