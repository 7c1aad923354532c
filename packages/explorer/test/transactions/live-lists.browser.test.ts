// Lists that follow the chain.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLive, type Stage, setStage, showsHead } from '../support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
  await stage.send(0, [stage.transfer(1, 5n)]);
});
afterAll(() => stage.close());

const main = (page: Page): Promise<string> => page.locator('main').innerText();

describe('live lists', () => {
  test('a new transaction appears for one request, and one more for a class not seen before', async () => {
    const { page, requests, settled } = await stage.open('transactions');
    await isLive(page);
    await settled();
    // Other pages are fetched beforehand; what counts is what the node is asked.
    const countCalls = (): number => requests.filter((url) => url.endsWith('/rpc')).length;
    const before = countCalls();
    const hash = await stage.send(1, [stage.transfer(0, 1n)]);
    await page.locator(`a[href="/ui/tx/${hash}"]`).first().waitFor();
    await showsHead(stage, page);
    await settled();
    expect(countCalls() - before).toBeLessThanOrEqual(2);
  });

  test('rows do not move under the pointer', async () => {
    const { page } = await stage.open('transactions');
    await isLive(page);
    await page.locator('tr[data-row]').first().hover();
    const rows = page.locator('tr[data-row]');
    const first = await rows.first().locator('td').last().innerText();
    const box = await rows.first().boundingBox();
    await stage.send(1, [stage.transfer(0, 1n)]);
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await rows.first().locator('td').last().innerText()).toBe(first);
    expect(await rows.first().boundingBox()).toEqual(box);
    await page.getByRole('button', { name: '1 new' }).click();
    await expect.poll(() => page.getByRole('button', { name: '1 new' }).count()).toBe(0);
  });
});

describe('a transfer changes each list', () => {
  test.each(['', 'activity', 'blocks', 'transactions', 'accounts'])('/%s', async (path) => {
    const { page } = await stage.open(path);
    await isLive(page);
    await page.locator('tr[data-row]').first().waitFor();
    const before = await main(page);
    await stage.send(0, [stage.transfer(2, 10n ** 18n)]);
    await expect.poll(() => main(page), { interval: 50 }).not.toBe(before);
  });
});
