// Appearance of every page: accessibility, shifts while it loads, content security policy, theme.
/// <reference lib="dom" />
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { darkFaultsOf, faultsOf } from '../support/accessibility.js';
import { faultsOfShifts, LARGEST_SHIFT, shiftsOf } from '../support/shifts.js';
import { isLive, STRK, type Stage, setStage, type Visit } from '../support/stage.js';
import { detailPages, LISTS, type Varied, variedStage } from '../support/variety.js';

/** Each of about sixty pages is read. */
const MAX_MILLISECONDS = 600_000;

let varied: Varied;
let emptyStage: Stage;

beforeAll(async () => {
  [varied, emptyStage] = await Promise.all([variedStage(), setStage()]);
});
afterAll(() => emptyStage.close());

/** Goes to each page as a link does, without loading it anew. */
async function visitEach(
  { page, settled }: Visit,
  paths: readonly string[],
  read: (path: string) => Promise<void>,
): Promise<void> {
  for (const path of paths) {
    await page.evaluate((address) => {
      history.pushState(null, '', address);
      dispatchEvent(new PopStateEvent('popstate'));
    }, `/ui/${path}`);
    await settled();
    await page.locator('h1').waitFor();
    await read(path);
  }
}

async function lightFaults(stage: Stage, paths: readonly string[]): Promise<readonly string[]> {
  const visit = await stage.open('', {});
  await isLive(visit.page);
  const faults: string[] = [];
  await visitEach(visit, paths, async (path) => {
    faults.push(...(await faultsOf(visit.page)).map((fault) => `/${path} ${fault}`));
  });
  return [...faults, ...foreign(visit, stage)];
}

/** Breaches of the policy, and requests to other origins. */
function foreign({ complaints, requests }: Visit, { origin }: Stage): readonly string[] {
  return [...complaints, ...requests.filter((url) => !url.startsWith(origin))];
}

describe('appearance', () => {
  test(
    'axe finds nothing on any page',
    async () => {
      const { stage, chain } = varied;
      expect(await lightFaults(stage, [...LISTS, ...detailPages(chain)])).toEqual([]);
    },
    MAX_MILLISECONDS,
  );

  test(
    'axe finds nothing on the pages of an empty chain',
    async () => {
      expect(await lightFaults(emptyStage, LISTS)).toEqual([]);
    },
    MAX_MILLISECONDS,
  );

  // Each colour on each ground is proved by its tokens; these pages have the most kinds of both.
  test('texts in the dark theme can be read', async () => {
    const { stage, chain } = varied;
    const visit = await stage.open('', { colorScheme: 'dark' });
    const pages = [
      '',
      'transactions',
      'control',
      'timeline',
      'gas?from=0',
      `tx/${chain.overflow}?tab=debug`,
      `tx/${chain.succeeded}`,
      `contract/${chain.counter}?tab=interact`,
    ];
    const faults: string[] = [];
    await visitEach(visit, pages, async (path) => {
      faults.push(...(await darkFaultsOf(visit.page)).map((fault) => `/${path} ${fault}`));
    });
    expect(faults).toEqual([]);
  });

  test(
    'no page moves while it loads on a phone, breaks the policy or requests other origins',
    async () => {
      const { stage, chain } = varied;
      const visit = await stage.open('more', { viewport: { width: 390, height: 844 } });
      const { page, settled } = visit;
      const unstable: string[] = [];
      for (const path of [
        ...LISTS,
        'block/6',
        `tx/${chain.succeeded}`,
        `tx/${chain.succeeded}?tab=state`,
        `tx/${chain.reverted}`,
        `tx/${chain.overflow}`,
        `contract/${chain.counter}`,
        `contract/${STRK}?tab=storage`,
        `token/${STRK}`,
      ]) {
        await page.goto(`${stage.origin}/ui/${path}`);
        await page.locator('h1').waitFor();
        await isLive(page);
        await settled();
        unstable.push(...(await faultsOfShifts(page)).map((shift) => `/${path} ${shift}`));
      }
      expect(unstable).toEqual([]);
      expect(foreign(visit, stage)).toEqual([]);
    },
    MAX_MILLISECONDS,
  );

  test('a shift is noticed', async () => {
    const { page, settled } = await emptyStage.open('node');
    await settled();
    const before = await shiftsOf(page);
    await page.evaluate(() => {
      const room = document.createElement('div');
      room.style.height = '300px';
      document.querySelector('main')?.prepend(room);
    });
    expect((await shiftsOf(page)).sum).toBeGreaterThan(before.sum + LARGEST_SHIFT);
  });

  test('the theme follows the system until one is chosen', async () => {
    const { page } = await emptyStage.open('', { colorScheme: 'light' });
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.getByRole('button', { name: 'Theme: auto' }).click();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
  });
});
