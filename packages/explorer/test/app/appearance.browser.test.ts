// Appearance of every page: accessibility, narrow screens, content security policy, theme.
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faultsOf } from '../support/accessibility.js';
import { isLive, type Stage, setStage } from '../support/stage.js';
import { detailPages, LISTS, makeVariety } from '../support/variety.js';

/** Each of about sixty pages is read in two themes. */
const MAX_MILLISECONDS = 600_000;

let stage: Stage;
let emptyStage: Stage;
let paths: readonly string[];

beforeAll(async () => {
  [stage, emptyStage] = await Promise.all([setStage(), setStage()]);
  const chain = await makeVariety(stage);
  const large = await stage.send(
    0,
    Array.from({ length: 60 }, () => stage.transfer(4, 1n)),
  );
  paths = [...LISTS, ...detailPages(chain), `tx/${large}?tab=state`];
});
afterAll(() => Promise.all([stage.close(), emptyStage.close()]));

async function accessibilityFaults(on: Stage, pages: readonly string[]): Promise<string[]> {
  const { page, complaints, settled } = await on.open('', { bypassCSP: true });
  const faults: string[] = [];
  for (const path of pages) {
    await page.goto(`${on.origin}/ui/${path}`);
    await page.locator('h1').waitFor();
    await isLive(page);
    await settled();
    for (const fault of await faultsOf(page)) faults.push(`/${path} ${fault}`);
  }
  return [...faults, ...complaints];
}

describe('appearance', () => {
  test(
    'axe finds nothing on any page in either theme',
    async () => {
      expect(await accessibilityFaults(stage, paths)).toEqual([]);
    },
    MAX_MILLISECONDS,
  );

  test(
    'axe finds nothing on the pages of an empty chain',
    async () => {
      expect(await accessibilityFaults(emptyStage, LISTS)).toEqual([]);
    },
    MAX_MILLISECONDS,
  );

  test(
    'no page scrolls sideways on a phone, breaks the policy or requests other origins',
    async () => {
      const { page, complaints, requests, settled } = await stage.open('', {
        viewport: { width: 320, height: 700 },
      });
      for (const path of paths) {
        await page.goto(`${stage.origin}/ui/${path}`);
        await page.locator('h1').waitFor();
        await settled();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect([path, wide]).toEqual([path, 0]);
      }
      expect(complaints).toEqual([]);
      expect(requests.filter((url) => !url.startsWith(stage.origin))).toEqual([]);
    },
    MAX_MILLISECONDS,
  );

  test('the theme follows the system until one is chosen', async () => {
    const { page } = await stage.open('', { colorScheme: 'light' });
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.getByRole('button', { name: 'Theme: auto' }).click();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
  });
});
