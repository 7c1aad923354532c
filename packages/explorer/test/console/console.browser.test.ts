// The console: calls by form or JSON, subscriptions, history without secrets.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isLive, type Stage, setStage, showsHead } from '../support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage({ restrictedMethods: ['devnet_dump', 'devnet_abortBlocks'] });
});
afterAll(() => stage.close());

const json = (page: Page) => page.getByLabel('Parameters as JSON');
const answer = (page: Page) => page.getByRole('region', { name: 'Response' });
const openMethod = async (method: string) => {
  const visit = await stage.open(`console?method=${method}`);
  await visit.page.getByRole('region', { name: 'Call' }).waitFor();
  await isLive(visit.page);
  return visit;
};

test('lists and searches all methods, with restricted ones struck through', async () => {
  const { page, complaints } = await stage.open('console');
  const links = page.getByRole('navigation', { name: 'Methods' }).getByRole('link');
  await links.first().waitFor();
  const { methods } = await stage.node.client.call('rpc.discover', {});
  expect(await links.count()).toBe(methods.length);
  expect(await page.locator('.methods s').allInnerTexts()).toEqual([
    'devnet_abortBlocks',
    'devnet_dump',
  ]);
  await page.getByPlaceholder('Search methods').fill('gas price');
  await expect.poll(() => links.allInnerTexts()).toEqual(['devnet_setGasPrice']);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 2, name: 'devnet_setGasPrice' }).waitFor();
  expect(complaints).toEqual([]);
});

test('form and JSON edit the same value, which is sent', async () => {
  const { page } = await openMethod('devnet_mint');
  await page.getByLabel('address', { exact: true }).fill('0xabc');
  await page.getByLabel('amount', { exact: true }).fill('340282366920938463463374607431768211455');
  await page.getByRole('button', { name: 'unit', exact: true }).click();
  await page.getByLabel('unit', { exact: true }).selectOption('FRI');
  expect(await json(page).inputValue()).toBe(
    '{\n  "address": "0xabc",\n  "amount": 340282366920938463463374607431768211455,\n  "unit": "FRI"\n}',
  );
  await json(page).fill('{"address": "0xabc", "amount": 12345, "unit": "FRI"}');
  expect(await page.getByLabel('amount', { exact: true }).inputValue()).toBe('12345');
  await page.getByRole('button', { name: 'Send devnet_mint' }).click();
  await answer(page).getByText('Succeeded').waitFor();
  expect(await answer(page).innerText()).toMatch(/in [\d.]+ ms/);
  const { amount } = await stage.node.client.call('devnet_getAccountBalance', {
    address: '0xabc',
    unit: 'FRI',
  });
  expect(amount).toBe('12345');
  await json(page).fill('{"address": ');
  await page.locator('#console-fault').waitFor();
  await page.keyboard.press('Control+Enter');
  expect(
    await page.getByRole('button', { name: 'Send devnet_mint' }).getAttribute('aria-disabled'),
  ).toBe('true');
});

test('alternatives are selected in the form, and Control+Enter sends', async () => {
  const { page } = await openMethod('starknet_getBlockWithTxHashes');
  expect(JSON.parse(await json(page).inputValue())).toEqual({ block_id: 'latest' });
  await page.getByLabel('block_id', { exact: true }).selectOption('by block number');
  await page.getByLabel('block_number', { exact: true }).fill('0');
  expect(JSON.parse(await json(page).inputValue())).toEqual({ block_id: { block_number: 0 } });
  await page.keyboard.press('Control+Enter');
  const [{ block_hash } = { block_hash: '' }] = (
    await stage.node.client.call('devnet_listBlocks', { before: 1 })
  ).blocks;
  await answer(page).locator(`a[href="/ui/block/${block_hash}"]`).waitFor();
  await answer(page).getByRole('button', { name: 'Raw' }).click();
  await answer(page).getByText(`"block_hash": "${block_hash}"`).waitFor();
});

test('numbers begin with a value that the node accepts', async () => {
  const { page } = await openMethod('starknet_getEvents');
  expect(JSON.parse(await json(page).inputValue())).toEqual({ filter: { chunk_size: 100 } });
  await page.keyboard.press('Control+Enter');
  await answer(page).getByText('Succeeded').waitFor();
  const { page: settings } = await openMethod('devnet_reorg');
  expect(JSON.parse(await json(settings).inputValue())).toEqual({ depth: 1 });
});

