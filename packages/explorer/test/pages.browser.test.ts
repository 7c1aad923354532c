// Pages against a real node in a real browser: none of the faults that explorers of this kind are known for.
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faultsOf } from './support/accessibility.js';
import { isLive, STRK, type Stage, setStage } from './support/stage.js';

let stage: Stage;
let reverted: string;
let nested: string;
let large: string;
let counter: string;
let reverter: string;

beforeAll(async () => {
  stage = await setStage();
  reverter = await stage.deploy('reverter');
  counter = await stage.deploy('counter', ['7']);
  await stage.send(1, [
    stage.transfer(2, 1_500_000_000_000_000_000n),
    { contractAddress: counter, entrypoint: 'increase', calldata: ['0x5'] },
  ]);
  large = await stage.send(
    0,
    Array.from({ length: 60 }, () => stage.transfer(4, 1n)),
  );
  reverted = await stage.send(1, [
    stage.transfer(2, 1n),
    { contractAddress: STRK, entrypoint: 'transfer', calldata: [stage.address(2), 10n ** 30n, 0n] },
  ]);
  nested = await stage.send(2, [
    { contractAddress: reverter, entrypoint: 'fail_via', calldata: [reverter, '1', '0x6f6f7073'] },
  ]);
}, 120_000);
afterAll(() => stage.close());

const text = (page: Page): Promise<string> => page.locator('main').innerText();

describe('a transaction', () => {
  test('that failed says why, at the frame that failed, on the first screen', async () => {
    const { page, complaints } = await stage.open(`tx/${reverted}`);
    const why = page.getByRole('region', { name: 'Why it failed' });
    await why.getByText('account 2').waitFor();
    expect(await why.innerText()).toContain(
      'STRK.transfer(recipient: account 2, amount: 1,000,000,000,000 STRK)',
    );
    expect(await why.innerText()).toContain('ERC20: insufficient balance');
    expect((await why.boundingBox())?.y ?? 800).toBeLessThan(300);
    expect(await page.title()).toMatch(/^Reverted · tx 0x\w+…\w+ · Starkbox$/);
    const failing = page.getByRole('row', { name: /failed.*1,000,000,000,000 STRK/ });
    expect(await failing.getAttribute('aria-selected')).toBe('true');
    expect(await page.getByRole('row', { name: /undone/ }).innerText()).toContain('1 fri');
    expect(complaints).toEqual([]);
  });

  test('that failed two calls down shows the way there', async () => {
    const { page } = await stage.open(`tx/${nested}`);
    const why = page.getByRole('region', { name: 'Why it failed' });
    await why.locator('.cause').getByText('oops').waitFor();
    await expect
      .poll(() => why.innerText())
      .toMatch(/account 2\.__execute__[\s\S]*fail_via\([\s\S]*\.fail\([\s\S]*oops/);
  });

  test('with sixty calls stays small', async () => {
    const { page } = await stage.open(`tx/${large}`);
    await page.getByRole('treegrid').waitFor();
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1_500);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(1_200);
  });

  test('has state changes with what was before, and events in words', async () => {
    const { page } = await stage.open(`tx/${large}?tab=events`);
    await page
      .getByText('Transfer(from: account 0, to: account 4, value: 1 fri)')
      .first()
      .waitFor();
    await page.getByRole('link', { name: /^State/ }).click();
    await page.getByRole('row', { name: /account 0, ends \w+ nonce/ }).waitFor();
    await page.getByRole('cell', { name: '+60' }).waitFor();
  });

  test('that is not there says so', async () => {
    const { page } = await stage.open('tx/0x123');
    await page.getByText('This chain has no transaction with this hash.').waitFor();
  });

  test('is walked by keyboard', async () => {
    const { page } = await stage.open(`tx/${reverted}`);
    await page.getByRole('treegrid').waitFor();
    await page.locator('tr[aria-selected=true]').focus();
    await page.keyboard.press('ArrowLeft');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toContain('execute');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.getByRole('row', { name: /undone/ }).count()).toBe(0);
  });
});

