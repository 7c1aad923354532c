// Page of events: filters, order, completeness and live updates.
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Page } from 'playwright-core';
import { hash } from 'starknet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLive, STRK, type Stage, setStage, showsHead } from '../support/stage.js';

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
});
afterAll(() => stage.close());

const rows = (page: Page) => page.getByRole('table', { name: 'Events' }).locator('tr[data-row]');
const count = async (page: Page): Promise<number> =>
  Number(await page.getByRole('table', { name: 'Events' }).getAttribute('aria-rowcount')) - 1;

async function addFilter(page: Page, label: string, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Add filter' }).click();
  await page.getByRole('button', { name: label, exact: true }).click();
  await page.getByRole('textbox', { name: label }).fill(value);
  await page.getByRole('button', { name: 'Apply' }).click();
}

describe('the page', () => {
  test('shows decoded events, newest first', async () => {
    const { page, complaints } = await stage.open('events?name=Transfer');
    await rows(page)
      .filter({ hasText: 'Transfer(from: account 1, to: account 3, value: 6 fri)' })
      .waitFor();
    const text = await page.getByRole('table', { name: 'Events' }).innerText();
    expect(text.indexOf('6 fri')).toBeLessThan(text.indexOf('5 fri'));
    expect(complaints).toEqual([]);
  });

  test('shows all events of a contract that emits many, with few elements', async () => {
    const { page } = await stage.open(`events?address=${emitter}`);
    await rows(page).first().waitFor();
    expect(await count(page)).toBe(BATCH);
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1_500);
  });

  test('filters by fields, and stores the filter in the address', async () => {
    const { page } = await stage.open('events');
    await addFilter(page, 'Contract', 'STRK');
    await addFilter(page, 'From block', '3');
    await addFilter(page, 'To block', '3');
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
    await page.getByRole('button', { name: 'Clear Contract' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('address')).toBe(null);
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByRole('button', { name: 'Keys', exact: true }).click();
    await page.getByRole('textbox', { name: 'Keys' }).fill('nonsense');
    await page.getByText('Keys are felts').waitFor();
  });

  test('shows the filter as JSON that the node accepts', async () => {
    const { page } = await stage.open(`events?address=${STRK}&name=Transfer&from=1`);
    await page.getByText('As a request').click();
    const filter = JSON.parse(await page.getByLabel('JSON').first().innerText());
    expect(filter.keys).toEqual([[hash.getSelectorFromName('Transfer')]]);
    const { events } = await stage.node.client.call('starknet_getEvents', { filter });
    await rows(page).first().waitFor();
    expect(await count(page)).toBe(events.length);
  });

  test('adds new events that match the filter, with a request for a block', async () => {
    const { page, requests, settled } = await stage.open(`events?address=${STRK}`);
    await isLive(page);
    await rows(page).first().waitFor();
    await stage.send(1, [stage.transfer(4, 77n)]);
    await rows(page).filter({ hasText: '77 fri' }).waitFor();
    await settled();
    const before = await count(page);
    const callCount = requests.filter((url) => url.endsWith('/rpc')).length;
    await stage.node.client.call('devnet_createBlock', {});
    await showsHead(stage, page);
    await settled();
    expect(await count(page)).toBe(before);
    expect(requests.filter((url) => url.endsWith('/rpc')).length - callCount).toBeLessThanOrEqual(
      1,
    );
  });

  test('counts new events instead of moving rows', async () => {
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
});
