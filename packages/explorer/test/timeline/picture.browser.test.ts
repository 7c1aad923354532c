// Texts of the timeline: none covers another or is cut, and times have 24 hours.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openLive, setStage } from '../support/stage.js';

interface Label {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The texts of the picture that overlap each other or leave the picture. */
async function faultsOfTexts(page: Page): Promise<readonly string[]> {
  await page.locator('.line-frame svg text').first().waitFor();
  const { labels, width } = await page.locator('.line-frame svg').evaluate((svg) => {
    const frame = svg.getBoundingClientRect();
    const labels = [...svg.querySelectorAll('text')].map((element): Label => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return {
        text: element.textContent ?? '',
        left: left - frame.left,
        right: right - frame.left,
        top,
        bottom,
      };
    });
    return { labels, width: Math.min(frame.width, document.documentElement.clientWidth) };
  });
  const outside = labels.filter(({ left, right }) => left < -1 || right > width + 1);
  const covered = labels.flatMap((label, at) =>
    labels
      .slice(at + 1)
      .filter(
        (other) =>
          label.left < other.right - 1 &&
          other.left < label.right - 1 &&
          label.top < other.bottom - 3 &&
          other.top < label.bottom - 3,
      )
      .map((other) => `“${label.text}” and “${other.text}”`),
  );
  return [...outside.map(({ text }) => `“${text}” is cut`), ...covered];
}

const WIDTHS = [360, 390, 768, 1440];

test('on an empty chain and a chain with snapshots, gaps and an undone range', async () => {
  const stage = await setStage();
  const { client } = stage.node;
  try {
    const { page, complaints } = await openLive(stage, 'timeline');
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      await expect.poll(() => faultsOfTexts(page), { message: `empty at ${width}` }).toEqual([]);
    }
    const first = await client.call('devnet_snapshot', { name: 'before everything' });
    for (const name of [
      'deployed',
      'funded',
      'the name of a snapshot that is too long to be shown',
    ]) {
      await stage.send(0, [stage.transfer(1, 5n)]);
      await client.call('devnet_snapshot', { name });
    }
    await client.call('devnet_increaseTime', { time: 86_400 });
    await stage.send(0, [stage.transfer(1, 10n ** 30n)]);
    await client.call('devnet_increaseTime', { time: 3_600 });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      await expect.poll(() => faultsOfTexts(page), { message: `full at ${width}` }).toEqual([]);
    }
    // The page sees the revert, and shows the range that was undone.
    await client.call('devnet_revert', { snapshot_id: first });
    const undone = page.locator('.line-undone text');
    await undone.waitFor();
    expect(await undone.textContent()).toMatch(/^\d+ blocks, undone at \d\d:\d\d(:\d\d)? UTC$/);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      await expect.poll(() => faultsOfTexts(page), { message: `undone at ${width}` }).toEqual([]);
    }
    expect(await page.locator('main').innerText()).not.toMatch(/\d\s?[AP]M\b/i);
    expect(complaints).toEqual([]);
  } finally {
    await stage.close();
  }
});

/** Distance between the middles of the head's bar, the last one, and of its label. */
const offsetOfHead = (page: Page): Promise<number> =>
  page.locator('.line-frame svg').evaluate((svg) => {
    const bars = svg.querySelector('.line-bars')?.getAttribute('d') ?? '';
    const [, left = '', wide = ''] = /M([\d.]+),[^M]*h([\d.]+)[^M]*$/.exec(bars) ?? [];
    const label = svg.querySelector('.line-head')?.getBoundingClientRect();
    if (!label) return Number.NaN;
    const middle = label.left + label.width / 2 - svg.getBoundingClientRect().left;
    return Math.abs(middle - Number(left) - Number(wide) / 2);
  });

test('the label of the head is below its bar, and the axis of time has times', async () => {
  const stage = await setStage();
  try {
    for (let count = 0; count < 12; count++) await stage.send(0, [stage.transfer(1, 5n)]);
    const { page } = await openLive(stage, 'timeline');
    const head = page.locator('.line-head');
    for (const [path, text] of [
      ['timeline', /^head #\d+$/],
      ['timeline?axis=time', /^head \d\d:\d\d:\d\d$/],
    ] as const) {
      await page.goto(`${new URL(page.url()).origin}/ui/${path}`);
      await expect.poll(() => head.textContent()).toMatch(text);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 844 });
        const offset = { message: `${path} at ${width}` };
        await expect.poll(() => offsetOfHead(page), offset).toBeLessThan(4);
        await expect.poll(() => faultsOfTexts(page), offset).toEqual([]);
      }
    }
  } finally {
    await stage.close();
  }
});
