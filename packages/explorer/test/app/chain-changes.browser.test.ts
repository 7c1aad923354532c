// Open pages while the chain is reverted or restarted, or the node is gone.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { isLive, STRK, type Stage, setStage, type Visit } from '../support/stage.js';

type Open = Visit & { readonly path: string };

async function openAll(stage: Stage, things: readonly string[]): Promise<readonly Open[]> {
  const { page, leave } = await stage.open('');
  const rail = await page
    .locator('nav.rail a.entry')
    .evaluateAll((links) => links.map((link) => (link.getAttribute('href') ?? '').slice(4)));
  await leave();
  const visits = await stage.openTabs([...rail, ...things]);
  for (const visit of visits) await isLive(visit.page);
  return visits;
}

/** Which pages do not pass. */
async function failing(
  visits: readonly Open[],
  isRight: (visit: Open) => Promise<boolean>,
): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const visit of visits) {
    const isFine = await expect
      .poll(() => isRight(visit))
      .toBe(true)
      .then(
        () => true,
        () => false,
      );
    const isBroken = (await visit.page.getByText('This page failed').count()) > 0;
    const hasHeading = (await visit.page.locator('h1').count()) === 1;
    if (!isFine || isBroken || !hasHeading) texts.push(visit.path);
    if (visit.complaints.length > 0) texts.push(`${visit.path}: ${visit.complaints[0]}`);
  }
  return texts;
}

const says =
  (text: string | RegExp) =>
  async ({ page }: Open): Promise<boolean> =>
    (await page.getByText(text).count()) > 0;

test('every page follows a revert and a restart, and reports a node that is gone, with actions disabled', async () => {
  const stage = await setStage();
  const { client } = stage.node;
  try {
    const counter = await stage.deploy('counter', ['7']);
    const keptHash = await stage.send(0, [stage.transfer(1, 5n)]);
    const snapshot_id = await client.call('devnet_snapshot', {});
    const lost = await stage.send(0, [stage.transfer(1, 6n)]);
    const { block_number } = await client.call('starknet_blockHashAndNumber', {});
    const class_hash = await client.call('starknet_getClassHashAt', {
      block_id: 'latest',
      contract_address: counter,
    });
    const visits = await openAll(stage, [
      `tx/${keptHash}`,
      `tx/${lost}`,
      `block/${block_number}`,
      'block/pre_confirmed',
      `contract/${counter}`,
      `contract/${STRK}?tab=storage`,
      `class/${class_hash}`,
    ]);

    await client.call('devnet_revert', { snapshot_id });
    expect(await failing(visits, says('The chain was reverted to a snapshot.'))).toEqual([]);
    const on = (path: string): Page => {
      const visit = visits.find((visit) => visit.path === path);
      if (!visit) throw new Error(path);
      return visit.page;
    };
    await on(`tx/${lost}`).getByText('This transaction no longer exists').waitFor();
    await on(`tx/${keptHash}`).getByText('Succeeded').first().waitFor();
    await on(`block/${block_number}`).getByText(`There is no block ${block_number}.`).waitFor();
    await expect.poll(() => on('transactions').locator(`a[href="/ui/tx/${lost}"]`).count()).toBe(0);

    await client.call('devnet_restart', {});
    expect(await failing(visits, says('The chain was restarted.'))).toEqual([]);
    await on(`tx/${keptHash}`).getByText('This transaction no longer exists').waitFor();
    await on('').getByText('No transactions on this chain yet.').waitFor();
    await on('activity').getByText('No transactions on this chain yet.').waitFor();
    await on('transactions').getByText('No transactions on this chain yet.').waitFor();
    await on(`contract/${counter}`)
      .getByText(/No contract/)
      .first()
      .waitFor();
    await client.call('devnet_createBlock', {});
    await expect.poll(() => on('blocks').locator('tr[data-row]').count()).toBe(2);

    const control = on('control');
    const isDisabled = () =>
      control.getByRole('button', { name: /^Create block \d/ }).getAttribute('aria-disabled');
    const reconnecting = control.locator('.connection', { hasText: 'reconnecting' }).waitFor();
    await stage.node.close();
    await reconnecting;
    expect(await isDisabled()).toBe('true');
    expect(await failing(visits, says('node not reachable since'))).toEqual([]);
    expect(await isDisabled()).toBe('true');
    expect(await control.locator('.strip').innerText()).not.toContain('live');
    // Data that was read before stays visible.
    expect(await on('blocks').locator('tr[data-row]').count()).toBe(2);
  } finally {
    await stage.node.close().catch(() => {});
  }
});

test('a node that returns with another chain is noticed', async () => {
  const first = await setStage();
  const port = Number(new URL(first.origin).port);
  await first.send(0, [first.transfer(1, 5n)]);
  const { page } = await first.open('transactions');
  await isLive(page);
  await page.locator('tr[data-row]').first().waitFor();
  await first.node.close();
  const second = await setStage({ port });
  try {
    await page.getByText('restarted or reverted while you were away').waitFor();
    await page.getByText('No transactions on this chain yet.').waitFor();
  } finally {
    await second.close();
  }
});
