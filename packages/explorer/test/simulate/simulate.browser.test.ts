// Simulation of several transactions: results, comparison with the previous run, sending.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faultsOf } from '../support/accessibility.js';
import { countOf, openLive, type Stage, setStage } from '../support/stage.js';

let stage: Stage;
let counter: string;

beforeAll(async () => {
  stage = await setStage();
  counter = await stage.deploy('counter', ['7']);
});
afterAll(() => stage.close());

describe('steps', () => {
  const addStep = async (page: Page, amount: string): Promise<void> => {
    await page.getByRole('button', { name: 'Add a step' }).click();
    await page.getByLabel('contract', { exact: true }).fill(counter);
    await page.getByLabel('function', { exact: true }).selectOption('increase');
    await page.getByLabel('amount u128').fill(amount);
  };

  test('run on the state of earlier steps, are compared with the previous run, and can be sent', async () => {
    const { page, complaints } = await openLive(stage, 'simulate');
    await page.getByText('each on the state after the previous').waitFor();
    await addStep(page, '10');
    await addStep(page, '5');
    const before = await countOf(stage, counter);
    await page.getByRole('button', { name: /^Simulate 2 steps/ }).click();
    // The second step starts from what the first one left.
    await page.getByText(`before: ${before + 10n}, after: ${before + 15n}`).waitFor();
    expect(await countOf(stage, counter)).toBe(before);
    expect(await page.getByLabel('differs from the run before').count()).toBe(0);
    await page.getByLabel('Steps').getByRole('button', { name: /^1 / }).click();
    await page.getByLabel('amount u128').fill('0');
    await page.getByText('The form has changed since this result.').waitFor();
    await page.getByLabel('amount u128').press('Control+Enter');
    await page.getByText('“counter: amount is 0”').waitFor();
    await page.getByText('Would be reverted').waitFor();
    await page.getByText(/^Reverted: .*\.increase panicked with 'counter: amount is 0'$/).waitFor();
    // Both differ: the first fails, and the second starts from another number.
    await expect
      .poll(() => page.locator('.steps').getByLabel('differs from the run before').count())
      .toBe(2);
    await page.getByLabel('amount u128').fill('1');
    await page.getByRole('button', { name: /^Send for real/ }).click();
    const sheet = page.getByRole('dialog', { name: 'Send 2 transactions?' });
    await sheet.getByRole('button', { name: 'Send for real' }).click();
    await page.locator('.outcome', { hasText: 'Succeeded' }).waitFor();
    expect(await countOf(stage, counter)).toBe(before + 6n);
    expect(complaints).toEqual([]);
  });

  test('run with other values of the chain, by keyboard', async () => {
    const context = await stage.deploy('context');
    const { page, complaints } = await openLive(stage, 'simulate');
    await page.getByRole('button', { name: 'Add a step' }).click();
    await page.getByLabel('contract', { exact: true }).fill(context);
    await page.getByLabel('function', { exact: true }).selectOption('current');
    const fee = page.locator('.outcome [role=status]');
    const results = page.getByRole('list', { name: 'Results' });
    await page.keyboard.press('Control+Enter');
    await fee.getByText('Would succeed').waitFor();
    const plain = await results.innerText();
    const paid = await fee.innerText();
    const add = (kind: string) => page.getByRole('button', { name: `Override ${kind}` });
    await add('time').press('Enter');
    const first = page.getByRole('group', { name: '1. Override time' });
    await first.getByLabel('Time').fill('soon');
    await first.getByText('A time is a date such as').waitFor();
    await first.getByLabel('Time').fill('2040-01-02T03:04:05Z');
    await add('gas price').press('Enter');
    await page.getByRole('group', { name: '2. Override gas price' }).getByLabel('Price').fill('70');
    await add('block number').press('Enter');
    const third = page.getByRole('group', { name: '3. Override block number' });
    await third.getByLabel('Block number').fill('123456');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => fee.innerText()).not.toBe(paid);
    const changed = (await results.innerText()).replaceAll(',', '');
    expect(changed).not.toBe(plain);
    expect(changed).toContain('2209086245');
    expect(changed).toContain('123456');
    const applied = page.getByRole('list', { name: 'Applied overrides' });
    expect(await applied.getByRole('listitem').allInnerTexts()).toEqual([
      'time = 2040-01-02T03:04:05Z',
      'L2 gas price = 70.00 gfri',
      'block number = 123456',
    ]);
    // The rows are part of the page's address.
    await expect.poll(() => page.url()).toContain('123456');
    const again = await openLive(stage, page.url().replace(`${stage.origin}/ui/`, ''));
    await again.page.getByRole('group', { name: '3. Override block number' }).waitFor();
    await page.getByRole('button', { name: 'Remove override 2' }).click();
    expect(await page.getByRole('group', { name: /^\d\. Override/ }).count()).toBe(2);
    expect(complaints).toEqual([]);
  });

  test('run with another storage, balance and class, and say which override is wrong', async () => {
    const { page } = await openLive(stage, 'simulate');
    await addStep(page, '1');
    await page.getByRole('button', { name: 'Override storage' }).click();
    const first = page.getByRole('group', { name: '1. Override storage' });
    await first.getByLabel('Contract').fill(counter);
    await first.getByLabel('Variable or key').fill('count');
    await first.getByLabel('Values').fill('900');
    await page.getByRole('button', { name: 'Override balance' }).click();
    const second = page.getByRole('group', { name: '2. Override balance' });
    await second.getByLabel('Holder').fill('account 0');
    await second.getByLabel('Balance', { exact: true }).fill('3');
    await page.getByRole('button', { name: /^Simulate 1 step/ }).click();
    await page.getByText('before: 900, after: 901').waitFor();
    await page.getByText('balance of account 0 = 3 STRK').waitFor();
    await first.getByLabel('Variable or key').fill('cuont');
    await page.keyboard.press('Control+Enter');
    await page
      .getByRole('alert')
      .getByText(/Did you mean "count"/)
      .waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test('name the contracts of their inputs', async () => {
    const recipientAddress = await stage.deploy('context');
    const { page } = await openLive(stage, 'simulate');
    await page.getByRole('button', { name: 'Add a step' }).click();
    await page.getByLabel('contract', { exact: true }).fill('STRK');
    await page.getByLabel('function', { exact: true }).selectOption('transfer');
    const recipient = page.locator('.abi-field').filter({ hasText: 'recipient' });
    await recipient.getByRole('combobox').fill(recipientAddress);
    await recipient.locator('.says').getByText('context').waitFor();
  });

  test('show the error of a refused step', async () => {
    const { page } = await openLive(stage, 'simulate');
    await addStep(page, '1');
    await page.getByLabel('sender', { exact: true }).fill('0x1234');
    await page.getByRole('button', { name: /^Simulate 1 step/ }).click();
    await page
      .getByRole('alert')
      .getByText(/returned error 20/)
      .waitFor();
  });

  test('start from a transaction on the state before it, and are stored in the address', async () => {
    const transaction = await stage.send(1, [
      { contractAddress: counter, entrypoint: 'increase', calldata: ['0x21'] },
      stage.transfer(2, 5n),
    ]);
    const after = await countOf(stage, counter);
    const { page } = await openLive(stage, `simulate?tx=${transaction}`);
    await page.getByLabel('amount u128').waitFor();
    expect(await page.getByLabel('amount u128').inputValue()).toBe('33');
    expect(await page.getByLabel('amount u256').inputValue()).toBe('5');
    // Contracts, accounts and amounts have their names and units.
    const form = page.getByRole('region', { name: 'Transactions' });
    await form.getByText(/^counter = 0x/).waitFor();
    expect(await page.getByLabel(/^recipient/).inputValue()).toBe('account 2');
    await form.getByText(/= 5 fri/).waitFor();
    await page.getByRole('button', { name: /^Simulate 1 step/ }).click();
    await page.getByText(`before: ${after - 33n}, after: ${after}`).waitFor();
    await expect.poll(() => page.url()).toContain('#form=');
    const again = await openLive(stage, page.url().replace(`${stage.origin}/ui/`, ''));
    await again.page.getByLabel('amount u128').waitFor();
    expect(await again.page.getByLabel('amount u128').inputValue()).toBe('33');
    expect(await countOf(stage, counter)).toBe(after);
  });

  test('show their result beside the form, or below it with the focus on a narrow screen', async () => {
    const { page } = await stage.open('simulate', {});
    await page.setViewportSize({ width: 1440, height: 900 });
    await addStep(page, '3');
    await page.getByRole('button', { name: /^Simulate 1 step/ }).click();
    const result = page.getByRole('region', { name: 'Result', exact: true });
    const form = page.getByRole('region', { name: 'Transactions' });
    await result.getByText('Would succeed').waitFor();
    const [beside, left] = [await result.boundingBox(), await form.boundingBox()];
    expect(beside?.x).toBeGreaterThan((left?.x ?? 0) + (left?.width ?? 0));
    expect(beside?.y).toBeLessThan(450);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: /^Simulate 1 step/ }).click();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Result');
    // The verdict is seen without scrolling, above the bar of a phone.
    const bar = await page.getByRole('navigation', { name: 'Main pages' }).boundingBox();
    const verdict = await result.getByText('Would succeed').boundingBox();
    expect(verdict?.y).toBeGreaterThanOrEqual(0);
    expect((verdict?.y ?? 844) + (verdict?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
  });
});
