// The playground as static files: contracts deployed and called, failures at their line, links, files.
/// <reference lib="dom" />
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNode } from '@starkbox/test-support';
import type { FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { classText } from '../../../contracts/classes.js';
import { faultsOf } from '../../explorer/test/support/accessibility.js';
import { sharedPages } from '../../explorer/test/support/stage.js';
import { type Site, serveSite } from './support/site.js';

const WIDE = { viewport: { width: 1440, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 } };
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };

let site: Site;

beforeAll(async () => {
  site = await serveSite();
});
afterAll(() => site.close());

interface Opened {
  readonly page: Page;
  readonly explorer: FrameLocator;
  readonly errors: string[];
}

async function open(address: string, options: object = WIDE): Promise<Opened> {
  const page = await (await sharedPages()).take({ ...CLIPBOARD, ...options });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) errors.push(message.text());
  });
  await page.goto(site.url + address);
  return { page, explorer: page.frameLocator('iframe'), errors };
}

const form = (page: Page, name: string) => page.getByRole('form', { name, exact: true });

async function deploy(page: Page): Promise<void> {
  await form(page, 'Deploy').getByRole('button', { name: 'Deploy', exact: true }).click();
  await page.getByRole('button', { name: 'Show in explorer' }).waitFor();
}

async function send(page: Page, name: string, amount: string): Promise<void> {
  await form(page, name).getByRole('textbox').fill(amount);
  await form(page, name).getByRole('button', { name: 'Send' }).click();
}

async function returned(page: Page, name: string): Promise<string> {
  await form(page, name).getByRole('button', { name: 'Call' }).click();
  return form(page, name).getByRole('status').innerText();
}

describe('a contract', () => {
  test('is deployed, called, fails at its line, and goes with the link', async () => {
    const { page, explorer, errors } = await open('');
    await deploy(page);
    await send(page, 'increase', '5');
    await form(page, 'increase').getByText('Accepted').waitFor();
    expect(await returned(page, 'get')).toBe('5');

    await send(page, 'increase', '0');
    const failure = form(page, 'increase').locator('.why');
    await failure.getByRole('button', { name: 'line 41 of counter.cairo' }).waitFor();
    expect(await failure.innerText()).toContain("panicked with 'counter: amount is 0'");
    const marked = page.locator('.code-line[data-mark]');
    expect(await marked.innerText()).toContain("panic_with_felt252('counter: amount is 0')");
    expect(await faultsOf(page)).toEqual([]);
    await failure.getByRole('button', { name: /^transaction/ }).click();
    await explorer.getByRole('heading', { name: 'Reverted' }).waitFor();
    const head = await explorer.locator('.head a').first().innerText();

    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('is in the clipboard').waitFor();
    const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
    expect(link.hash.length).toBeLessThanOrEqual(100_000);
    expect(page.url()).toBe(link.href);

    const second = await open(link.hash);
    expect(await returned(second.page, 'get')).toBe('5');
    await second.explorer.locator('.head a', { hasText: head }).waitFor();
    await form(second.page, 'increase').getByRole('textbox').fill('0');
    await form(second.page, 'increase').getByRole('button', { name: 'Call' }).click();
    await second.page.locator('.code-line[data-number="41"][data-mark]').waitFor();
    expect([...errors, ...second.errors]).toEqual([]);
  });

  test('of each kind is deployed with its suggested arguments', async () => {
    const { page } = await open('');
    await page.getByRole('button', { name: 'Token' }).click();
    await deploy(page);
    expect(await returned(page, 'symbol')).toContain("'PLAY'");
    expect(await returned(page, 'total_supply')).toBe('1000000000000000000000');
    await page.getByRole('button', { name: 'Vault' }).click();
    await deploy(page);
    await send(page, 'deposit', '7');
    await form(page, 'deposit')
      .getByText(/At line \d+ of lib.cairo/)
      .waitFor();
    expect(await page.locator('.code-line[data-mark]').innerText()).toContain('transfer_from');
  });
});

