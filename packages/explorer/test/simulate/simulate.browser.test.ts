// Simulation of several transactions: results, comparison with the previous run, sending.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLive, type Stage, setStage } from '../support/stage.js';

let stage: Stage;
let counter: string;

beforeAll(async () => {
  stage = await setStage();
  counter = await stage.deploy('counter', ['7']);
});
afterAll(() => stage.close());

const GET = '0x17c00f03de8b5bd58d2016b59d251c13056b989171c5852949903bc043bc27';
const count = async (contract_address = counter): Promise<bigint> =>
  BigInt(
    (
      await stage.node.client.call('starknet_call', {
        request: { contract_address, entry_point_selector: GET, calldata: [] },
        block_id: 'pre_confirmed',
      })
    )[0] ?? 0,
  );
const open = async (path: string) => {
  const visit = await stage.open(path);
  await isLive(visit.page);
  return visit;
};

describe('steps', () => {
  const addStep = async (page: Page, amount: string): Promise<void> => {
    await page.getByRole('button', { name: 'Add a step' }).click();
    await page.getByLabel('contract', { exact: true }).fill(counter);
    await page.getByLabel('function', { exact: true }).selectOption('increase');
    await page.getByLabel('amount u128').fill(amount);
  };

  test('run on the state of earlier steps, are compared with the previous run, and can be sent', async () => {
    const { page, complaints } = await open('simulate');
    await page.getByText('each on the state after the one before').waitFor();
    await addStep(page, '10');
    await addStep(page, '5');
    const before = await count();
    await page.getByRole('button', { name: /^Simulate 2 steps/ }).click();
    // The second step starts from what the first one left.
    await page.getByText(`before: ${before + 10n}, after: ${before + 15n}`).waitFor();
    expect(await count()).toBe(before);
    expect(await page.getByLabel('differs from the run before').count()).toBe(0);
    await page.getByLabel('Steps').getByRole('button', { name: /^1 / }).click();
    await page.getByLabel('amount u128').fill('0');
    await page.getByText('The steps have changed since.').waitFor();
    await page.getByLabel('amount u128').press('Control+Enter');
    await page.getByText('“counter: amount is 0”').waitFor();
    await page.getByText('Would be reverted').waitFor();
    // Both differ: the first fails, and the second starts from another number.
    await expect
      .poll(() => page.locator('.steps').getByLabel('differs from the run before').count())
      .toBe(2);
    await page.getByLabel('amount u128').fill('1');
    await page.getByRole('button', { name: /^Keep: send them for real/ }).click();
    await page.locator('.outcome', { hasText: 'Succeeded' }).waitFor();
    expect(await count()).toBe(before + 6n);
    expect(complaints).toEqual([]);
  });

  test('show the error of a refused step', async () => {
    const { page } = await open('simulate');
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
    const after = await count();
    const { page } = await open(`simulate?tx=${transaction}`);
    await page.getByLabel('amount u128').waitFor();
    expect(await page.getByLabel('amount u128').inputValue()).toBe('33');
    expect(await page.getByLabel('amount u256').inputValue()).toBe('5');
    await page.getByRole('button', { name: /^Simulate 1 step/ }).click();
    await page.getByText(`before: ${after - 33n}, after: ${after}`).waitFor();
    await expect.poll(() => page.url()).toContain('#form=');
    const again = await open(page.url().replace(`${stage.origin}/ui/`, ''));
    await again.page.getByLabel('amount u128').waitFor();
    expect(await again.page.getByLabel('amount u128').inputValue()).toBe('33');
    expect(await count()).toBe(after);
  });
});
