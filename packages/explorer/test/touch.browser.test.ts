import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentOf, isLive, type Stage, setStage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
  await stage.send(0, [stage.transfer(1, 5n)]);
}, 180_000);
afterAll(() => stage.close());

const status = () => stage.node.client.call('devnet_getStatus', {});
const balance = async (index: number): Promise<bigint> =>
  BigInt(
    (
      await stage.node.client.call('devnet_getAccountBalance', {
        address: stage.address(index),
        unit: 'FRI',
        block_id: 'pre_confirmed',
      })
    ).amount,
  );

describe('accounts', () => {
  test('mint by hand, and balances that are live', async () => {
    const { page } = await stage.open('accounts');
    await page.getByRole('button', { name: 'Mint to account 3' }).click();
    await page.getByLabel('amount').fill('2.5');
    const before = await balance(3);
    await page.getByRole('button', { name: 'Mint 2.5 STRK to account 3' }).click();
    await page.getByText('it holds 1,002.5 STRK now').waitFor();
    expect((await balance(3)) - before).toBe(2_500_000_000_000_000_000n);
    const cell = page.locator('tr', { hasText: 'account 4' }).locator('[data-balance=strk]');
    await expect.poll(() => cell.innerText()).toBe('1,000.000000');
    await stage.node.client.call('devnet_mint', {
      address: stage.address(4),
      amount: 10 ** 18,
      unit: 'FRI',
    });
    await expect.poll(() => cell.innerText(), { timeout: 30_000 }).toBe('1,001.000000');
  });

  test('a private key is asked for when it is wanted, and hidden again', async () => {
    const { page } = await stage.open('accounts');
    const key = stage.node.node.accounts[0]?.privateKey ?? '';
    const canonical = `0x${BigInt(key).toString(16)}`;
    await page.getByRole('button', { name: 'Show private key of account 0' }).waitFor();
    expect(await page.content()).not.toContain(canonical);
    await page.getByRole('button', { name: 'Show private key of account 0' }).click();
    await page.getByText(canonical).waitFor();
    await page.getByRole('button', { name: 'Hide', exact: true }).click();
    expect(await page.content()).not.toContain(canonical);
  });

  test('impersonation goes on and off', async () => {
    const { page } = await stage.open('accounts');
    await page.getByRole('button', { name: 'Impersonate account 5' }).click();
    await expect
      .poll(async () => (await status()).impersonated_accounts)
      .toEqual([stage.address(5)]);
    await expect
      .poll(() =>
        page.getByRole('button', { name: 'Impersonate account 5' }).getAttribute('aria-pressed'),
      )
      .toBe('true');
    await page.getByRole('button', { name: 'Impersonate account 5' }).click();
    await expect.poll(async () => (await status()).impersonated_accounts).toEqual([]);
  });
});

