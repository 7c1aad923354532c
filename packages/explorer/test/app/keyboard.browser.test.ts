// Keyboard use without a pointer: rows, call frames, snapshots, contracts and shortcuts.
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { focused, tabTo } from '../support/keyboard.js';
import { isLive, type Stage, setStage } from '../support/stage.js';

let stage: Stage;
let counter: string;
let failed: string;
let after: string;

beforeAll(async () => {
  stage = await setStage();
  counter = await stage.deploy('counter', ['7']);
  const reverter = await stage.deploy('reverter');
  await stage.send(0, [stage.transfer(1, 5n)]);
  failed = await stage.send(2, [
    { contractAddress: reverter, entrypoint: 'fail_via', calldata: [reverter, '1', '0x6f6f7073'] },
  ]);
  after = await stage.send(2, [stage.transfer(1, 6n)]);
});
afterAll(() => stage.close());

const status = () => stage.node.client.call('devnet_getStatus', {});
const path = (page: Page): string => new URL(page.url()).pathname;
const search = (page: Page): URLSearchParams => new URL(page.url()).searchParams;

/** A page on which any use of a pointer fails the test. */
async function open(where: string): Promise<Page> {
  const { page } = await stage.open(where);
  await isLive(page);
  await page.evaluate(() => {
    for (const name of ['pointerdown', 'mousedown', 'touchstart']) {
      addEventListener(name, () => {
        throw new Error('a pointer was used');
      });
    }
  });
  return page;
}