describe('the chain', () => {
  test('is reset, downloaded and opened from the file', async () => {
    const { page, explorer } = await open('');
    await deploy(page);
    await send(page, 'increase', '12');
    await form(page, 'increase').getByText('Accepted').waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const path = join(mkdtempSync(join(tmpdir(), 'download-')), 'playground.image');
    await (await downloading).saveAs(path);
    expect(readFileSync(path).subarray(0, 8).toString()).toBe('SBXIMAGE');

    await page.getByRole('button', { name: 'Reset' }).click();
    await explorer.locator('.head a', { hasText: '#0' }).waitFor();
    expect(await form(page, 'increase').count()).toBe(0);

    await page.getByLabel('File with a chain').setInputFiles(path);
    expect(await returned(page, 'get')).toBe('12');
  });

  test('of a damaged link or file is refused with a sentence', async () => {
    const { page, errors } = await open('#chain=H4sIAAAAAAAAA');
    await page.getByText('The link is damaged').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    const file = { name: 'no.image', mimeType: '', buffer: Buffer.from('no image') };
    await page.getByLabel('File with a chain').setInputFiles(file);
    await page.getByText('no.image was not opened').waitFor();
    expect(await form(page, 'Deploy').isVisible()).toBe(true);
    expect(errors).toEqual([]);
  });

  test('is the chain of a node if the address names one', async () => {
    const node = await startNode({ listen: true });
    const { page, explorer } = await open(`?node=${new URL(node.url).origin}`);
    await deploy(page);
    await send(page, 'increase', '3');
    await form(page, 'increase').getByText('Accepted').waitFor();
    const { block_number } = await node.client.call('starknet_blockHashAndNumber', {});
    await explorer.locator('.head a', { hasText: `#${block_number}` }).waitFor();
    const { labels } = await node.client.call('devnet_getLabels', {});
    expect(labels.map(({ label }) => label)).toEqual(['counter']);

    // The link of a chain with a large class would be too long.
    const contract_class: unknown = JSON.parse(await classText('failures'));
    await node.client.call('devnet_declare', { contract_class });
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText(/would take \d+ KB; the limit is 100 KB/).waitFor();
    expect(new URL(page.url()).hash).toBe('');
  });

  test('of a node is replaced by that of a link only if its user agrees', async () => {
    const node = await startNode({ listen: true });
    const address = `?node=${new URL(node.url).origin}`;
    const { page, errors } = await open(address);
    await deploy(page);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('is in the clipboard').waitFor();
    const { hash } = new URL(page.url());
    const count = async () => (await node.client.call('devnet_getStatus', {})).block_count;
    await page.getByRole('button', { name: 'Reset' }).click();
    const form = page.getByRole('form', { name: 'Deploy' });
    await form.waitFor();
    const before = await count();

    const answers = [false, false, true];
    const questions: string[] = [];
    const asked = async (next: Page, navigate: () => Promise<unknown>) => {
      const dialog = next.waitForEvent('dialog');
      const navigation = navigate();
      const question = await dialog;
      questions.push(question.message());
      await (answers.shift() ? question.accept() : question.dismiss());
      await navigation;
    };
    const setHash = () => page.evaluate((fragment) => location.assign(fragment), hash);
    await asked(page, setHash);
    expect(await count()).toBe(before);
    const second = await (await sharedPages()).take(WIDE);
    await asked(second, () => second.goto(`${site.url}${address}${hash}`));
    await second.getByRole('form', { name: 'Deploy' }).waitFor();
    expect(await count()).toBe(before);
    await page.evaluate(() => history.replaceState(null, '', location.pathname + location.search));
    await asked(page, setHash);
    await form.waitFor({ state: 'detached' });
    expect(await count()).toBeGreaterThan(before);
    expect(new Set(questions).size).toBe(1);
    expect(questions[0]).toContain(node.url.replace(/\/rpc$/, ''));
    expect(errors).toEqual([]);
  });

  test('that cannot be reached gives a sentence and another try', async () => {
    const { page } = await open('?node=http://127.0.0.1:1');
    await page.getByText('No node responds at http://127.0.0.1:1').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true);
  });
});

describe('the page', () => {
  test('is accessible, works by keyboard and fits a phone', async () => {
    const { page, explorer } = await open('', PHONE);
    await page.getByRole('button', { name: 'Token' }).focus();
    await page.keyboard.press('Enter');
    await form(page, 'Deploy').getByRole('button', { name: 'Deploy', exact: true }).focus();
    await page.keyboard.press('Enter');
    await form(page, 'transfer').waitFor();
    await page.keyboard.press('Tab');
    await form(page, 'transfer').getByRole('button', { name: 'Send' }).focus();
    await page.keyboard.press('Enter');
    // The first wrong field has the focus.
    await page.locator('input[aria-invalid="true"]:focus').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const overflow = () =>
      page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
    expect(await overflow()).toBe(0);
    await page.getByRole('button', { name: 'Explorer', exact: true }).click();
    await explorer.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await overflow()).toBe(0);
  });
});
