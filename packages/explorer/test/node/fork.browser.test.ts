// Explorer of a fork: blocks of the origin are marked, and read on request.
/// <reference lib="dom" />
import { startNode } from '@starkbox/test-support';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLive, type Stage, setStage } from '../support/stage.js';

const main = (page: Page): Promise<string> => page.locator('main').innerText();

describe('a fork', () => {
  let origin: Awaited<ReturnType<typeof startOrigin>>;
  let stage: Stage;
  let old: string;

  const startOrigin = () => startNode({ listen: true, seed: 1 });

  beforeAll(async () => {
    origin = await startOrigin();
    for (let block = 0; block < 40; block++) await origin.client.call('devnet_createBlock', {});
    const address = origin.node.accounts[0]?.address ?? '';
    const minted = await origin.client.call('devnet_mint', { address, amount: 5, unit: 'FRI' });
    old = minted.tx_hash;
    stage = await setStage({ forkNetwork: origin.url, forkUpstreamCaching: false });
    await stage.send(0, [stage.transfer(1, 5n)]);
  });
  afterAll(async () => {
    await stage.close();
    await origin.close();
  });

  test('shows the origin’s name, marks the origin’s blocks, and reads them only on request', async () => {
    const { page, requests, complaints, settled } = await stage.open('blocks');
    await isLive(page);
    await page.locator('.strip').getByText('fork of SN_SEPOLIA @ 41').waitFor();
    await page.locator('tr[data-row]').first().waitFor();
    expect(await main(page)).not.toContain('41 origin');
    await page.getByText('Blocks up to 41 come from the origin of the fork.').waitFor();
    await settled();
    const before = requests.filter((url) => url.endsWith('/rpc')).length;
    await page.getByRole('button', { name: 'Continue there' }).click();
    await page.locator('tr[data-row]', { hasText: '41 origin' }).waitFor();
    // As many as fit, and those that come next.
    const after = requests.filter((url) => url.endsWith('/rpc')).length;
    expect(after - before).toBeLessThanOrEqual(2);
    await page.keyboard.press('j');
    await page.keyboard.press('End');
    await page.locator('tr[data-row]', { hasText: '22 origin' }).first().waitFor();
    await page.keyboard.press('End');
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return page.locator('tr[data-row] a[href="/ui/block/0"]').count();
      })
      .toBeGreaterThan(0);
    expect(complaints).toEqual([]);
  });

  test('transactions and blocks of the origin have their pages', async () => {
    const { page } = await stage.open('transactions');
    await page.getByRole('button', { name: 'Continue there' }).click();
    await page.locator(`a[href="/ui/tx/${old}"]`).first().waitFor();
    await page.locator('tr[data-row]', { hasText: '41 origin' }).first().waitFor();
    await page.goto(`${stage.origin}/ui/tx/${old}`);
    await page.getByText('Succeeded').first().waitFor();
    await page.goto(`${stage.origin}/ui/block/41`);
    await page.locator(`a[href="/ui/tx/${old}"]`).first().waitFor();
  });

  test('the page of the node names the forked block', async () => {
    const { page } = await stage.open('node');
    await page.getByText('at block 41').waitFor();
  });
});
