// Search and addresses of pages.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.js';

let stage: Stage;
let reverted: string;

beforeAll(async () => {
  stage = await setStage();
  await stage.send(1, [stage.transfer(2, 1n)]);
  await stage.send(1, [stage.transfer(2, 10n ** 30n)]);
  reverted = await stage.send(1, [stage.transfer(2, 10n ** 30n)]);
});
afterAll(() => stage.close());

const text = (page: Page): Promise<string> => page.locator('main').innerText();

describe('search', () => {
  const find = async (what: string): Promise<Page> => {
    const { page } = await stage.open('');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill(what);
    return page;
  };

  test.each([
    ['an account’s address', () => stage.address(1), () => `/ui/contract/${stage.address(1)}`],
    ['a transaction', () => reverted, () => `/ui/tx/${reverted}`],
    ['a block number', () => '3', () => '/ui/block/3'],
    ['a name', () => 'account 2', () => `/ui/contract/${stage.address(2)}`],
  ])('finds %s', async (_what, query, path) => {
    const page = await find(query());
    await page.getByRole('option').first().waitFor();
    // Enter does nothing while the search is under way.
    await expect
      .poll(async () => {
        if ((await page.getByRole('combobox').count()) > 0) await page.keyboard.press('Enter');
        return new URL(page.url()).pathname;
      })
      .toBe(path());
  });

  test('a block hash leads to the block', async () => {
    const { block_hash } = await stage.node.client.call('starknet_blockHashAndNumber', {});
    const page = await find(block_hash);
    await page.getByRole('group', { name: 'Blocks' }).getByRole('option').click();
    await page.getByRole('heading', { level: 1, name: /^Block/ }).waitFor();
  });

  test('groups results by kind: names, functions, errors and the first digits of a hash', async () => {
    const page = await find('transfer');
    await page.getByRole('group', { name: 'Functions' }).getByText('transfer').first().waitFor();
    await page.getByRole('combobox').fill('insufficient balance');
    const errors = page.getByRole('group', { name: 'Failed transactions' });
    await errors.getByRole('option').first().waitFor();
    await page.getByRole('combobox').fill(reverted.slice(0, 8));
    await page.getByRole('group', { name: 'Transactions' }).getByRole('option').first().click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/ui/tx/${reverted}`);
  });

  test('opens the debugger of a transaction', async () => {
    const page = await find(`debug ${reverted}`);
    await page.getByRole('option', { name: /^Debug 0x/ }).click();
    await expect.poll(() => page.url()).toBe(`${stage.origin}/ui/tx/${reverted}?tab=debug`);
  });

  test('shows recent visits and commands before anything is typed', async () => {
    const { page } = await stage.open('block/2', {});
    await page.getByRole('heading', { level: 1, name: 'Block 2' }).waitFor();
    const visit = async (path: string): Promise<void> => {
      await page.goto(`${stage.origin}/ui/${path}`);
      await page.locator('h1').waitFor();
    };
    await visit(`tx/${reverted}`);
    await visit(`contract/${stage.address(2)}`);
    // Nothing has this hash.
    await visit('tx/0x123456');
    await page.keyboard.press('Control+k');
    const recent = page.getByRole('group', { name: 'Recent' }).getByRole('option');
    await expect
      .poll(() => recent.allInnerTexts())
      .toEqual([
        expect.stringContaining('account 2'),
        expect.stringMatching(/^Transaction 0x[\s\S]*reverted/),
        'Block 2',
      ]);
    const commands = page.getByRole('group', { name: 'Commands' });
    const { block_count } = await stage.node.client.call('devnet_getStatus', {});
    await commands.getByRole('option', { name: /^Create a block/ }).click();
    expect(await page.getByRole('combobox').inputValue()).toBe('create block');
    expect((await stage.node.client.call('devnet_getStatus', {})).block_count).toBe(block_count);
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => (await stage.node.client.call('devnet_getStatus', {})).block_count)
      .toBe(block_count + 1);
  });

  test('reports that nothing was found', async () => {
    const page = await find('gibberish');
    await page.getByText('Nothing found.').waitFor();
  });
});

describe('addresses of pages', () => {
  test('a deep link opens its page', async () => {
    const { page } = await stage.open('block/3');
    await page.getByRole('heading', { level: 1, name: 'Block 3' }).waitFor();
    expect(await page.title()).toBe('Block 3 · Starkbox');
  });

  test('an unknown block is reported with the head', async () => {
    const { page } = await stage.open('block/9999');
    await page.getByText('There is no block 9999. The head is').waitFor();
  });

  test('an unknown page is reported', async () => {
    const { page } = await stage.open('no/such/page');
    await page.getByRole('heading', { level: 1, name: 'No such page' }).waitFor();
  });

  test('filters are stored in the address', async () => {
    const { page } = await stage.open('transactions');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByRole('button', { name: 'Status' }).click();
    await page.getByRole('button', { name: 'reverted' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?status=REVERTED');
    await expect.poll(() => page.locator('tr[data-row]').count()).toBe(2);
    expect(await text(page)).toContain('insufficient balance');
  });
});
