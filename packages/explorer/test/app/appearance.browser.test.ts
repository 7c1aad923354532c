// Appearance of every page: accessibility, narrow screens, content security policy, theme.
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faultsOf } from '../support/accessibility.js';
import { isLive, STRK, type Stage, setStage } from '../support/stage.js';

let stage: Stage;
let reverted: string;
let large: string;
let counter: string;

beforeAll(async () => {
  stage = await setStage();
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
});
afterAll(() => stage.close());

describe('appearance', () => {
  const pages = () => [
    '',
    'activity',
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

  test('axe finds nothing on any page in either theme', async () => {
    const { page, complaints, settled } = await stage.open('', { bypassCSP: true });
    const problems: string[] = [];
    for (const path of pages()) {
      await page.goto(`${stage.origin}/ui/${path}`);
      await page.locator('h1').waitFor();
      await isLive(page);
      await settled();
      for (const fault of await faultsOf(page)) problems.push(`/${path} ${fault}`);
    }
    expect(problems).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('no page scrolls sideways on a phone, breaks the policy or requests other origins', async () => {
    const { page, complaints, requests, settled } = await stage.open('', {
      viewport: { width: 320, height: 700 },
    });
    for (const path of pages()) {
      await page.goto(`${stage.origin}/ui/${path}`);
      await page.locator('h1').waitFor();
      await settled();
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([path, wide]).toEqual([path, 0]);
    }
    expect(complaints).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(stage.origin))).toEqual([]);
  });

  test('the theme follows the system until one is chosen', async () => {
    const { page } = await stage.open('', { colorScheme: 'light' });
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.getByRole('button', { name: 'Theme: auto' }).click();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
  });
});
