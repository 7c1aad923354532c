// The page of rules: what a public network would have refused, by rule, by keyboard alone.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultsOf } from '../support/accessibility.js';
import { tabTo } from '../support/keyboard.js';
import { isLive, type Stage, setStage } from '../support/stage.js';

let stage: Stage;
let hash: string;

beforeAll(async () => {
  stage = await setStage();
  hash = await stage.send(0, [stage.transfer(1, 5n)]);
});
afterAll(() => stage.close());

test('transactions are listed by the rule that they break, with reason and link', async () => {
  const { page, settled, complaints } = await stage.open('rules', { bypassCSP: true });
  await isLive(page);
  await page.getByText('--rules mainnet').waitFor();
  const table = page.getByRole('table', { name: 'Transactions that break min_gas_price' });
  const row = table.locator('tbody tr');
  expect(await row.innerText()).toMatch(/5000000000 fri; mainnet requires at least 8000000000/);
  await settled();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByLabel('network').selectOption('sepolia');
  await row.getByText('sepolia requires').waitFor();
  expect(new URL(page.url()).search).toBe('?network=sepolia');
  await page.getByLabel('network').focus();
  await tabTo(page, /^transaction 0x/);
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/ui/tx/${hash}`);
  expect(complaints).toEqual([]);
});
