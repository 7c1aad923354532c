// Tokens: their page, balances of accounts in all of them, and amounts with their decimals wherever they are shown.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failCalls, isLive, openLive, STRK, type Stage, setStage } from '../support/stage.js';

const UNIT = 10n ** 18n;
const HOLDERS = 230;
/** Holders of small amounts: no account and no contract. */
const FIRST_HOLDER = 0x1000;

let stage: Stage;
let gold: string;
let silver: string;
let transfer: string;

const deployToken = async (name: string, symbol: string): Promise<string> => {
  const asFelt = (text: string): string => `0x${Buffer.from(text).toString('hex')}`;
  return stage.deploy('token', [
    asFelt(name),
    asFelt(symbol),
    String(1_000n * UNIT),
    '0',
    stage.address(0),
  ]);
};

beforeAll(async () => {
  stage = await setStage();
  gold = await deployToken('Gold', 'GLD');
  for (let first = 0; first < HOLDERS; first += 46) {
    await stage.send(
      0,
      Array.from({ length: 46 }, (_, at) => ({
        contractAddress: gold,
        entrypoint: 'transfer',
        calldata: [FIRST_HOLDER + first + at, UNIT / 1000n, 0n],
      })),
    );
  }
  silver = await deployToken('Silver', 'SLV');
  await stage.send(0, [
    {
      contractAddress: silver,
      entrypoint: 'transfer',
      calldata: [stage.address(1), 40n * UNIT, 0n],
    },
  ]);
  transfer = await stage.send(0, [
    {
      contractAddress: gold,
      entrypoint: 'transfer',
      calldata: [stage.address(1), (25n * UNIT) / 10n, 0n],
    },
  ]);
});
afterAll(() => stage.close());

describe('the page of a token', () => {
  const table = (page: Page, label: string) => page.getByRole('table', { name: label });

  test('says that it could not be read, and not that it is no token, if the node fails', async () => {
    const { page } = await stage.open('node');
    await failCalls(page, 'starknet_call');
    await page.goto(`${stage.origin}/ui/token/${gold}`);
    await page.getByRole('alert').getByText('Could not read the token.').waitFor();
    expect(await page.locator('main').innerText()).not.toContain('is not a token');
  });

  test('shows supply, all holders by balance with their share, and transfers live', async () => {
    const { page, complaints } = await stage.open(`token/${gold}`, {
      viewport: { width: 1440, height: 900 },
    });
    await isLive(page);
    await page.getByRole('heading', { level: 1, name: 'Gold' }).waitFor();
    await page.getByText('1,000 GLD', { exact: true }).waitFor();
    const holders = page.getByRole('region', { name: 'Holders' });
    // Each holder has one slot; 200 slots are read at first.
    await holders.getByText(/in the first 200 storage slots/).waitFor();
    await holders.getByRole('button', { name: 'Read 200 more slots' }).click();
    await holders.getByText(`${HOLDERS + 2} holders in all`).waitFor();
    expect(await holders.getByRole('button', { name: /more slots/ }).count()).toBe(0);
    const rows = table(page, 'Holders').locator('tbody tr');
    await expect
      .poll(() => rows.first().innerText())
      .toMatch(/account 0[\s\S]*997\.27[\s\S]*99\.7/);
    expect(await rows.nth(1).innerText()).toMatch(/account 1[\s\S]*2\.5[\s\S]*0\.25 %/);
    // Rows outside of the window are not rendered.
    await page.evaluate(() => scrollTo(0, 0));
    const transfers = table(page, 'Transfers').locator('tr[data-row]');
    await expect.poll(() => transfers.first().innerText()).toMatch(/account 0\s+account 1\s+2\.5/);
    await stage.send(1, [
      { contractAddress: gold, entrypoint: 'transfer', calldata: [stage.address(2), UNIT, 0n] },
    ]);
    await expect.poll(() => transfers.first().innerText()).toMatch(/account 1\s+account 2\s+1/);
    await expect.poll(() => rows.nth(1).innerText()).toMatch(/account 1[\s\S]*1\.5/);
    await expect.poll(() => rows.nth(2).innerText()).toMatch(/account 2[\s\S]*1[\s\S]*0\.1 %/);
    expect(complaints).toEqual([]);
  });

  test('shows balances with all decimals, and no rounded share of nearly all', async () => {
    const { page } = await stage.open(`token/${STRK}`, { viewport: { width: 1024, height: 900 } });
    const holders = table(page, 'Holders');
    await holders.getByText('minter').waitFor();
    expect(await holders.getByRole('columnheader').allInnerTexts()).toEqual([
      'Holder',
      'STRK',
      'Share',
    ]);
    expect(await holders.locator('tr', { hasText: 'minter' }).innerText()).toContain('> 99.99 %');
    const row = holders.locator('tr', { hasText: 'account 0' });
    const { amount } = await stage.node.client.call('devnet_getAccountBalance', {
      address: stage.address(0),
      unit: 'FRI',
      block_id: 'pre_confirmed',
    });
    const decimals = BigInt(amount).toString().slice(-18).replace(/0+$/, '');
    await expect.poll(() => row.locator('data').innerText()).toMatch(new RegExp(`\\.${decimals}$`));
  });

  test('is a tab of its contract, and says of another contract that it is no token', async () => {
    const { page } = await stage.open(`contract/${silver}`);
    await page.getByRole('link', { name: 'Token page' }).waitFor();
    await page.getByRole('link', { name: 'Token', exact: true }).click();
    await table(page, 'Holders').getByText('account 1').waitFor();
    const other = await stage.open(`token/${stage.address(0)}`);
    await other.page.getByText('is not a token').waitFor();
  });
});

