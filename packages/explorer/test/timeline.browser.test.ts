import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { barSize } from '../src/features/timeline/blocks.js';
import { byTime, foldsIn, pan, zoom } from '../src/features/timeline/scale.js';
import { faultsOf } from './support/accessibility.js';
import { isLive, STRK, type Stage, setStage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
  await stage.send(0, [stage.transfer(1, 5n)]);
  await stage.node.client.call('devnet_snapshot', { name: 'deployed' });
  await stage.send(0, [stage.transfer(2, 7n)]);
  await stage.send(1, [
    { contractAddress: STRK, entrypoint: 'transfer', calldata: [stage.address(2), 10n ** 30n, 0n] },
  ]);
  await stage.node.client.call('devnet_increaseTime', { time: 86_400 });
  await stage.send(0, [stage.transfer(1, 5n)]);
}, 180_000);
afterAll(() => stage.close());

const status = () => stage.node.client.call('devnet_getStatus', {});
const snapshots = async () =>
  (await stage.node.client.call('devnet_listSnapshots', {})).snapshots.map(
    ({ snapshot_id, name }) => [snapshot_id, name],
  );

describe('places on the line', () => {
  const moments = [0, 10, 20, 86_420, 86_430].map((time, number) => ({ number, time }));

  test('a jump of the clock is folded, by number and by time', () => {
    expect(foldsIn(moments)).toEqual([{ before: 3, seconds: 86_400 }]);
    const scale = byTime({ first: 0, last: 4 }, moments);
    expect(scale.at(0)).toBe(0);
    expect(scale.at(4)).toBeCloseTo(1);
    expect(scale.at(3) - scale.at(2)).toBeLessThan(scale.at(2) - scale.at(1));
    expect(foldsIn(moments.map(({ number }) => ({ number, time: number * 3_600 })))).toEqual([]);
  });

  test('zooming and moving stay on the chain', () => {
    const whole = { first: 0, last: 1_000 };
    const near = zoom(whole, whole, 0.5, 1);
    expect(near).toEqual({ first: 500, last: 1_000 });
    expect(zoom(near, whole, 4, 0)).toEqual(whole);
    expect(pan(near, whole, 2)).toEqual(near);
    expect(pan(near, whole, -9)).toEqual({ first: 0, last: 500 });
    expect(barSize({ first: 0, last: 19_999 })).toBe(512);
  });
});