describe('values', () => {
  test('every address is a link to a page of its own', async () => {
    const { page } = await stage.open(`tx/${reverted}`);
    await page.locator('.sentence').getByRole('link', { name: /^STRK/ }).click();
    await page.getByRole('heading', { level: 1, name: 'STRK' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/ui/contract/${STRK}`);
    await page
      .getByRole('link', { name: /^class|0x2e77/ })
      .first()
      .click();
    await page
      .getByText('transfer(recipient: ContractAddress, amount: u256) → bool')
      .first()
      .waitFor();
  });

  test('equal ones are marked', async () => {
    const { page } = await stage.open(`tx/${reverted}`);
    await page.locator('.why a[data-eq]').first().hover();
    expect(await page.locator('.is-equal').count()).toBeGreaterThan(1);
  });

  test('a contract answers what it is asked', async () => {
    const { page } = await stage.open(`contract/${counter}?tab=read`);
    await page.getByRole('button', { name: 'Call get' }).click();
    await page.getByRole('status', { name: 'Result' }).getByText('12').waitFor();
  });
});

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
    await page.waitForTimeout(300);
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname).toBe(path());
  });

  test('a block hash leads to the block', async () => {
    const { block_hash } = await stage.node.client.call('starknet_blockHashAndNumber', {});
    const page = await find(block_hash);
    await page.getByRole('option', { name: /^block/ }).click();
    await page.getByRole('heading', { level: 1, name: /^Block/ }).waitFor();
  });

  test('says what it tried when there is nothing', async () => {
    const page = await find('gibberish nobody wrote');
    await page.getByText('Nothing found:').waitFor();
  });
});

describe('addresses of pages', () => {
  test('a deep link shows what it names', async () => {
    const { page } = await stage.open('block/3');
    await page.getByRole('heading', { level: 1, name: 'Block 3' }).waitFor();
    expect(await page.title()).toBe('Block 3 · Starkbox');
  });

  test('a block that is not there says so and leads on', async () => {
    const { page } = await stage.open('block/9999');
    await page.getByText('There is no block 9999. The head is').waitFor();
  });

  test('an address that means nothing says so', async () => {
    const { page } = await stage.open('no/such/page');
    await page.getByRole('heading', { level: 1, name: 'No such page' }).waitFor();
  });

  test('filters are in the address', async () => {
    const { page } = await stage.open('transactions');
    await page.getByLabel('status:').selectOption('REVERTED');
    await expect.poll(() => new URL(page.url()).search).toBe('?status=REVERTED');
    await expect.poll(() => page.locator('tr[data-row]').count()).toBe(2);
    expect(await text(page)).toContain('insufficient balance');
  });
});

describe('appearance', () => {
  const pages = () => [
    '',
    'blocks',
    'block/3',
    'transactions',
    `tx/${reverted}`,
    `tx/${large}?tab=state`,
    'accounts',
    'contracts',
    `contract/${counter}?tab=read`,
    `contract/${counter}?tab=interact&f=increase`,
    `contract/${counter}?tab=storage`,
    `contract/${counter}?tab=history`,
    'class/0x2e77ee61d4df3d988ee1f42ea5442e913862cc82c2584d212ecda76666498fc?tab=deploy',
    'simulate',
    'classes',
    'control',
    'node',
    'requests',
    'console',
    'console?method=starknet_simulateTransactions',
    'messages?send=1',
    'more',
    'block/9999',
  ];

  test('no page has a serious fault of accessibility, in either theme', async () => {
    const { page, complaints } = await stage.open('', { bypassCSP: true });
    const found: string[] = [];
    for (const path of pages()) {
      await page.goto(`${stage.origin}/ui/${path}`);
      await page.locator('h1').waitFor();
      await isLive(page);
      await page.waitForLoadState('networkidle');
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
        for (const fault of await faultsOf(page)) found.push(`/${path} ${colorScheme} ${fault}`);
      }
    }
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  }, 180_000);

  test('no page scrolls sideways on a phone, and none breaks the policy or asks elsewhere', async () => {
    const { page, complaints, requests } = await stage.open('', {
      viewport: { width: 320, height: 700 },
    });
    for (const path of pages()) {
      await page.goto(`${stage.origin}/ui/${path}`);
      await page.locator('h1').waitFor();
      await page.waitForLoadState('networkidle');
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([path, wide]).toEqual([path, 0]);
    }
    expect(complaints).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(stage.origin))).toEqual([]);
  }, 180_000);

  test('the theme is the system’s, unless one is chosen', async () => {
    const { page } = await stage.open('', { colorScheme: 'light' });
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.getByRole('button', { name: 'Theme: auto' }).click();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
  });
});
