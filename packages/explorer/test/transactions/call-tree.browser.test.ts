// Call trees: events between calls, runs of equal calls, and a long trace, by keyboard alone.
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  DEEP_CALLS,
  type Stage,
  sendDeepCalls,
  setStage,
  watchClipboard,
} from '../support/stage.js';

let stage: Stage;
let ordered: string;
let large: string;

beforeAll(async () => {
  stage = await setStage();
  const reverter = await stage.deploy('reverter');
  const [emitter, other] = [await stage.deploy('emitter'), await stage.deploy('emitter')];
  ordered = await stage.send(1, [
    { contractAddress: emitter, entrypoint: 'emit_through', calldata: [other, '2', '1', '1'] },
  ]);
  large = await sendDeepCalls(stage, reverter);
});
afterAll(() => stage.close());

const rows = (page: Page) => page.getByRole('treegrid').locator('tr[data-row]');

test('events stand between the calls in the order of emission, and can be hidden', async () => {
  const { page, complaints } = await stage.open(`tx/${ordered}`, {});
  await page.getByText('Calling(').waitFor();
  await page.getByRole('row', { name: /emit_batch/ }).focus();
  await page.keyboard.press('e');
  await expect
    .poll(async () =>
      (await rows(page).allInnerTexts()).map(
        (text) => /__\w+__|emit_\w+|Call\w+|keys \w+|transfer/.exec(text)?.[0],
      ),
    )
    .toEqual([
      ...['__validate__', '__execute__', 'emit_through', 'Calling'],
      ...['emit_batch', 'keys 0x0', 'keys 0x3e8', 'Called', 'transfer'],
    ]);
  expect(await page.getByRole('row', { name: /event Calling/ }).getAttribute('aria-level')).toBe(
    '3',
  );
  await page.getByRole('checkbox', { name: 'events' }).focus();
  await page.keyboard.press('Space');
  await expect.poll(() => page.getByText('Calling(').count()).toBe(0);
  expect(new URL(page.url()).searchParams.get('emitted')).toBe('hidden');
  expect(complaints).toEqual([]);
});

test('equal calls of a long trace are folded', async () => {
  const { page, complaints } = await stage.open(`tx/${large}`, {});
  const run = page.getByRole('row', { name: /recurse ×110/ });
  await run.waitFor();
  expect(Number(await page.getByRole('treegrid').getAttribute('aria-rowcount'))).toBeLessThan(10);
  await run.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => run.getAttribute('aria-expanded')).toBe('true');
  await page.keyboard.press('ArrowRight');
  const first = page.getByRole('row', { name: /recurse\(45\) → 45/ }).first();
  await first.waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Selected frame' }).getByText('depth').waitFor();
  const copied = await watchClipboard(page);
  await page.keyboard.press('c');
  await expect.poll(async () => JSON.parse((await copied()) || '{}').calldata).toEqual(['0x2d']);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => run.getAttribute('aria-expanded')).toBe('false');

  // The frame that the address names is shown, though it is in a closed run.
  await page.goto(`${stage.origin}/ui/tx/${large}?frame=execute.7.0.0`);
  await page
    .locator('tr[aria-selected=true][aria-level="5"]', { hasText: 'recurse(43)' })
    .waitFor();

  await page.getByRole('link', { name: 'Gas' }).last().click();
  await page
    .getByRole('treeitem', { name: /recurse/ })
    .first()
    .waitFor();

  await page.getByRole('link', { name: 'Raw' }).click();
  await page.getByText('Trace', { exact: true }).click();
  const calls = page.getByRole('button', { name: 'calls: [110]' });
  await calls.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^0: \{\d+\}/ }).waitFor();
  await page.getByRole('button', { name: '60 more' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^109: \{\d+\}/ }).waitFor();
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1_500);
  const again = await watchClipboard(page);
  await page.getByRole('button', { name: 'Copy trace as JSON' }).click();
  await expect.poll(async () => (await again()).length).toBeGreaterThan(2_000_000);
  expect(JSON.parse(await again()).execute_invocation.calls).toHaveLength(DEEP_CALLS);
  expect(complaints).toEqual([]);
});
