// Page of requests: recording, filters, secrets and repeating.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { STRK, type Stage, setStage } from '../support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage({ seed: 11 });
});
afterAll(() => stage.close());

const rows = (page: Page) => page.locator('tr[data-row]');
const row = (page: Page, text: string | RegExp) => rows(page).filter({ hasText: text });
const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(stage.node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
const status = () => stage.node.client.call('devnet_getStatus', {});
const detail = (page: Page) => page.getByRole('region', { name: 'The call' });

test('recording is off until it is turned on, and its memory limit is shown', async () => {
  const { page, complaints } = await stage.open('requests');
  await page.getByText('Recording is off.').waitFor();
  await page.getByText(/at most 16 MB/).waitFor();
  expect(await stage.node.client.call('devnet_getRequests')).toMatchObject({ recording: false });
  await page.getByRole('button', { name: 'Record requests' }).click();
  await page.getByText('recording', { exact: true }).waitFor();
  expect(await stage.node.client.call('devnet_getRequests')).toMatchObject({ recording: true });
  await page.getByText('No calls yet').waitFor();
  expect(complaints).toEqual([]);
});

test('calls appear live, errors with their reason, and secrets are redacted', async () => {
  const { page } = await stage.open('requests');
  const hash = await stage.send(0, [stage.transfer(1, 5n)]);
  await row(page, 'starknet_addInvokeTransaction').locator(`a[href="/ui/tx/${hash}"]`).waitFor();
  await row(page, 'starknet_addInvokeTransaction')
    .first()
    .click({ position: { x: 10, y: 10 } });
  await detail(page).getByText('Succeeded').waitFor();
  await page.mouse.move(5, 5);
  await stage.node.client.failure('devnet_mint', { address: '0x1', amount: -1 });
  await row(page, /devnet_mint.*-32602.*amount/).waitFor();
  await stage.node.client.call('devnet_getPredeployedAccounts', {});
  await row(page, 'devnet_getPredeployedAccounts').click();
  await detail(page).getByRole('button', { name: 'Response' }).click();
  await detail(page).getByText('"private_key": "•••"').first().waitFor();
  const key = stage.node.node.accounts[0]?.privateKey.replace(/^0x0*/, '') ?? '?';
  expect(await page.content()).not.toContain(key);
  await detail(page).getByRole('button', { name: 'Timing' }).click();
  expect(await detail(page).innerText()).toMatch(/queue\s+[\d.]+ ms[\s\S]*execute[\s\S]*encode/);
});

test('calls of the explorer are hidden by default', async () => {
  const { page } = await stage.open('requests');
  await rows(page).first().waitFor();
  expect(await row(page, 'devnet_subscribeSandbox').count()).toBe(0);
  await page.getByRole('button', { name: 'Explorer’s calls' }).click();
  await row(page, 'devnet_subscribeSandbox').first().waitFor();
  expect(new URL(page.url()).searchParams.get('own')).toBe('1');
});

test('repeated calls and batches are grouped', async () => {
  const { page } = await stage.open('requests');
  await page.getByText('recording', { exact: true }).waitFor();
  const ask = '{"jsonrpc":"2.0","id":1,"method":"starknet_blockNumber"}';
  for (let count = 0; count < 5; count += 1) await post(ask, { 'user-agent': 'poller' });
  await row(page, 'starknet_blockNumber ×5').waitFor();
  const chain = ask.replace('blockNumber', 'chainId');
  await post(`[${ask},${chain},${chain}]`, { 'user-agent': 'batcher' });
  const batch = row(page, 'batch of 3');
  await batch.waitFor();
  await batch.getByRole('button').click();
  await expect.poll(() => page.locator('tr.is-inner').count()).toBe(3);
  await page.getByPlaceholder('Method').fill('chainid');
  await expect.poll(() => row(page, 'starknet_blockNumber').count()).toBe(0);
  await page.getByPlaceholder('Method').fill('');
  await page.getByRole('button', { name: 'Errors' }).click();
  await expect.poll(() => row(page, 'batch of 3').count()).toBe(0);
  await row(page, 'devnet_mint').first().waitFor();
  // A call of a function that the token does not have.
  await stage.node.client.failure('starknet_call', {
    request: { contract_address: STRK, entry_point_selector: '0x1', calldata: [] },
    block_id: 'latest',
  });
  await row(page, 'starknet_call').first().click();
  const why = detail(page).getByRole('region', { name: 'Why it failed' });
  await why.locator('.headline').getByText(/STRK/).waitFor();
  await why.getByText('Whole explanation').waitFor();
});

test('untrusted client names and methods are shown as text', async () => {
  const { page, complaints, requests } = await stage.open('requests');
  await page.getByText('recording', { exact: true }).waitFor();
  await post('{"jsonrpc":"2.0","id":1,"method":"\u202eevil<img src=x onerror=alert(1)>"}', {
    'user-agent': '<img src=x onerror=alert(1)>',
  });
  await row(page, 'unknown').first().click();
  await detail(page).getByText('⟨U+202E⟩evil<img src=x onerror=alert(1)>').waitFor();
  await detail(page).getByText('<img src=x onerror=alert(1)>', { exact: true }).waitFor();
  expect(await page.locator('main img[src=x]').count()).toBe(0);
  expect(complaints).toEqual([]);
  expect(requests.filter((url) => url.endsWith('/rpc')).length).toBeLessThanOrEqual(4);
  await page.keyboard.press('Escape');
  await expect.poll(() => detail(page).count()).toBe(0);
});

test('a read is repeated at once, a write after confirmation', async () => {
  const { page } = await stage.open('requests');
  await stage.node.client.call('starknet_specVersion', {});
  await row(page, 'starknet_specVersion').first().click();
  await detail(page).getByRole('button', { name: 'Repeat' }).click();
  await detail(page).getByText('the same as before').waitFor();
  await stage.node.client.call('devnet_createBlock', {});
  const { block_count } = await status();
  await row(page, 'devnet_createBlock').first().click();
  await detail(page).getByText('"devnet_createBlock"').waitFor();
  await detail(page).getByRole('button', { name: 'Repeat' }).click();
  const sheet = page.getByRole('dialog');
  await sheet.waitFor();
  expect((await status()).block_count).toBe(block_count);
  await sheet.getByRole('button', { name: 'Repeat it' }).click();
  await expect.poll(async () => (await status()).block_count).toBe(block_count + 1);
});

test('recording is stopped and cleared', async () => {
  const { page } = await stage.open('requests');
  await page.getByRole('button', { name: 'Stop recording' }).click();
  await page.getByText('Recording is off.').waitFor();
  expect((await stage.node.client.call('devnet_getRequests')).recording).toBe(false);
  await rows(page).first().waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect.poll(() => rows(page).count()).toBe(0);
  expect((await stage.node.client.call('devnet_getRequests')).kept).toBe(0);
});
