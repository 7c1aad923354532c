// Page of control: clock, prices, blocks, snapshots, files and restart.
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
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
    await page.getByLabel('New L1 gas price in fri').fill('0.987654321');
    await page.getByRole('button', { name: 'Set prices' }).click();
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
    await page.getByRole('button', { name: /^Create block \d/ }).click();
    await expect.poll(async () => (await status()).block_count).toBe(block_count + 1);
  });

  test('several blocks are created, and settings of blocks change', async () => {
    const { page } = await stage.open('control');
    await isLive(page);
    const { block_count } = await status();
    await page.getByLabel('Number of blocks').fill('3');
    await page.getByLabel('Seconds apart').fill('60');
    await page.getByRole('button', { name: 'Create blocks' }).click();
    await expect.poll(async () => (await status()).block_count).toBe(block_count + 3);
    await page.getByLabel('Fixed step').check();
    await page.getByLabel('Seconds per block').fill('12');
    await page.getByRole('button', { name: 'Set timestamps' }).click();
    await page.getByText('Set timestamps: 12 s per block').first().waitFor();
    await page.getByRole('radio', { name: 'Clock' }).check();
    await page.getByRole('button', { name: 'Set timestamps' }).click();
    await page.getByText('Set timestamps: by the clock').first().waitFor();
  });

  test('the block mode is chosen among all modes of the node', async () => {
    const { page } = await stage.open('control');
    const card = page.getByRole('region', { name: 'Block mode' });
    const mode = async () =>
      (await stage.node.client.call('devnet_getBlockSettings', {})).block_generation_on;
    const set = card.getByRole('button', { name: 'Set block mode' });
    expect(await card.getByLabel('On transaction').isChecked()).toBe(true);
    expect(await set.getAttribute('aria-disabled')).toBe('true');
    await card.getByLabel('On an interval', { exact: true }).check();
    await card.getByLabel('Seconds between blocks').fill('0');
    expect(await set.getAttribute('aria-disabled')).toBe('true');
    for (const [name, field, text, expected] of [
      ['On an interval', 'Seconds between blocks', '900', '900'],
      ['On an interval', 'Seconds between blocks', '900.5', '900500ms'],
      ['Mempool on an interval', 'Seconds between blocks', '900', 'mempool:900'],
      ['Mempool', undefined, '', 'mempool'],
      ['On demand', undefined, '', 'demand'],
      ['On transaction', undefined, '', 'transaction'],
    ] as const) {
      await card.getByLabel(name, { exact: true }).check();
      if (field !== undefined) await card.getByLabel(field).fill(text);
      await set.click();
      await expect.poll(mode).toBe(expected);
    }
  });

  test('fields stay within their cards at every width', async () => {
    const { page } = await stage.open('control', {});
    await page.getByLabel('New L1 gas price in fri').waitFor();
    for (const width of [360, 640, 768, 1024, 1199, 1200, 1440, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      const outside = await page.evaluate(() => {
        const right = (element: Element): number => element.getBoundingClientRect().right;
        return [...document.querySelectorAll('.card')].flatMap((card) =>
          [...card.querySelectorAll('input, button, td, span')]
            .filter((part) => right(part) > right(card))
            .map((part) => `${card.getAttribute('aria-label')}: ${part.outerHTML}`),
        );
      });
      expect([width, outside]).toEqual([width, []]);
    }
  });

  test('a balance is set in a token contract', async () => {
    const { page } = await stage.open('control');
    await isLive(page);
    await page.getByLabel('Token contract').fill(stage.node.node.tokens.eth.address);
    await page.getByLabel('Holder').fill('0xabc');
    await page.getByLabel('Balance in').fill('77');
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
    await page.getByLabel('Load an image or a journal').setInputFiles(image);
    const sheet = page.getByRole('dialog');
    expect(await sheet.innerText()).toContain('replaces this chain');
    expect((await status()).block_count).toBe(block_count + 1);
    await sheet.getByLabel('download an image first').uncheck();
    await sheet.getByRole('button', { name: 'Load the chain' }).click();
    await expect.poll(async () => (await status()).block_count).toBe(block_count);
    const buffer = Buffer.from('[ no journal');
    const wrong = { name: 'wrong', mimeType: 'application/json', buffer };
    await page.getByLabel('Load an image or a journal').setInputFiles(wrong);
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
    await page.getByLabel('First block to abort').fill(String(block_count - 1));
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
    await page.getByRole('textbox', { name: 'New time' }).fill('5');
    await page.getByRole('button', { name: /^Set clock to/ }).click();
    await page.getByRole('dialog').getByText('Set the clock backwards?').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    const after = await stage.node.client.call('starknet_getBlockWithTxHashes', {
      block_id: 'latest',
    });
    expect(after.timestamp).toBe(timestamp);
  });
});