describe('without a pointer', () => {
  test('a failing transaction is found, and its failing frame is opened', async () => {
    const page = await open('activity');
    await page.locator('tr[data-row]').first().waitFor();
    await page.keyboard.press('f');
    await expect.poll(() => page.locator('tr[data-row]').count()).toBe(1);
    await page.keyboard.press('j');
    await expect.poll(() => focused(page)).toContain('oops');
    await page.keyboard.press('Enter');
    await expect.poll(() => path(page)).toBe(`/ui/tx/${failed}`);
    await page.getByRole('treegrid').waitFor();
    // It is the selected one, so it is where Tab comes to.
    await tabTo(page, /fail\(/);
    expect(await page.locator('tr[aria-selected=true]').innerText()).toContain('oops');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => focused(page)).toContain('fail_via');
    await page.keyboard.press('x');
    await expect.poll(() => focused(page)).toMatch(/fail\(.*oops/);
    await page.keyboard.press('Enter');
    await expect.poll(() => search(page).get('frame')).toMatch(/^execute\.\d+\.\d+$/);
  });

  test('the chain is reverted to a snapshot', async () => {
    const page = await open('');
    await page.keyboard.press('.');
    await page.keyboard.press('s');
    await page.getByRole('option', { name: /Take a snapshot/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Take a snapshot').waitFor();
    const { block_count } = await status();
    await stage.node.client.call('devnet_createBlock', {});
    await page.keyboard.press('0');
    await page.getByRole('heading', { level: 1, name: 'Control' }).waitFor();
    await page.getByRole('button', { name: /^Revert to/ }).waitFor();
    await tabTo(page, /^Revert to/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, /Download an image first/);
    await page.keyboard.press('Space');
    await tabTo(page, /^Revert to/);
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await status()).block_count).toBe(block_count);
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  test('a contract is found and called', async () => {
    const page = await open('');
    await page.keyboard.press('/');
    await page.keyboard.type(counter);
    await page.getByRole('group', { name: 'Contracts' }).getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => path(page)).toBe(`/ui/contract/${counter}`);
    await tabTo(page, /^Interact/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Call get/);
    await page.keyboard.press('Enter');
    await page.getByRole('status', { name: 'Result' }).getByText('7').waitFor();
  });
});

describe('keys', () => {
  test('digits go to pages, whose heading gets the focus', async () => {
    const page = await open('node');
    for (const [key, where] of [
      ['2', '/ui/blocks'],
      ['3', '/ui/transactions'],
      ['6', '/ui/accounts'],
      ['7', '/ui/contracts'],
      ['0', '/ui/control'],
      ['1', '/ui/'],
      ['a', '/ui/activity'],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => path(page)).toBe(where);
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    }
  });

  test('a single key writes nothing, and commands after the prefix need Enter', async () => {
    const page = await open('blocks');
    const { block_count } = await status();
    for (const key of ['s', 'n', 'm']) await page.keyboard.press(key);
    await page.keyboard.press('.');
    await page.getByText('new block').waitFor();
    await page.keyboard.press('n');
    await page.getByRole('option', { name: /Create a block/ }).waitFor();
    expect((await status()).block_count).toBe(block_count);
    await page.keyboard.press('Escape');
    expect((await status()).block_count).toBe(block_count);
    await page.keyboard.press('.');
    await page.keyboard.press('n');
    await page.getByRole('option', { name: /Create a block/ }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await status()).block_count).toBe(block_count + 1);
    await page.keyboard.press('.');
    await page.keyboard.press('m');
    await page.getByRole('option', { name: /Mint 100 STRK to account 0/ }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => path(page)).toMatch(/^\/ui\/tx\//);
    const { execution_status } = await stage.node.client.call('starknet_getTransactionReceipt', {
      transaction_hash: path(page).slice('/ui/tx/'.length),
    });
    expect(execution_status).toBe('SUCCEEDED');
  });

  test('Space previews a row beside the list, and Escape closes the preview', async () => {
    // The address of the list before there was an overview.
    const page = await open('?failed=1');
    await page.locator('tr[data-row]').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    const beside = page.getByRole('complementary', { name: 'Transaction' });
    await beside
      .getByText(/panicked with 'oops'/)
      .first()
      .waitFor();
    expect(search(page).get('peek')).toBe(failed);
    expect(await page.locator('h1').count()).toBe(1);
    expect(await page.title()).toBe('Activity · Starkbox');
    await beside.getByRole('link', { name: /^State/ }).press('Enter');
    await beside.getByRole('table', { name: 'State changes' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => beside.count()).toBe(0);
    expect(page.url()).toBe(`${stage.origin}/ui/activity?failed=1`);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.url()).toBe(`${stage.origin}/ui/activity`);
  });

  test('brackets go to the adjacent block, or transaction of the sender', async () => {
    const page = await open('block/2');
    await page.keyboard.press(']');
    await expect.poll(() => path(page)).toBe('/ui/block/3');
    await page.keyboard.press('[');
    await expect.poll(() => path(page)).toBe('/ui/block/2');
    await page.goto(`${stage.origin}/ui/tx/${failed}`);
    await page.getByRole('treegrid').waitFor();
    await page.keyboard.press(']');
    await expect.poll(() => path(page)).toBe(`/ui/tx/${after}`);
    await page.keyboard.press('[');
    await expect.poll(() => path(page)).toBe(`/ui/tx/${failed}`);
  });

  test('rows are selected, copied and opened in a new tab', async () => {
    const page = await open('transactions');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const rows = page.locator('tr[data-row]');
    await rows.first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('End');
    const last = (await rows.count()) - 1;
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-row')))
      .toBe(String(last));
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('k');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-row')))
      .toBe('0');
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.keyboard.press('Control+Enter'),
    ]);
    await tab.waitForURL(/\/ui\/tx\/0x/);
    await page.bringToFront();
    await page.keyboard.press('y');
    const pasted = await page.context().newPage();
    await pasted.goto(`${stage.origin}/is_alive`);
    expect(tab.url()).toContain(await pasted.evaluate(() => navigator.clipboard.readText()));
  });

  test('p pauses, f filters failures, ? shows the keys', async () => {
    const page = await open('transactions');
    await page.keyboard.press('p');
    await expect.poll(() => search(page).get('mode')).toBe('paused');
    await page.keyboard.press('f');
    await expect.poll(() => search(page).get('status')).toBe('REVERTED');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('snapshot, new block').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  test('the help names Control elsewhere than on a Mac', async () => {
    const page = await open('transactions');
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    await help.getByText('Ctrl+K or /').waitFor();
    expect(await page.locator('body').innerText()).not.toMatch(/[⌘⇧⌥]/);
    const mac = await stage.open('transactions', { userAgent: 'Mozilla/5.0 (Macintosh)' });
    await mac.page.keyboard.press('?');
    await mac.page.getByRole('dialog', { name: 'Keys' }).getByText('⌘K or /').waitFor();
  });

  test('keys of the help work on the pages that it names', async () => {
    const page = await open('transactions');
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    const groupOf = (keys: string) =>
      help.getByRole('region').filter({ has: page.getByText(keys, { exact: true }) });
    await help.waitFor();
    expect(await groupOf('Space').locator('h3').allInnerTexts()).toEqual([
      'Activity, transactions and blocks',
    ]);
    expect(await groupOf('x').locator('h3').allInnerTexts()).toEqual(['Calls of a transaction']);
    await page.keyboard.press('Escape');
    for (const where of ['activity', 'transactions', 'blocks']) {
      await page.goto(`${stage.origin}/ui/${where}`);
      await page.locator('tr[data-row]').first().waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Space');
      await expect.poll(() => search(page).get('peek')).not.toBeNull();
    }
    await page.goto(`${stage.origin}/ui/tx/${failed}`);
    await page.getByRole('treegrid').waitFor();
    await page.keyboard.press('x');
    await expect.poll(() => focused(page)).toMatch(/fail\(.*oops/);
  });

  test('single letters can be turned off; arrows and Control+K stay', async () => {
    const page = await open('transactions');
    await page.locator('tr[data-row]').first().waitFor();
    await page.keyboard.press('?');
    await tabTo(page, /^Single-letter/, 5);
    await page.keyboard.press('Space');
    await page.keyboard.press('Escape');
    for (const key of ['p', 'f', '2', '.', '?', '/', 'j']) await page.keyboard.press(key);
    expect(page.url()).toBe(`${stage.origin}/ui/transactions`);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.locator('tr[data-row]').first().focus();
    await page.keyboard.press('j');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('data-row'))).toBe('0');
    await page.keyboard.press('ArrowDown');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-row')))
      .toBe('1');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).waitFor();
  });

  test('letters typed into a field are not shortcuts', async () => {
    const page = await open('control');
    await page.getByLabel('name', { exact: true }).focus();
    await page.keyboard.type('2.snp/?');
    expect(path(page)).toBe('/ui/control');
    expect(await page.getByLabel('name', { exact: true }).inputValue()).toBe('2.snp/?');
  });
});
