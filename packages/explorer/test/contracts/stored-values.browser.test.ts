// Storage of a contract: each value is one row, whole, and is edited as one.
/// <reference lib="dom" />

import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { num, shortString } from 'starknet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { classTextWithPlaces } from '../../../../contracts/classes.js';
import { openLive, type Stage, setStage } from '../support/stage.js';

const FILE = 'contracts/src/ledger.cairo';
const UNIT = 10n ** 18n;
/** Two words and a rest. */
const TITLE = 'A ledger whose title is longer than sixty-two characters, to the end.';
const LARGE = (1n << 200n) + 12_345n;

let stage: Stage;
let ledger: string;
let gold: string;

/** Felts of a byte array. */
function byteArray(text: string): string[] {
  const words = text.match(/.{31}/gs) ?? [];
  const rest = text.slice(words.length * 31);
  return [
    String(words.length),
    ...words.map((word) => shortString.encodeShortString(word)),
    rest === '' ? '0x0' : shortString.encodeShortString(rest),
    String(rest.length),
  ];
}

const halves = (value: bigint): string[] => [
  String(value & ((1n << 128n) - 1n)),
  String(value >> 128n),
];

beforeAll(async () => {
  stage = await setStage();
  const artifact = JSON.parse(await classTextWithPlaces('ledger'));
  // The types of variables are in the source.
  const source = await readFile(new URL(`../../../../${FILE}`, import.meta.url), 'utf8');
  await stage.node.client.call('devnet_addArtifact', { artifact, sources: { [FILE]: source } });
  ledger = await stage.deploy('ledger', [stage.address(0)]);
  const call = (entrypoint: string, calldata: string[]) => ({
    contractAddress: ledger,
    entrypoint,
    calldata,
  });
  await stage.send(1, [
    call('rename', byteArray(TITLE)),
    call('approve', [stage.address(2), ...halves(LARGE)]),
    call('open', [...halves(LARGE), '1700000000']),
    call('note', ['11']),
    call('note', ['22']),
    call('note', ['33']),
  ]);
  gold = await stage.deploy('token', [
    '0x476f6c64',
    '0x474c44',
    ...halves(1_000n * UNIT),
    stage.address(0),
  ]);
});
afterAll(() => stage.close());

const rowsOf = (page: Page, text: string | RegExp) =>
  page.getByRole('table', { name: 'Storage' }).locator('tr[data-row]').filter({ hasText: text });

const view = async (contractAddress: string, entrypoint: string, calldata: string[] = []) =>
  (
    await stage.node.provider.callContract(
      { contractAddress, entrypoint, calldata },
      'pre_confirmed',
    )
  ).map((felt) => BigInt(felt));

/** Applies the staged changes. */
async function apply(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Apply 1 change…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply 1 change' }).click();
  await expect.poll(() => page.locator('tr.staged').count()).toBe(0);
}

