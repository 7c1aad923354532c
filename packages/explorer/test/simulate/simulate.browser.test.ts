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
    await page.getByText('each on the state after the previous one').waitFor();
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
    await page.getByText('The steps have changed since.').waitFor();
    await page.getByLabel('amount u128').press('Control+Enter');
    await page.getByText('“counter: amount is 0”').waitFor();
    await page.getByText('Would be reverted').waitFor();
    await page.getByText(/^Reverted: .*::increase panicked with 'counter: amount is 0'$/).waitFor();
    // Both differ: the first fails, and the second starts from another number.
    await expect
      .poll(() => page.locator('.steps').getByLabel('differs from the run before').count())
      .toBe(2);
    await page.getByLabel('amount u128').fill('1');
    await page.getByRole('button', { name: /^Keep: send them for real/ }).click();
    await page.locator('.outcome', { hasText: 'Succeeded' }).waitFor();
    expect(await countOf(stage, counter)).toBe(before + 6n);
    expect(complaints).toEqual([]);
  });

  test('run at another time and price on a branch that is deleted, by keyboard', async () => {
    const context = await stage.deploy('context');
    const { page, complaints } = await openLive(stage, 'simulate');
    await page.getByRole('button', { name: 'Add a step' }).click();
    await page.getByLabel('contract', { exact: true }).fill(context);
    await page.getByLabel('function', { exact: true }).selectOption('current');
    const fee = page.locator('.outcome [role=status]');
    const simulated = async (keys: string) => {
      await page.keyboard.press(keys);
      await fee.getByText('Would succeed').waitFor();
      return page.getByRole('list', { name: 'Results' }).innerText();
    };
    const plain = await simulated('Control+Enter');
    const paid = await fee.innerText();
    await page.getByLabel('clock').fill('soon');
    await page.getByText('A clock is a date such as').waitFor();
    await page.getByLabel('clock').fill('2040-01-02T03:04:05Z');
    await page.getByLabel('l2 gas price').fill('70');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => fee.innerText()).not.toBe(paid);
    const changed = await page.getByRole('list', { name: 'Results' }).innerText();
    expect(changed).not.toBe(plain);
    // The clock runs on while the page asks.
    expect(changed.replaceAll(',', '')).toMatch(/22090862\d\d/);
    await expect
      .poll(async () => (await stage.node.client.call('devnet_listInstances', {})).total)
      .toBe(0);
    expect(await faultsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('show the error of a refused step', async () => {
    const { page } = await openLive(stage, 'simulate');
    await addStep(page, '1');
    await page.getByLabel('as', { exact: true }).fill('0x1234');
    await page.getByRole('button', { name: /^Simulate 1 step/ }).click();
    await page
      .getByRole('alert')
      .getByText(/answered 20/)
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
    await page.getByRole('button', { name: /^Simulate 1 step/ }).click();
    await page.getByText(`before: ${after - 33n}, after: ${after}`).waitFor();
    await expect.poll(() => page.url()).toContain('#form=');
    const again = await openLive(stage, page.url().replace(`${stage.origin}/ui/`, ''));
    await again.page.getByLabel('amount u128').waitFor();
    expect(await again.page.getByLabel('amount u128').inputValue()).toBe('33');
    expect(await countOf(stage, counter)).toBe(after);
  });
});