test('an error is shown with its code, and the documentation lists possible errors', async () => {
  const { page } = await openMethod('starknet_getTransactionByHash');
  await page.getByLabel('transaction_hash', { exact: true }).fill('0x123');
  await page.keyboard.press('Control+Enter');
  await answer(page).getByText('Failed').waitFor();
  await answer(page).getByText('29', { exact: true }).waitFor();
  const docs = page.getByRole('region', { name: 'About the method' });
  await docs.getByText('Transaction hash not found').waitFor();
  const linesOfCode = await docs
    .locator('.errors .number')
    .first()
    .evaluate((cell) => {
      const text = document.createRange();
      text.selectNodeContents(cell);
      return text.getClientRects().length;
    });
  expect(linesOfCode).toBe(1);
});

test('a subscription shows notifications until it is stopped', async () => {
  const { page } = await openMethod('starknet_subscribeNewHeads');
  await page.getByRole('button', { name: 'Subscribe starknet_subscribeNewHeads' }).click();
  const stream = page.getByRole('region', { name: 'Notifications' });
  await stream.getByText('Listening').waitFor();
  await stage.node.client.call('devnet_createBlock', {});
  await stream.getByText('1 notification').waitFor();
  await stage.node.client.call('devnet_createBlock', {});
  await stream.getByText('2 notifications').waitFor();
  await page.keyboard.press('Escape');
  await stream.getByText('Stopped after 2 notifications').waitFor();
  await stage.node.client.call('devnet_createBlock', {});
  await showsHead(stage, page);
  expect(await stream.innerText()).toContain('Stopped after 2');
});

test('a destructive method asks for confirmation', async () => {
  const { page } = await openMethod('devnet_restart');
  const { block_count } = await stage.node.client.call('devnet_getStatus', {});
  expect(block_count).toBeGreaterThan(1);
  await page.keyboard.press('Control+Enter');
  const sheet = page.getByRole('dialog');
  await sheet.waitFor();
  expect((await stage.node.client.call('devnet_getStatus', {})).block_count).toBe(block_count);
  await sheet.getByLabel('download an image first').uncheck();
  await sheet.getByRole('button', { name: 'Call devnet_restart' }).click();
  await expect
    .poll(async () => (await stage.node.client.call('devnet_getStatus', {})).block_count)
    .toBe(1);
});

test('the history of calls has no secrets', async () => {
  const { page } = await openMethod('devnet_postmanLoad');
  await page.getByLabel('network_url', { exact: true }).fill('http://127.0.0.1:1');
  await page.getByRole('button', { name: 'deployer_account_private_key', exact: true }).click();
  const secret = page.getByLabel('deployer_account_private_key', { exact: true });
  expect(await secret.getAttribute('type')).toBe('password');
  await secret.fill('0x5ec7e7');
  await page.keyboard.press('Control+Enter');
  await answer(page).getByText('Failed').waitFor();
  const storage = await page.evaluate(() => JSON.stringify({ ...localStorage }));
  expect(storage).toContain('devnet_postmanLoad');
  expect(storage).not.toContain('5ec7e7');
  expect(page.url()).not.toContain('5ec7e7');
  await page.goto(`${stage.origin}/ui/console`);
  await page.getByRole('button', { name: /devnet_postmanLoad/ }).click();
  await expect.poll(() => json(page).inputValue()).toContain('•••');
});

test('every method has a form', async () => {
  const { page, complaints } = await stage.open('console');
  const { methods } = await stage.node.client.call('rpc.discover', {});
  const names = methods.map((method) => String(Object(method)['name']));
  await page.locator('.methods a').first().waitFor();
  // In the page, because a click from outside waits for several frames.
  const sizes = await page.evaluate(async (all) => {
    const links = new Map(
      [...document.querySelectorAll<HTMLElement>('.methods a')].map((a) => [a.textContent, a]),
    );
    const drafts: unknown[] = [];
    for (const name of all) {
      links.get(name)?.click();
      // A button to copy it follows the name.
      const heading = () => document.querySelector('h2.mono')?.firstChild?.textContent;
      for (let frame = 0; frame < 300 && heading() !== name; frame++) {
        await new Promise(requestAnimationFrame);
      }
      const draft = document.querySelector<HTMLTextAreaElement>('#console-json');
      drafts.push([heading(), typeof JSON.parse(draft?.value ?? '0')]);
    }
    return drafts;
  }, names);
  expect(sizes).toEqual(names.map((name) => [name, 'object']));
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1_500);
  expect(complaints).toEqual([]);
});

test('a recorded request opens as a draft', async () => {
  await stage.node.client.call('devnet_recordRequests', { enabled: true });
  const { page } = await stage.open('requests');
  await stage.node.client.call('devnet_increaseTime', { time: 7 });
  const row = page.locator('tr[data-row]', { hasText: 'devnet_increaseTime' });
  await row.first().click();
  await page.getByRole('button', { name: 'Edit in Console' }).click();
  await page.getByRole('heading', { level: 1, name: 'Console' }).waitFor();
  await expect.poll(() => json(page).inputValue()).toBe('{\n  "time": 7\n}');
});