describe('a value', () => {
  test('of several slots is one row with its name and its whole content', async () => {
    const { page, complaints } = await stage.open(`contract/${ledger}?tab=storage`, {
      viewport: { width: 1440, height: 900 },
    });
    const title = rowsOf(page, /^title/);
    await expect.poll(() => title.innerText()).toContain(TITLE);
    expect(await title.count()).toBe(1);
    const allowance = rowsOf(page, /allowances\[account 1[,\]].*account 2/);
    expect(await allowance.count()).toBe(1);
    expect((await allowance.innerText()).replaceAll(',', '')).toContain(String(LARGE));
    const position = rowsOf(page, /positions\[account 1\]/);
    expect(await position.count()).toBe(1);
    const positionText = (await position.innerText()).replaceAll(',', '');
    expect(positionText).toMatch(/amount/);
    expect(positionText).toContain(String(LARGE));
    expect(positionText).toContain('1700000000');
    const entries = rowsOf(page, /^entries/);
    expect(await entries.count()).toBe(1);
    expect(await entries.innerText()).toMatch(/11[\s\S]*22[\s\S]*33/);
    // Each slot has a name.
    expect(await rowsOf(page, /^0x/).count()).toBe(0);
    // No value is cut: its text needs no more room than it has.
    const cut = await page.locator('tr[data-row] data.number').evaluateAll(
      (numbers) =>
        numbers.filter((part) => {
          const cell = part.closest('td');
          return cell !== null && cell.scrollWidth > cell.clientWidth + 1;
        }).length,
    );
    expect(cut).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('u256 of a token has its decimals, and one edit writes both halves', async () => {
    const { page } = await openLive(stage, `contract/${gold}?tab=storage`);
    const supply = rowsOf(page, /^supply/);
    await expect.poll(() => supply.innerText()).toContain('1,000 GLD');
    expect(await supply.count()).toBe(1);
    await supply.getByRole('button', { name: 'Edit supply' }).click();
    const field = page.getByLabel('New value of supply');
    await field.fill('1.5 GLD');
    await page.getByText('= 1.5 GLD').waitFor();
    await field.fill(String(LARGE));
    await field.press('Enter');
    await expect.poll(() => page.locator('tr.staged').count()).toBe(1);
    // Nothing is written before it is applied.
    expect(await view(gold, 'total_supply')).toEqual([1_000n * UNIT, 0n]);
    await apply(page);
    expect(await view(gold, 'total_supply')).toEqual(halves(LARGE).map(BigInt));
  });

  test('ByteArray is edited as one string', async () => {
    const { page } = await openLive(stage, `contract/${ledger}?tab=storage`);
    await rowsOf(page, /^title/)
      .getByRole('button', { name: 'Edit title' })
      .click();
    const longer = `${TITLE} And ${'more '.repeat(12)}`;
    await page.getByLabel('New value of title').fill(longer);
    await page.getByLabel('New value of title').press('Enter');
    await apply(page);
    // A long string is folded until it is asked for.
    await rowsOf(page, /^title/)
      .getByText('Show the string')
      .click();
    await expect.poll(() => rowsOf(page, /^title/).innerText()).toContain(longer.trim());
    await rowsOf(page, /^title/)
      .getByRole('button', { name: 'Edit title' })
      .click();
    await page.getByLabel('New value of title').fill('short');
    await page.getByLabel('New value of title').press('Enter');
    await apply(page);
    await expect.poll(() => rowsOf(page, /^title/).innerText()).toContain('short');
    // No word of the longer title is left.
    expect(await rowsOf(page, /^0x/).count()).toBe(0);
    expect(await rowsOf(page, /^title/).count()).toBe(1);
  });

  test('struct is edited in one dialog, and a vector with its items', async () => {
    const { page } = await openLive(stage, `contract/${ledger}?tab=storage`);
    await rowsOf(page, /positions\[account 1\]/)
      .getByRole('button', { name: /^Edit positions/ })
      .click();
    const sheet = page.getByRole('dialog', { name: /^Edit positions/ });
    expect(await sheet.getByLabel(/^amount/).inputValue()).toMatch(
      new RegExp(`${LARGE}|${num.toHex(LARGE)}`),
    );
    await sheet.getByLabel(/^amount/).fill('x');
    await sheet.getByRole('button', { name: 'Stage' }).click();
    expect(await sheet.getByLabel(/^amount/).getAttribute('aria-invalid')).toBe('true');
    await sheet.getByLabel(/^amount/).fill('77');
    await sheet.getByLabel(/^is_open/).selectOption('false');
    await sheet.getByRole('button', { name: 'Stage' }).click();
    await apply(page);
    expect(await view(ledger, 'get_position', [stage.address(1)])).toEqual([
      77n,
      0n,
      1_700_000_000n,
      0n,
    ]);
    await rowsOf(page, /^entries/)
      .getByRole('button', { name: 'Edit entries' })
      .click();
    const items = page.getByRole('dialog', { name: 'Edit entries' });
    await items.getByRole('button', { name: 'Remove the last item' }).click();
    await items.getByRole('button', { name: 'Stage' }).click();
    await apply(page);
    await expect.poll(() => rowsOf(page, /^entries/).innerText()).not.toContain('33');
    expect(await rowsOf(page, /^entries/).innerText()).toMatch(/11[\s\S]*22/);
  });
});

test('values are filtered by variable, key and value', async () => {
  const { page } = await stage.open(`contract/${ledger}?tab=storage`);
  await rowsOf(page, /^title/).waitFor();
  const all = await page.locator('tr[data-row]').count();
  await page.getByLabel('Filter').fill('allow');
  await expect.poll(() => rowsOf(page, '').count()).toBe(1);
  await page.getByText(/^1 of \d+ values/).waitFor();
  await page.getByLabel('Filter').fill(String(LARGE));
  await expect.poll(() => rowsOf(page, /allowances/).count()).toBe(1);
  await page.getByLabel('Filter').fill('');
  await expect.poll(() => page.locator('tr[data-row]').count()).toBe(all);
});
