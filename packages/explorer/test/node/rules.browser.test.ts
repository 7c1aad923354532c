// The page of rules: what a public network would have rejected, by rule and reason, by keyboard alone.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tabTo } from '../support/keyboard.js';
import { isLive, type Stage, setStage } from '../support/stage.js';

/** Transactions with the same reason. */
const EQUAL = 22;

let stage: Stage;
/** Oldest first. */
const equal: string[] = [];

beforeAll(async () => {
  stage = await setStage();
  for (let index = 0; index < EQUAL; index++)
    equal.push(await stage.send(index % 2, [stage.transfer(1, 5n)]));
  const price = { max_amount: 0n, max_price_per_unit: 6_000_000_000n };
  await stage.node.account(2).execute([stage.transfer(1, 5n)], {
    resourceBounds: {
      l1_gas: price,
      l2_gas: { ...price, max_amount: 400_000_000n },
      l1_data_gas: { ...price, max_amount: 40_000n },
    },
  });
});
afterAll(() => stage.close());

test('equal reasons are one row with their count, senders and newest transactions', async () => {
  const { page, complaints } = await stage.open('rules');
  await isLive(page);
  await page.getByText('--rules mainnet').waitFor();
  const section = page.getByRole('region', { name: 'min_gas_price', exact: true });
  await section.getByText(`${EQUAL + 1} transactions`).waitFor();
  const rows = section.getByRole('table', { name: 'Reasons of min_gas_price' }).locator('tbody tr');
  await section.getByRole('heading', { name: /^Minimum gas price min_gas_price/ }).waitFor();
  expect(await rows.count()).toBe(2);
  const most = rows.first();
  await most.getByText('account 1').waitFor();
  expect(await most.innerText()).toMatch(
    /The max_price_per_unit of l2_gas is 5 gfri; mainnet requires at least 8 gfri\..*\s22\s.*account 1\s*account 0/s,
  );
  const links = most.getByRole('link', { name: /^transaction / });
  expect(
    await links.evaluateAll((elements) => elements.map((link) => link.getAttribute('title'))),
  ).toEqual(equal.slice(-3).toReversed());
  expect(await rows.last().innerText()).toMatch(/6 gfri.*\s1\s.*account 2/s);
  expect(await rows.last().getByRole('button').count()).toBe(0);
  await page.getByLabel('network').selectOption('sepolia');
  await rows.first().getByText('sepolia requires').waitFor();
  expect(new URL(page.url()).search).toBe('?network=sepolia');
  expect(complaints).toEqual([]);
});

test('all transactions of a reason are listed with their senders, by keyboard', async () => {
  const { page } = await stage.open('rules');
  await isLive(page);
  await page.getByLabel('network').focus();
  await tabTo(page, new RegExp(`^Show all ${EQUAL}`));
  await page.keyboard.press('Enter');
  const all = page.getByRole('table', { name: 'Transactions that break min_gas_price' });
  await expect.poll(() => all.getAttribute('aria-rowcount')).toBe(String(EQUAL + 1));
  const first = all.locator('tr[data-row="0"]');
  await first.getByText('account 1').waitFor();
  expect(await first.getByRole('link', { name: /^transaction / }).getAttribute('title')).toBe(
    equal.at(-1),
  );
  await page.keyboard.press('Enter');
  await all.waitFor({ state: 'detached' });
  await page.getByLabel('network').focus();
  await tabTo(page, /^transaction 0x/);
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/ui/tx/${equal.at(-1)}`);
});
