// Page of control: clock, prices, blocks, snapshots, files and restart.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentOf, isLive, type Stage, setStage } from '../support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
  await stage.send(0, [stage.transfer(1, 5n)]);
});
afterAll(() => stage.close());

const status = () => stage.node.client.call('devnet_getStatus', {});

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

  test('prices are changed, and a changed one is marked', async () => {
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

  test('several blocks are created, and settings of blocks change', async () => {
    const { page } = await stage.open('control');
    await isLive(page);
    const { block_count } = await status();
    await page.getByLabel('blocks', { exact: true }).fill('3');
    await page.getByLabel('seconds apart', { exact: true }).fill('60');
    await page.getByRole('button', { name: 'Create several' }).click();
    await expect.poll(async () => (await status()).block_count).toBe(block_count + 3);
    await page.getByLabel('time step', { exact: true }).fill('12');
    await page.getByRole('button', { name: 'Set time step' }).click();
    await page.getByText('12 s from block to block').waitFor();
    await page.getByLabel('time step', { exact: true }).fill('none');
    await page.getByRole('button', { name: 'Set time step' }).click();
    await page.getByText('time passes as it really does').waitFor();
  });

  test('a balance is set in a token contract', async () => {
    const { page } = await stage.open('control');
    await isLive(page);
    await page
      .getByLabel('token contract', { exact: true })
      .fill(stage.node.node.tokens.eth.address);
    await page.getByLabel('holder', { exact: true }).fill('0xabc');
    await page.getByLabel('balance', { exact: true }).fill('77');
    await page.getByRole('button', { name: 'Set balance' }).click();
    await page.getByText('holds 77').first().waitFor();
    const params = { address: '0xabc', unit: 'WEI' };
    const { amount } = await stage.node.client.call('devnet_getAccountBalance', params);
    expect(amount).toBe('77');
  });

  test('a revert asks first, and a refused one is an error', async () => {
    const { page } = await stage.open('control');
    await isLive(page);
    const { block_count } = await status();
    await page.getByRole('button', { name: 'Take a snapshot' }).click();
    await page.getByRole('button', { name: /^Revert to/ }).click();
    const sheet = page.getByRole('dialog');
    await sheet.waitFor();
    const id = /0x[0-9a-f]+/.exec(await sheet.innerText())?.[0] ?? '';
    // Another client uses it up meanwhile.
    await stage.node.client.call('devnet_revert', { snapshot_id: id });
    await sheet.getByLabel('download an image first').uncheck();
    await sheet.getByRole('button', { name: `Revert to ${id}` }).click();
    await page
      .getByRole('alert')
      .getByText(/already used|unknown|invalid/i)
      .first()
      .waitFor();
    expect((await status()).block_count).toBe(block_count);
  });

  test('a chain is saved to a file and loaded from it', async () => {
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
    expect(await sheet.innerText()).toContain('replaces this one');
    expect((await status()).block_count).toBe(block_count + 1);
    await sheet.getByLabel('download an image first').uncheck();
    await sheet.getByRole('button', { name: 'Load the chain' }).click();
    await expect.poll(async () => (await status()).block_count).toBe(block_count);
    const buffer = Buffer.from('[ no journal');
    const wrong = { name: 'wrong', mimeType: 'application/json', buffer };
    await page.getByLabel('load a file').setInputFiles(wrong);
    await page.getByText('neither an image nor a journal').waitFor();
  });

  test('a restart asks first, lists what is lost, and other pages follow', async () => {
    const { page } = await stage.open('control');
    await isLive(page);
    const watching = await stage.open('blocks');
    await isLive(watching.page);
    const { block_count } = await status();
    await page.getByRole('button', { name: 'Restart the chain…' }).click();
    const sheet = page.getByRole('dialog');
    expect(await sheet.innerText()).toContain(`${block_count} blocks`);
    expect((await status()).block_count).toBe(block_count);
    await sheet.getByLabel('download an image first').uncheck();
    await sheet.getByRole('button', { name: 'Restart the chain' }).click();
    await expect.poll(async () => (await status()).block_count).toBe(1);
    await watching.page.getByText('The chain was restarted.').waitFor();
    await expect.poll(() => watching.page.locator('tr[data-row]').count()).toBe(1);
    // New heads are received afterwards.
    await stage.node.client.call('devnet_createBlock', {});
    await expect.poll(() => watching.page.locator('tr[data-row]').count()).toBe(2);
  });
});

describe('destructive actions', () => {
  test('aborting blocks says how many are removed, and can be cancelled', async () => {
    const { page } = await stage.open('control');
    await isLive(page);
    const { block_count } = await status();
    await page.getByLabel('block', { exact: true }).fill(String(block_count - 1));
    await page.getByRole('button', { name: `Abort from ${block_count - 1}` }).click();
    const sheet = page.getByRole('dialog');
    expect(await sheet.innerText()).toContain('1 in all');
    await sheet.getByRole('button', { name: 'Cancel' }).click();
    expect((await status()).block_count).toBe(block_count);
  });

  test('setting the clock backwards asks first', async () => {
    const { page } = await stage.open('control');
    await isLive(page);
    const { timestamp } = await stage.node.client.call('starknet_getBlockWithTxHashes', {
      block_id: 'latest',
    });
    await page.getByLabel('new time').fill('5');
    await page.getByRole('button', { name: /^Set clock to/ }).click();
    await page.getByRole('dialog').getByText('Set the clock backwards?').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    const after = await stage.node.client.call('starknet_getBlockWithTxHashes', {
      block_id: 'latest',
    });
    expect(after.timestamp).toBe(timestamp);
  });
});
