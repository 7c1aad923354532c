// Page of the timeline: snapshots, zoom, comparison and going back.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLive, STRK, type Stage, setStage } from '../support/stage.js';

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
});
afterAll(() => stage.close());

const status = () => stage.node.client.call('devnet_getStatus', {});
const snapshots = async () =>
  (await stage.node.client.call('devnet_listSnapshots', {})).snapshots.map(
    ({ snapshot_id, name }) => [snapshot_id, name],
  );

describe('the page', () => {
  test('shows snapshots, failures and the jump of the clock', async () => {
    const { page, complaints } = await stage.open('timeline');
    await page.locator('.line-snapshot').waitFor();
    expect(await page.locator('.line-snapshot').textContent()).toBe('deployed');
    const chart = page.locator('.line-frame');
    expect(await chart.locator('.line-bars').getAttribute('d')).toMatch(/^M/);
    expect(await chart.locator('.line-failed').getAttribute('d')).toMatch(/^M[^M]+$/);
    expect(await chart.getAttribute('aria-label')).toContain('1 bar with failures');
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

  test('zooms by keys, and stores the range in the address', async () => {
    const { page } = await stage.open('timeline');
    await page.getByRole('group', { name: /^Timeline of blocks/ }).focus();
    await page.keyboard.press('+');
    await expect.poll(() => new URL(page.url()).searchParams.has('from')).toBe(true);
    await page.keyboard.press('-');
    await page.keyboard.press('-');
    await expect.poll(() => new URL(page.url()).searchParams.has('from')).toBe(false);
  });

  test('compares two points, with one row per changed slot', async () => {
    const { page } = await stage.open('timeline');
    await page.getByRole('button', { name: /^Compare 0x\w+ with the head/ }).click();
    const compare = page.getByRole('region', { name: 'Compare' });
    const nonce = compare
      .locator('tbody')
      .filter({ has: page.getByRole('rowheader', { name: /^account 0, ends/ }) })
      .getByRole('row', { name: /^nonce/ });
    await nonce.waitFor();
    await expect.poll(() => nonce.innerText()).toMatch(/nonce\s+1\s+3\s+\+2/);
    await compare.getByRole('row', { name: /\+7 fri$/ }).waitFor();
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

  test('a revert lists what is lost, and is undone by one click', async () => {
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

  test('a snapshot that another client used up is an error', async () => {
    const usedSnapshot = await stage.node.client.call('devnet_snapshot', {});
    const { page } = await stage.open('timeline');
    await page.getByRole('button', { name: `Revert to ${usedSnapshot}` }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel(/keep the current chain/).uncheck();
    await stage.node.client.call('devnet_revert', { snapshot_id: usedSnapshot });
    await sheet.getByRole('button', { name: `Revert to ${usedSnapshot}` }).click();
    await sheet
      .getByRole('alert')
      .getByText(`Snapshot ${usedSnapshot} was already used or is unknown.`)
      .waitFor();
  });

  test('explains snapshots when there is none', async () => {
    const empty = await setStage();
    try {
      const { page } = await empty.open('timeline');
      await page.getByText('No snapshots yet.').waitFor();
    } finally {
      await empty.close();
    }
  });
});

test('2,200 blocks are drawn as bars, and a new block costs one request', async () => {
  const long = await setStage();
  try {
    for (let at = 0; at < 2_200; at++) await long.node.node.request('devnet_createBlock');
    const { page, requests, settled } = await long.open('timeline');
    const bars = page.locator('.line-frame .line-empty');
    const countBars = async () => (await bars.getAttribute('d'))?.match(/M/g)?.length ?? 0;
    await page.getByText('transactions per block, by the last 40 of every 64 blocks').waitFor();
    await expect.poll(countBars).toBe(35);
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1_500);
    await settled();
    const countCalls = (): number => requests.filter((url) => url.endsWith('/rpc')).length;
    expect(countCalls()).toBeLessThanOrEqual(3);
    const before = countCalls();
    await long.node.client.call('devnet_createBlock', {});
    await page.locator('.line-head', { hasText: '#2,201' }).waitFor();
    await settled();
    expect(countCalls() - before).toBeLessThanOrEqual(1);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(countBars).toBeGreaterThan(100);
    expect(await page.getByText('transactions per block').count()).toBe(0);
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1_500);
  } finally {
    await long.close();
  }
});
