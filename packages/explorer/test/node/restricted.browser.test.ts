// Explorer of a node with restricted methods or short batches: it falls back to standard methods.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLive, type Stage, setStage } from '../support/stage.js';

const main = (page: Page): Promise<string> => page.locator('main').innerText();

describe('a node with restricted methods', () => {
  let stage: Stage;
  let hash: string;
  let counter: string;

  const LISTS = [
    'devnet_listBlocks',
    'devnet_listTransactions',
    'devnet_listContracts',
    'devnet_listClasses',
    'devnet_getStorage',
    'devnet_listSnapshots',
    'devnet_search',
    'devnet_getLabels',
    'devnet_subscribeSandbox',
    'devnet_getPredeployedAccounts',
    'devnet_getRequests',
    'devnet_subscribeRequests',
  ];

  beforeAll(async () => {
    stage = await setStage({ restrictedMethods: LISTS });
    counter = await stage.deploy('counter', ['7']);
    hash = await stage.send(0, [stage.transfer(1, 5n)]);
    await stage.send(1, [stage.transfer(2, 10n ** 30n)]);
  });
  afterAll(() => stage.close());

  test('shows blocks, transactions, contracts and classes by the standard methods', async () => {
    const { page, complaints } = await stage.open('blocks');
    await page.locator('tr[data-row]').first().waitFor();
    expect(await page.locator('tr[data-row]').count()).toBe(
      (await stage.node.client.call('starknet_blockNumber', {})) + 1,
    );
    await page.goto(`${stage.origin}/ui/transactions`);
    await page.locator(`a[href="/ui/tx/${hash}"]`).first().waitFor();
    for (const name of ['Add filter', 'Status', 'reverted']) {
      await page.getByRole('button', { name, exact: true }).click();
    }
    await expect.poll(() => page.locator('tr[data-row]').count()).toBe(1);
    expect(await main(page)).toContain('insufficient balance');
    await page.goto(`${stage.origin}/ui/activity`);
    await page.getByText('STRK.transfer').first().waitFor();
    await page.goto(`${stage.origin}/ui/`);
    await page.getByText('This node does not serve the lists of Starkbox').waitFor();
    expect(await main(page)).toContain('insufficient balance');
    await page.goto(`${stage.origin}/ui/contracts`);
    await page.locator(`a[href="/ui/contract/${counter}"]`).first().waitFor();
    await page.goto(`${stage.origin}/ui/classes`);
    await page.locator('tr[data-row]').first().waitFor();
    await page.goto(`${stage.origin}/ui/block/2`);
    await page.locator('tr[data-row]').first().waitFor();
    await page.goto(`${stage.origin}/ui/tx/${hash}`);
    await page.getByRole('treegrid').waitFor();
    expect(complaints).toEqual([]);
  });

  test('is followed live', async () => {
    const { page } = await stage.open('blocks');
    await isLive(page);
    await page.locator('tr[data-row]').first().waitFor();
    const { block_hash } = await stage.node.client.call('devnet_createBlock', {});
    await page.locator(`tr[data-row] a[title="${block_hash}"]`).waitFor();
  });

  test('search falls back to one lookup per kind', async () => {
    const { page } = await stage.open('');
    const find = async (what: string, group: string, path: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search' }).fill(what);
      await page.getByRole('group', { name: group }).getByRole('option').first().click();
      await expect.poll(() => new URL(page.url()).pathname).toBe(path);
    };
    await find(hash, 'Transactions', `/ui/tx/${hash}`);
    await find(counter, 'Contracts', `/ui/contract/${counter}`);
    await find('2', 'Blocks', '/ui/block/2');
  });

  test('pages without data say so, and none fails', async () => {
    const { page, complaints, settled } = await stage.open('accounts');
    await page.getByText('This node does not serve devnet_getPredeployedAccounts').waitFor();
    const rail = await page
      .locator('nav.rail a.entry')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    for (const href of [...rail, `/ui/contract/${counter}?tab=storage`]) {
      await page.goto(`${stage.origin}${href}`);
      await page.locator('h1').waitFor();
      await settled();
      expect([href, await page.getByText('This page failed').count()]).toEqual([href, 0]);
    }
    expect(complaints).toEqual([]);
  });
});

test('batches stay within the node’s maximum length', async () => {
  const stage = await setStage({ maximumBatchLength: 2 });
  try {
    const { page } = await stage.open('accounts');
    await page.getByText('1,000.000000').first().waitFor();
  } finally {
    await stage.close();
  }
});