describe('control', () => {
  test('the clock moves, and no age turns negative', async () => {
    const { page } = await stage.open('control');
    await isLive(page);
    const before = await stage.node.client.call('starknet_getBlockWithTxHashes', {
      block_id: 'latest',
    });
    await page.getByRole('button', { name: '+1 d' }).click();
    await page.getByText('Move the clock by +1 d: block').first().waitFor();
    const after = await stage.node.client.call('starknet_getBlockWithTxHashes', {
      block_id: 'latest',
    });
    expect(after.timestamp - before.timestamp).toBeGreaterThanOrEqual(86_400);
    await page.locator('.strip', { hasText: '+1 d' }).waitFor();
    await page.getByRole('link', { name: 'Blocks' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Blocks' }).waitFor();
    await page.locator('tr[data-row]').first().waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/[-−]\d+ ?s/);
  });

  test('prices change by what is typed, and a changed one is marked', async () => {
    const { page } = await stage.open('control');
    await page.getByLabel('new l1 price in fri').fill('0.987654321');
    await page.getByRole('button', { name: 'Apply in a new block' }).click();
    await page.locator('[data-price=gas_price_fri]', { hasText: 'changed' }).waitFor();
    expect(await page.locator('[data-price=gas_price_fri]').innerText()).toContain(
      '0.987654321 gfri',
    );
    const block = await stage.node.client.call('starknet_getBlockWithTxHashes', {
      block_id: 'latest',
    });
    expect(BigInt(block.l1_gas_price.price_in_fri)).toBe(987_654_321n);
  });

  test('a block is created', async () => {
    const { page } = await stage.open('control');
    await isLive(page);
    const { block_count } = await status();
    await page.getByRole('button', { name: /^Create block/ }).click();
    await expect.poll(async () => (await status()).block_count).toBe(block_count + 1);
  });

  test('nothing is lost by one click, and a refused revert is no success', async () => {
    const { page } = await stage.open('control');
    await isLive(page);
    const { block_count } = await status();
    await page.getByRole('button', { name: 'Take a snapshot' }).click();
    await page.getByRole('button', { name: /^Revert to/ }).click();
    const sheet = page.getByRole('dialog');
    await sheet.waitFor();
    const id = /0x[0-9a-f]+/.exec(await sheet.innerText())?.[0] ?? '';
    // Somebody else uses it up meanwhile.
    await stage.node.client.call('devnet_revert', { snapshot_id: id });
    await sheet.getByLabel('keep a copy first').uncheck();
    await sheet.getByRole('button', { name: `Revert to ${id}` }).click();
    await page
      .getByRole('alert')
      .getByText(/already used|unknown|invalid/i)
      .first()
      .waitFor();
    expect((await status()).block_count).toBe(block_count);
  });

  test('a chain is kept as a file, and taken back from it', async () => {
    const { page } = await stage.open('control');
    await isLive(page);
    const { block_count } = await status();
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download an image' }).click();
    const image = {
      name: 'chain',
      mimeType: 'application/octet-stream',
      buffer: await contentOf(await file),
    };
    await stage.node.client.call('devnet_createBlock', {});
    await page.getByLabel('load a file').setInputFiles(image);
    const sheet = page.getByRole('dialog');
    expect(await sheet.innerText()).toContain('takes the place of this one');
    expect((await status()).block_count).toBe(block_count + 1);
    await sheet.getByLabel('keep a copy first').uncheck();
    await sheet.getByRole('button', { name: 'Load the chain' }).click();
    await expect.poll(async () => (await status()).block_count).toBe(block_count);
    const buffer = Buffer.from('[ no journal');
    const wrong = { name: 'wrong', mimeType: 'application/json', buffer };
    await page.getByLabel('load a file').setInputFiles(wrong);
    await page.getByText('neither an image nor a journal').waitFor();
  });

  test('a restart asks first, says what goes, and pages follow', async () => {
    const { page } = await stage.open('control');
    await isLive(page);
    const watching = await stage.open('blocks');
    await isLive(watching.page);
    const { block_count } = await status();
    await page.getByRole('button', { name: 'Restart the chain…' }).click();
    const sheet = page.getByRole('dialog');
    expect(await sheet.innerText()).toContain(`${block_count} blocks`);
    expect((await status()).block_count).toBe(block_count);
    await sheet.getByLabel('keep a copy first').uncheck();
    await sheet.getByRole('button', { name: 'Restart the chain' }).click();
    await expect.poll(async () => (await status()).block_count).toBe(1);
    await watching.page.getByText('The chain was restarted.').waitFor();
    await expect.poll(() => watching.page.locator('tr[data-row]').count()).toBe(1);
    // Heads are heard again afterwards.
    await stage.node.client.call('devnet_createBlock', {});
    await expect.poll(() => watching.page.locator('tr[data-row]').count()).toBe(2);
  });
});

describe('live lists', () => {
  test('a new transaction is there at once, for one request and one for a class never seen; then there is silence', async () => {
    const { page, requests } = await stage.open('transactions');
    await isLive(page);
    await page.waitForLoadState('networkidle');
    // Other pages are fetched beforehand; what counts is what the node is asked.
    const asked = (): number => requests.filter((url) => url.endsWith('/rpc')).length;
    const before = asked();
    const hash = await stage.send(1, [stage.transfer(0, 1n)]);
    await page.locator(`a[href="/ui/tx/${hash}"]`).first().waitFor({ timeout: 30_000 });
    await page.waitForTimeout(500);
    expect(asked() - before).toBeLessThanOrEqual(2);
    const idle = asked();
    await page.waitForTimeout(2_500);
    expect(asked()).toBe(idle);
  });

  test('rows do not move under the pointer', async () => {
    const { page } = await stage.open('transactions');
    await isLive(page);
    await page.locator('tr[data-row]').first().hover();
    const rows = page.locator('tr[data-row]');
    const first = await rows.first().locator('td').last().innerText();
    const place = await rows.first().boundingBox();
    await stage.send(1, [stage.transfer(0, 1n)]);
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await rows.first().locator('td').last().innerText()).toBe(first);
    expect(await rows.first().boundingBox()).toEqual(place);
    await page.getByRole('button', { name: '1 new' }).click();
    await expect.poll(() => page.getByRole('button', { name: '1 new' }).count()).toBe(0);
  });
});

test('a node that is gone is missed, and nothing pretends otherwise', async () => {
  const lost = await setStage();
  try {
    const { page } = await lost.open('control');
    await isLive(page);
    await lost.node.close();
    await page.locator('.connection', { hasText: 'reconnecting' }).waitFor();
    expect(
      await page.getByRole('button', { name: /^Create block/ }).getAttribute('aria-disabled'),
    ).toBe('true');
    await page
      .locator('.connection', { hasText: 'node not reachable since' })
      .waitFor({ timeout: 30_000 });
    expect(await page.locator('.strip').innerText()).not.toContain('live');
  } finally {
    await lost.close().catch(() => {});
  }
}, 180_000);