describe('the page', () => {
  test('shows snapshots, failures and the jump of the clock', async () => {
    const { page, complaints } = await stage.open('timeline');
    await page.locator('.line-snapshot').waitFor();
    expect(await page.locator('.line-snapshot text').textContent()).toContain('deployed');
    expect(await page.locator('.line-crosses').getAttribute('d')).toMatch(/^M/);
    await page.locator('.line-fold', { hasText: '+1 d' }).waitFor();
    const row = page.getByRole('table', { name: 'Snapshots' }).locator('tr[data-row]');
    const cells = await row.locator('td').allInnerTexts();
    const { block_count } = await status();
    expect(await page.locator('.line-frame').innerText()).toContain(`#${block_count - 1}`);
    expect(cells[4]).toBe(String(block_count - 1 - 1));
    expect(cells[5]).toBe('3');
    await page.getByLabel('axis:').selectOption('time');
    await page.locator('.line-fold').waitFor();
    expect(new URL(page.url()).searchParams.get('axis')).toBe('time');
    expect(complaints).toEqual([]);
  });

  test('zooms by keys, and keeps the place in its address', async () => {
    const { page } = await stage.open('timeline');
    await page.getByRole('group', { name: /^Line of blocks/ }).focus();
    await page.keyboard.press('+');
    await expect.poll(() => new URL(page.url()).searchParams.has('from')).toBe(true);
    await page.keyboard.press('-');
    await page.keyboard.press('-');
    await expect.poll(() => new URL(page.url()).searchParams.has('from')).toBe(false);
  });

  test('compares two points, each changed slot once, from what it was to what it is', async () => {
    const { page } = await stage.open('timeline');
    await page.getByRole('button', { name: /^Compare 0x\w+ with the head/ }).click();
    const compare = page.getByRole('region', { name: 'Compare' });
    const nonce = compare.getByRole('row', { name: /account 0, ends \w+ nonce/ });
    await nonce.waitFor();
    await expect.poll(() => nonce.innerText()).toMatch(/nonce\s+1\s+3\s+\+2/);
    await compare.getByRole('row', { name: /\+7$/ }).waitFor();
    await page.getByRole('combobox', { name: 'from' }).selectOption({ label: 'genesis' });
    await expect.poll(() => nonce.innerText()).toMatch(/nonce\s+0\s+3\s+\+3/);
  });

  test('takes a snapshot with a name', async () => {
    const { page } = await stage.open('timeline');
    await page.getByLabel('name').fill('before the swap');
    await page.getByRole('button', { name: 'Take a snapshot' }).click();
    await page.getByRole('row', { name: /before the swap/ }).waitFor();
    expect((await snapshots()).map(([, name]) => name)).toEqual(['before the swap', 'deployed']);
  });

  test('going back says what is lost, keeps the point reachable, and is undone by one click', async () => {
    const { page } = await stage.open('timeline');
    await isLive(page);
    const before = await status();
    const id = (await snapshots()).at(-1)?.[0];
    await page.getByRole('button', { name: `Revert to ${id}` }).click();
    const sheet = page.getByRole('dialog');
    expect(await sheet.innerText()).toContain(
      `This removes ${before.block_count - 2} blocks, 3 transactions and 1 snapshot`,
    );
    await sheet.getByRole('button', { name: `Revert to ${id}` }).click();
    await page.getByText(`Reverted to ${id}.`).waitFor();
    expect((await status()).block_count).toBe(2);
    const after = await snapshots();
    expect(after.map(([, name]) => name)).toEqual(['deployed']);
    expect(after[0]?.[0]).not.toBe(id);
    await page.locator('.line-undone', { hasText: `${before.block_count - 2} blocks` }).waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect.poll(async () => (await status()).block_count).toBe(before.block_count);
    await expect
      .poll(() => page.getByRole('button', { name: 'Undo', exact: true }).count())
      .toBe(0);
    await page.locator('.connection', { hasText: 'live' }).waitFor();
  });

  test('a snapshot that somebody else used up is an error', async () => {
    const used = await stage.node.client.call('devnet_snapshot', {});
    const { page } = await stage.open('timeline');
    await page.getByRole('button', { name: `Revert to ${used}` }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel(/hold the present/).uncheck();
    await stage.node.client.call('devnet_revert', { snapshot_id: used });
    await sheet.getByRole('button', { name: `Revert to ${used}` }).click();
    await sheet
      .getByRole('alert')
      .getByText(`Snapshot ${used} was already used or is unknown.`)
      .waitFor();
  });

  test('without snapshots it says what one is', async () => {
    const empty = await setStage();
    try {
      const { page } = await empty.open('timeline');
      await page.getByText('There is no snapshot.').waitFor();
    } finally {
      await empty.close();
    }
  });

  test.each(['light', 'dark'] as const)('axe finds nothing, %s', async (colorScheme) => {
    const { page } = await stage.open('timeline?a=0&b=2', { colorScheme });
    await page.getByRole('region', { name: 'Compare' }).locator('tr[data-row]').first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test('nothing scrolls sideways on a phone', async () => {
    const { page } = await stage.open('timeline?a=0&b=2', {
      viewport: { width: 400, height: 800 },
    });
    await page.getByRole('region', { name: 'Compare' }).locator('tr[data-row]').first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400);
  });
});

test('two thousand blocks are bars, and a new one costs one request', async () => {
  const long = await setStage();
  try {
    for (let at = 0; at < 44; at++) {
      await Promise.all(
        Array.from({ length: 50 }, () => long.node.client.call('devnet_createBlock', {})),
      );
    }
    const { page, requests } = await long.open('timeline');
    await page.locator('.line-bar').first().waitFor();
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1_500);
    await page.waitForLoadState('networkidle');
    const asked = (): number => requests.filter((url) => url.endsWith('/rpc')).length;
    expect(asked()).toBeLessThanOrEqual(3);
    const before = asked();
    await long.node.client.call('devnet_createBlock', {});
    await page.locator('.line-head', { hasText: '#2,201' }).waitFor();
    await page.waitForTimeout(400);
    expect(asked() - before).toBeLessThanOrEqual(1);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.locator('.line-dots[d^=M]').waitFor();
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1_500);
  } finally {
    await long.close();
  }
}, 180_000);
