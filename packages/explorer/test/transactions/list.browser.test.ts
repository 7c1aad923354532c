// The list of transactions: filters in the address, saved views, columns, by keyboard alone.
/// <reference lib="dom" />
import { hash } from 'starknet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { focused, tabTo } from '../support/keyboard.js';
import { isLive, type Stage, setStage } from '../support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
  const reverter = await stage.deploy('reverter');
  await stage.send(0, [stage.transfer(1, 5n)]);
  for (const word of ['0x6f6f7073', '0x7768617473']) {
    const calldata = ['1', word];
    await stage.send(1, [{ contractAddress: reverter, entrypoint: 'fail', calldata }]);
  }
});
afterAll(() => stage.close());

test('filters by function, blocks and panic text are in the address, and become a view', async () => {
  const { page, complaints } = await stage.open('transactions');
  await isLive(page);
  const query = () => Object.fromEntries(new URL(page.url()).searchParams);
  const rows = page.locator('tr[data-row]');
  await expect.poll(() => rows.count()).toBe(5);
  const press = (...keys: string[]) =>
    keys.reduce<Promise<void>>(
      (before, key) => before.then(() => page.keyboard.press(key)),
      Promise.resolve(),
    );

  /** From the menu that adds filters, which has the focus again at the end. */
  const addFilter = async (name: string, text: string): Promise<void> => {
    expect(await focused(page)).toBe('Add filter');
    await press('Enter');
    await tabTo(page, new RegExp(`^${name}$`), 8);
    await press('Enter');
    await expect.poll(() => focused(page)).toBe(name);
    await page.keyboard.type(text);
    await press('Enter');
    await expect.poll(() => focused(page)).toBe('Add filter');
  };

  await tabTo(page, /^Add filter$/);
  await addFilter('Function', 'fail');
  await expect.poll(() => rows.count()).toBe(2);
  await addFilter('From block', '5');
  await expect.poll(() => rows.count()).toBe(1);
  const chips = page.getByRole('search').locator('.chip.is-chosen');
  expect(await chips.allInnerTexts()).toEqual([
    expect.stringMatching(/^Function\s*fail$/),
    expect.stringMatching(/^From block\s*5$/),
  ]);
  expect(query()).toEqual({ function: 'fail', from: '5' });
  expect(await rows.first().innerText()).toContain('whats');
  await addFilter('Failure message', 'OOPS');
  await page.getByText('No transaction matches.').waitFor();
  await page.getByRole('link', { name: 'from block 5' }).press('Enter');
  await expect.poll(() => rows.count()).toBe(1);
  expect(query()).toEqual({ function: 'fail', panic: 'OOPS' });
  expect(await rows.first().innerText()).toContain('oops');

  await page.getByRole('button', { name: 'Save as view' }).press('Enter');
  expect(await focused(page)).toContain('name of the view');
  await page.keyboard.type('Oopses');
  await press('Enter');
  expect(await focused(page)).toBe('All');
  await press('Enter');
  await expect.poll(() => rows.count()).toBe(5);
  await page.getByRole('link', { name: 'Failed' }).press('Enter');
  await expect.poll(() => rows.count()).toBe(2);
  await page.reload();
  const views = page.getByRole('navigation', { name: 'Views' });
  await views.getByRole('link', { name: 'Oopses' }).press('Enter');
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByRole('button', { name: 'Rename view' }).press('Enter');
  await press('End', 'Backspace', 'Backspace', 'Enter');
  expect(await views.getByRole('link').last().innerText()).toBe('Oops');
  await page.getByRole('button', { name: 'Delete view' }).press('Enter');
  expect(await views.getByRole('link').count()).toBe(5);
  expect(query()).toEqual({ function: 'fail', panic: 'OOPS' });
  expect(complaints).toEqual([]);
});

test('columns are chosen and kept; a wrong filter says what it takes', async () => {
  const selector = hash.getSelectorFromName('fail');
  const { page } = await stage.open(`transactions?function=${selector}&to=x`);
  await page.locator('tr[data-row]').first().waitFor();
  expect(await page.locator('tr[data-row]').count()).toBe(2);
  await page.getByText('A block is a number').waitFor();
  const heads = () => page.locator('th').allInnerTexts();
  expect(await heads()).not.toContain('Type');
  await page.locator('summary', { hasText: 'Columns' }).press('Enter');
  await page.getByRole('checkbox', { name: 'Type' }).press('Space');
  await page.getByRole('checkbox', { name: 'Hash' }).press('Space');
  await page.keyboard.press('Escape');
  expect(await focused(page)).toContain('Columns');
  await page.reload();
  await page.locator('tr[data-row]').first().waitFor();
  expect(await heads()).toContain('Type');
  expect(await heads()).not.toContain('Hash');
  expect(await page.locator('tr[data-row]').first().innerText()).toContain('invoke');
});
