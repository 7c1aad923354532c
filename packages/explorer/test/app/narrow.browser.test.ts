// Parts of pages between a phone and a desktop: columns under their heads, names, the strip, inputs in their cards.
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { openLive, STRK, type Stage } from '../support/stage.js';
import { type Variety, variedStage } from '../support/variety.js';

const TABLETS = [640, 700, 768, 899, 900, 1_000, 1_023, 1_024, 1_199, 1_200];
const HEIGHT = 900;

let stage: Stage;
let chain: Variety;

beforeAll(async () => {
  ({ stage, chain } = await variedStage());
});

/** Columns of a table whose head is not over its cells, or is without them. */
const misplaced = (page: Page, label: string): Promise<string[]> =>
  page.locator(`table[aria-label="${label}"]`).evaluate((table: HTMLTableElement) => {
    const shown = (cells: Iterable<Element>) =>
      [...cells].map((cell) => {
        const { left, width } = cell.getBoundingClientRect();
        return width === 0 ? 'none' : `${Math.round(left)}+${Math.round(width)}`;
      });
    const heads = shown(table.tHead?.rows[0]?.cells ?? []);
    const faults = heads.length < 2 ? ['no heads'] : [];
    for (const row of table.querySelectorAll('tbody tr[data-row]')) {
      const cells = shown(row.children);
      if (cells.join() !== heads.join()) faults.push(`${heads.join(' ')} over ${cells.join(' ')}`);
    }
    return faults;
  });

/** Elements with a right edge beyond that of another one. */
const beyond = (page: Page, inner: string, outer: string): Promise<string[]> =>
  page.locator(inner).evaluateAll((elements, box) => {
    const isInside = (element: Element): boolean => {
      const edges = (element.closest(box) ?? document.documentElement).getBoundingClientRect();
      const { left, right, width } = element.getBoundingClientRect();
      return width > 0 && left >= edges.left && right <= edges.right;
    };
    if (elements.length === 0) return ['no element'];
    return elements.filter((element) => !isInside(element)).map(({ outerHTML }) => outerHTML);
  }, outer);

async function atEach(
  page: Page,
  widths: readonly number[],
  faults: () => Promise<readonly string[]>,
): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: HEIGHT });
    await expect.poll(async () => [width, await faults()]).toEqual([width, []]);
  }
}

test('each column of the call tree is under its head, and the last call is not cut', async () => {
  const { page } = await stage.open(`tx/${chain.succeeded}`, {});
  await page.getByRole('treegrid').waitFor();
  await atEach(page, TABLETS, () => misplaced(page, 'Call tree'));
  for (const width of [390, 768, 1_440]) {
    await page.setViewportSize({ width, height: HEIGHT });
    const cut = page.locator('.tree-scroll').evaluate((box) => {
      const last = [...box.querySelectorAll('tr[data-row]')].at(-1)?.getBoundingClientRect();
      return {
        rest: box.scrollHeight - box.clientHeight,
        isLastInside: (last?.bottom ?? Number.NaN) <= box.getBoundingClientRect().bottom,
      };
    });
    expect(await cut).toEqual({ rest: 0, isLastInside: true });
  }
});

test.each([
  ['State changes', () => `tx/${chain.minted}?tab=state`],
  ['Holders', () => `token/${STRK}`],
])('a table on a phone shows numbers of many lines whole: %s', async (label, pathOf) => {
  const { page } = await stage.open(pathOf(), { viewport: { width: 390, height: HEIGHT } });
  const table = page.getByRole('table', { name: label });
  await table
    .getByText(/57,896,044,618,658,097,711,785/)
    .first()
    .waitFor();
  const cut = await table.locator('tr[data-row]').evaluateAll((rows) =>
    rows.flatMap((row) => {
      const edges = row.getBoundingClientRect();
      return [...row.children].flatMap((cell) => {
        const text = document.createRange();
        text.selectNodeContents(cell);
        const { top, bottom, height } = text.getBoundingClientRect();
        const isInside = top >= edges.top && bottom <= edges.bottom;
        return isInside && height <= cell.clientHeight + 1 ? [] : [cell.textContent];
      });
    }),
  );
  expect(cut).toEqual([]);
});

test.each([
  ['timeline', 'Snapshots', 'before the swap'],
  ['instances', 'Chains', 'a branch for the next release'],
])(
  'the table of %s shows whole names on a tablet, each column under its head',
  async (path, label, name) => {
    const { instance_id } = await stage.node.client.call('devnet_createInstance', {
      name: 'a branch for the next release',
    });
    const { page } = await stage.open(path, {});
    const shownName = page.getByRole('table', { name: label }).getByText(name);
    await shownName.waitFor();
    await atEach(page, TABLETS, async () => {
      const isWhole = await shownName.evaluate((text) => {
        const cell = text.closest('td');
        const end = text.getBoundingClientRect().right;
        return cell !== null && end <= cell.getBoundingClientRect().right;
      });
      return [...(isWhole ? [] : ['the name is cut']), ...(await misplaced(page, label))];
    });
    await stage.node.client.call('devnet_deleteInstance', { instance_id });
  },
);

test('the strip of an instance with a moved clock shows its buttons and whole facts', async () => {
  const { instance_id } = await stage.node.client.call('devnet_createInstance', { name: 'trial' });
  const { page } = await stage.open(`../instances/${instance_id}/ui/blocks`, {});
  await page.locator('.strip .offset', { hasText: '+30 d' }).waitFor();
  await atEach(page, [360, ...TABLETS, 1_440], async () => [
    ...(await beyond(page, '.strip button', '.strip')),
    ...(await page.locator('.strip-facts').evaluate((facts) => {
      const box = facts.getBoundingClientRect();
      return [...facts.children]
        .map((fact) => ({ fact, edges: fact.getBoundingClientRect() }))
        .filter(({ edges }) => edges.top < box.bottom && edges.right > Math.ceil(box.right))
        .map(({ fact }) => `${fact.textContent} is cut`);
    })),
  ]);
  await stage.node.client.call('devnet_deleteInstance', { instance_id });
});

test('the inputs of Control stay in their cards', async () => {
  const { page } = await openLive(stage, 'control');
  await page.getByRole('textbox', { name: 'New L2 gas price in fri' }).waitFor();
  await atEach(page, [360, 390, ...TABLETS, 1_440], () =>
    beyond(page, 'main :is(input, select, button):not(.strip *)', '.card'),
  );
  await page.setViewportSize({ width: 1_280, height: 800 });
});
