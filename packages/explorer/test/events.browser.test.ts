// Events are found by who told what when, newest first, with nothing left out, and come by themselves.
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Page } from 'playwright-core';
import { hash } from 'starknet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keysOf, readFilter, readKeys } from '../src/features/events/filter.js';
import { faultsOf } from './support/accessibility.js';
import { isLive, STRK, type Stage, setStage } from './support/stage.js';

let stage: Stage;
let emitter: string;
const BATCH = 620;

beforeAll(async () => {
  stage = await setStage();
  emitter = await stage.deploy('emitter');
  await stage.send(1, [stage.transfer(2, 5n)]);
  await stage.send(0, [
    { contractAddress: emitter, entrypoint: 'emit_batch', calldata: [`${BATCH}`, '1', '1'] },
  ]);
  await stage.send(1, [stage.transfer(3, 6n)]);
}, 180_000);
afterAll(() => stage.close());

const rows = (page: Page) => page.getByRole('table', { name: 'Events' }).locator('tr[data-row]');
const count = async (page: Page): Promise<number> =>
  Number(await page.getByRole('table', { name: 'Events' }).getAttribute('aria-rowcount')) - 1;

describe('a filter', () => {
  test('is read from an address, and a name is a key', () => {
    expect(readKeys('0x01|0x2, *, 0x3')).toEqual([['0x1', '0x2'], [], ['0x3']]);
    expect(readKeys('')).toEqual([]);
    expect(readKeys('nonsense')).toBe(undefined);
    const filter = readFilter(new URLSearchParams({ name: 'Transfer', keys: '*,0x7', from: '-1' }));
    expect(filter.from).toBe(undefined);
    expect(keysOf(filter)).toEqual([[hash.getSelectorFromName('Transfer')], ['0x7']]);
  });
});

describe('the page', () => {
  test('shows events in words, the newest first', async () => {
    const { page, complaints } = await stage.open('events?name=Transfer');
    await rows(page)
      .filter({ hasText: 'Transfer(from: account 1, to: account 3, value: 6 fri)' })
      .waitFor();
    const text = await page.getByRole('table', { name: 'Events' }).innerText();
    expect(text.indexOf('6 fri')).toBeLessThan(text.indexOf('5 fri'));
    expect(complaints).toEqual([]);
  });

  test('leaves nothing out where a contract tells much, and stays small', async () => {
    const { page } = await stage.open(`events?address=${emitter}`);
    await rows(page).first().waitFor();
    expect(await count(page)).toBe(BATCH);
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1_500);
  });

  test('is narrowed by what is typed, and the address keeps it', async () => {
    const { page } = await stage.open('events');
    await page.getByLabel('source').fill('STRK');
    await page.getByLabel('from block').fill('3');
    await page.getByLabel('to block').fill('3');
    await page.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('address')).toBe(STRK);
    await rows(page).filter({ hasText: '5 fri' }).waitFor();
    const { events } = await stage.node.client.call('starknet_getEvents', {
      filter: {
        address: STRK,
        from_block: { block_number: 3 },
        to_block: { block_number: 3 },
        chunk_size: 100,
      },
    });
    expect(await count(page)).toBe(events.length);
    await page.getByLabel('keys').fill('nonsense');
    await page.getByText('Keys are felts').waitFor();
  });

  test('gives the same question as JSON, which a node answers', async () => {
    const { page } = await stage.open(`events?address=${STRK}&name=Transfer&from=1`);
    await page.getByText('As filter').click();
    const filter = JSON.parse(await page.getByLabel('JSON').first().innerText());
    expect(filter.keys).toEqual([[hash.getSelectorFromName('Transfer')]]);
    const { events } = await stage.node.client.call('starknet_getEvents', { filter });
    await rows(page).first().waitFor();
    expect(await count(page)).toBe(events.length);
  });

  test('tells of new ones by itself, only of those that are wanted, and asks for nothing', async () => {
    const { page, requests } = await stage.open(`events?address=${STRK}`);
    await isLive(page);
    await rows(page).first().waitFor();
    await stage.send(1, [stage.transfer(4, 77n)]);
    await rows(page).filter({ hasText: '77 fri' }).waitFor({ timeout: 30_000 });
    const before = await count(page);
    await page.waitForTimeout(500);
    expect(await count(page)).toBe(before);
    const asked = requests.filter((url) => url.endsWith('/rpc')).length;
    await stage.node.client.call('devnet_createBlock', {});
    await page.waitForTimeout(500);
    expect(requests.filter((url) => url.endsWith('/rpc')).length).toBe(asked);
  });

  test('counts what is new while it must not move', async () => {
    const { page } = await stage.open(`events?address=${STRK}&mode=live`);
    await isLive(page);
    await rows(page).first().waitFor();
    const before = await count(page);
    await stage.send(1, [stage.transfer(4, 78n)]);
    await page.getByRole('button', { name: '2 new' }).click();
    await rows(page).filter({ hasText: '78 fri' }).waitFor();
    expect(await count(page)).toBe(before + 2);
  });

  test('says when nothing matches', async () => {
    const { page } = await stage.open('events?name=Nothing');
    await page.getByText('No event matches.').waitFor();
  });

  test.each(['light', 'dark'] as const)('axe finds nothing, %s', async (colorScheme) => {
    const { page } = await stage.open('events', { colorScheme });
    await rows(page).first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  test('nothing scrolls sideways on a phone', async () => {
    const { page } = await stage.open('events', { viewport: { width: 400, height: 800 } });
    await rows(page).first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400);
  });
});
