// Explorer of a node with restricted methods or short batches: lists name the method that it lacks, other pages work.
/// <reference lib="dom" />
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.js';

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
  });
  afterAll(() => stage.close());

  test('a list names the method that the node does not serve', async () => {
    const { page, complaints } = await stage.open('blocks');
    for (const [path, method] of [
      ['blocks', 'devnet_listBlocks'],
      ['transactions', 'devnet_listTransactions'],
      ['contracts', 'devnet_listContracts'],
      ['classes', 'devnet_listClasses'],
      ['block/2', 'devnet_listTransactions'],
      ['', 'devnet_listBlocks'],
    ]) {
      await page.goto(`${stage.origin}/ui/${path}`);
      await page.getByText(`${method} returned error -32604`).waitFor();
    }
    await page.goto(`${stage.origin}/ui/tx/${hash}`);
    await page.getByRole('treegrid').waitFor();
    expect(complaints).toEqual([]);
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
