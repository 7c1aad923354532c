// Layout shifts while a page loads: what arrives late has its room, or the page waits for it.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { STRK, type Stage, setStage } from '../support/stage.js';
import { LISTS, makeVariety, type Variety } from '../support/variety.js';

/** Half of what is called good for a page. */
const LARGEST_SHIFT = 0.05;

let stage: Stage;
let chain: Variety;

beforeAll(async () => {
  stage = await setStage();
  chain = await makeVariety(stage);
});
afterAll(() => stage.close());

/** The sum of the shifts since the page was loaded, and the elements that moved the most. */
function shiftsOf(page: Page): Promise<{ sum: number; moved: string[] }> {
  return page.evaluate(async () => {
    interface Shift extends PerformanceEntry {
      readonly value: number;
      readonly hadRecentInput: boolean;
      readonly sources: readonly { readonly node: Node | null }[];
    }
    const isShift = (entry: PerformanceEntry): entry is Shift => 'hadRecentInput' in entry;
    const entries = await new Promise<PerformanceEntry[]>((resolve) => {
      const all: PerformanceEntry[] = [];
      new PerformanceObserver((list) => all.push(...list.getEntries())).observe({
        type: 'layout-shift',
        buffered: true,
      });
      // Buffered entries come before the second frame.
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(all))));
    });
    const shifts = entries.filter(isShift).filter(({ hadRecentInput }) => !hadRecentInput);
    const nameOf = (node: Node | null): string =>
      node instanceof Element
        ? [node.tagName.toLowerCase(), ...node.classList].join('.')
        : `“${node?.textContent ?? ''}”`;
    return {
      sum: shifts.reduce((sum, { value }) => sum + value, 0),
      moved: shifts.map(
        ({ value, sources }) =>
          `${value.toFixed(3)} ${sources.map(({ node }) => nameOf(node)).join(', ')}`,
      ),
    };
  });
}

test.each([
  ['desktop', { width: 1_440, height: 900 }],
  ['phone', { width: 390, height: 844 }],
])('no page moves while it loads on a %s', async (_, viewport) => {
  const { page, settled } = await stage.open('more', { viewport });
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
    await page.locator('.connection', { hasText: 'live' }).waitFor();
    await settled();
    const { sum, moved } = await shiftsOf(page);
    if (sum >= LARGEST_SHIFT) unstable.push(`/${path} ${sum.toFixed(3)}: ${moved.join('; ')}`);
  }
  expect(unstable).toEqual([]);
});

test('a shift is noticed', async () => {
  const { page, settled } = await stage.open('node');
  await settled();
  const before = await shiftsOf(page);
  await page.evaluate(() => {
    const room = document.createElement('div');
    room.style.height = '300px';
    document.querySelector('main')?.prepend(room);
  });
  expect((await shiftsOf(page)).sum).toBeGreaterThan(before.sum + LARGEST_SHIFT);
});