test('an account has its balances in all tokens, on its page and in the list of accounts', async () => {
  const { page } = await openLive(stage, `contract/${stage.address(1)}`);
  const main = page.locator('main');
  for (const symbol of ['STRK', 'ETH', 'GLD', 'SLV']) {
    await expect.poll(() => main.innerText()).toMatch(new RegExp(`\\d ${symbol}\\b`));
  }
  expect(await main.innerText()).toContain('40 SLV');
  await page.goto(`${stage.origin}/ui/accounts`);
  const row = page
    .getByRole('table', { name: 'Predeployed accounts' })
    .locator('tr[data-row]')
    .filter({ hasText: 'account 1' });
  await expect.poll(() => row.innerText()).toMatch(/GLD/);
  expect(await row.innerText()).toContain('40 SLV');
  await row.getByRole('link', { name: /SLV/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Silver' }).waitFor();
});

describe('an amount of a token has its decimals and symbol', () => {
  test('in calls and events of a transaction', async () => {
    const { page } = await stage.open(`tx/${transfer}`);
    await expect
      .poll(() => page.getByRole('treegrid').innerText())
      .toMatch(/Gold\.transfer\(account 1, 2\.5 GLD\)/);
    await page.getByRole('link', { name: /^Events \d/ }).click();
    await page
      .getByText('Transfer(from: account 0, to: account 1, value: 2.5 GLD)')
      .first()
      .waitFor();
  });

  test('in state changes', async () => {
    const { page } = await stage.open(`tx/${transfer}?tab=state`);
    const row = page
      .getByRole('table', { name: 'State changes' })
      .locator('tr[data-row]', { hasText: 'balances[account 1]' });
    await expect.poll(() => row.innerText()).toContain('+2.5 GLD');
    expect(await page.locator('main').innerText()).not.toContain(String((25n * UNIT) / 10n));
  });

  test('in the storage of the contract', async () => {
    const { page } = await stage.open(`contract/${silver}?tab=storage`);
    const row = page.locator('tr[data-row]').filter({ hasText: 'balances[account 1]' });
    await expect.poll(() => row.innerText()).toContain('40 SLV');
    const supply = page.locator('tr[data-row]').filter({ hasText: 'supply' });
    expect(await supply.innerText()).toContain('1,000 SLV');
  });

  test('in the form of a call, and in what a view returns', async () => {
    const { page } = await stage.open(`contract/${silver}?tab=interact`);
    await page.getByText('1,000 SLV').first().waitFor();
    await page.getByRole('button', { name: 'transfer', exact: true }).click();
    await page.getByLabel('recipient').fill('account 3');
    await page.getByLabel('amount').fill('1.5 SLV');
    await page.getByText('= 1,500,000,000,000,000,000').waitFor();
    await page.getByLabel('amount').press('Control+Enter');
    await page.getByText('Would succeed').waitFor();
    await expect
      .poll(() => page.locator('main').innerText())
      .toContain('Transfer(from: account 0, to: account 3, value: 1.5 SLV)');
  });
});

test('the calls tab lists calls that contracts made inside of transactions, and who made them', async () => {
  const reverter = await stage.deploy('reverter');
  const hash = await stage.send(1, [
    { contractAddress: reverter, entrypoint: 'recurse', calldata: ['3'] },
  ]);
  const { page } = await stage.open(`contract/${reverter}?tab=calls`);
  const rows = page.getByRole('table', { name: 'Calls' }).locator('tr[data-row]');
  await expect.poll(() => rows.count()).toBeGreaterThan(3);
  await page.getByRole('button', { name: 'From contracts' }).click();
  await expect.poll(() => rows.filter({ hasText: 'account 1' }).count()).toBe(0);
  expect(await rows.first().innerText()).toMatch(/reverter[\s\S]*recurse\(/);
  await page.getByRole('button', { name: 'From accounts' }).click();
  await expect.poll(() => rows.count()).toBe(1);
  expect(await rows.innerText()).toMatch(/account 1[\s\S]*recurse\([^)]*3\)/);
  await rows.locator(`a[href*="/ui/tx/${hash}"]`).first().click();
  await page.getByRole('treegrid').waitFor();
});

test('events of a contract are filtered by kind, with a column for each member, and the address keeps the kind', async () => {
  await stage.send(2, [
    {
      contractAddress: STRK,
      entrypoint: 'approve',
      calldata: [stage.address(3), 7n * UNIT, 0n],
    },
  ]);
  const { page } = await stage.open(`contract/${STRK}?tab=events`);
  const rows = page.getByRole('table', { name: /Events/ }).locator('tr[data-row]');
  await expect.poll(() => rows.count()).toBeGreaterThan(5);
  await page.getByRole('button', { name: 'Approval' }).click();
  await expect.poll(() => rows.count()).toBe(1);
  expect(new URL(page.url()).searchParams.get('kind')).toMatch(/Approval$/);
  expect(await rows.innerText()).toMatch(/account 2[\s\S]*account 3[\s\S]*7 STRK/);
  await page.reload();
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByRole('columnheader', { name: 'spender' }).waitFor();
});
