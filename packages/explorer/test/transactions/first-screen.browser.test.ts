// What the page of a failed transaction shows without scrolling.
/// <reference lib="dom" />
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { classTextWithPlaces, marks } from '../../../../contracts/classes.js';
import { type Stage, setStage } from '../support/stage.js';

const FILE = 'contracts/src/failing/failures.cairo';

let stage: Stage;
let plain: string;
let nested: string;

beforeAll(async () => {
  stage = await setStage();
  const failures = await stage.deploy('failures', ['0']);
  const source = await readFile(new URL(`../../../../${FILE}`, import.meta.url), 'utf8');
  const artifact = JSON.parse(await classTextWithPlaces('failures'));
  await stage.node.client.call('devnet_addArtifact', { artifact, sources: { [FILE]: source } });
  const failing = { contractAddress: failures, entrypoint: 'helper', calldata: ['0x1'] };
  plain = await stage.send(1, [failing]);
  // Calls before the failing one make the page longer.
  nested = await stage.send(1, [
    ...Array.from({ length: 12 }, () => stage.transfer(2, 1n)),
    failing,
  ]);
});
afterAll(() => stage.close());

/** Expects that a part is in the window from top to bottom, and that nothing covers its end. */
async function expectVisible(page: Page, part: Locator): Promise<void> {
  await part.waitFor();
  const box = await part.boundingBox();
  const window = page.viewportSize();
  const header = await page.locator('.strip').first().boundingBox();
  expect(box?.y).toBeGreaterThanOrEqual((header?.y ?? 0) + (header?.height ?? 0));
  // What stands at the bottom edge of a phone covers the page.
  const covered = await page.evaluate(
    ([x = 0, y = 0]) => document.elementFromPoint(x, y)?.closest('main') === null,
    [(box?.x ?? 0) + 4, (box?.y ?? 0) + (box?.height ?? 0) - 2],
  );
  expect(covered).toBe(false);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(window?.height ?? 0);
  expect(box?.x).toBeGreaterThanOrEqual(0);
}

test.each([
  ['a laptop', 1440, 900],
  ['a phone', 390, 844],
])(
  'on %s the sentence, the failing line and its variables need no scrolling',
  async (_, width, height) => {
    const line = String(marks().get('helper')?.line);
    for (const hash of [plain, nested]) {
      const { page, complaints, leave } = await stage.open(`tx/${hash}`, {
        viewport: { width, height },
      });
      const why = page.getByRole('region', { name: 'Why it failed' });
      const headline = why.locator('.headline');
      const { summary } = await stage.node.client.call('devnet_explainTransaction', [hash]);
      // A slow explanation replaces the message of the receipt.
      // No other contract of the page has this name, so its address is left out.
      expect(summary).toContain('failures@0x');
      await expect
        .poll(() => headline.innerText())
        .toBe(summary.replace(/^Reverted: failures@0x[0-9a-f…]*/, 'failures'));
      await expectVisible(page, headline);
      const failingLine = why.locator('.code [aria-current]');
      await expectVisible(page, failingLine);
      expect(await failingLine.getAttribute('value')).toBe(line);
      const variables = why.getByRole('region', { name: 'Variables' });
      const row = variables.locator('dl > div').filter({ hasText: 'value' }).first();
      await expectVisible(page, row);
      expect(await row.locator('dd').innerText()).toBe('1');
      expect(await page.evaluate(() => scrollY)).toBe(0);
      expect(complaints).toEqual([]);
      await leave();
    }
  },
);

test('another function of the stack has its own line and variables', async () => {
  const { page } = await stage.open(`tx/${plain}`, { viewport: { width: 1440, height: 900 } });
  const why = page.getByRole('region', { name: 'Why it failed' });
  const variables = why.getByRole('region', { name: 'Variables' });
  await variables.locator('dd').getByText('1', { exact: true }).waitFor();
  const { stack } = await stage.node.client.call('devnet_explainTransaction', [plain]);
  await why.getByRole('button', { name: /::checked/ }).click();
  const checked = stack.find(({ function: name }) => name.endsWith('::checked'));
  await expect
    .poll(() => why.locator('.code [aria-current]').getAttribute('value'))
    .toBe(String(checked?.line));
  await expect.poll(() => variables.innerText()).toMatch(/value\s*u32\s*1/);
});
