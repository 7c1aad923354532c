// Instances in the explorer: pages of one, switching, creating, deleting, and one that does not exist.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultsOf } from '../support/accessibility.js';
import { isLive, openLive, type Stage, setStage } from '../support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
  await stage.node.client.call('devnet_createBlock', { count: 3 });
});
afterAll(() => stage.close());

const instances = async () => (await stage.node.client.call('devnet_listInstances', {})).instances;

async function create(name: string): Promise<string> {
  const { instance_id } = await stage.node.client.call('devnet_createInstance', { name });
  return instance_id;
}

async function remove(id: string): Promise<void> {
  await stage.node.client.call('devnet_deleteInstance', { instance_id: id });
}

/** An address of the explorer in an instance, from the main chain's. */
const within = (id: string, path: string): string => `../instances/${id}/ui/${path}`;
const urlOf = (id: string, path: string): string => `${stage.origin}/instances/${id}/ui/${path}`;
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Chains of this node' });
const rowOf = (page: Page, name: string | RegExp) =>
  dialogOf(page).getByRole('row').filter({ hasText: name });

test('pages of an instance show its chain, link to it and name its addresses', async () => {
  const id = await create('one');
  const { page, requests, complaints, settled } = await openLive(stage, within(id, 'control'));
  const head = page.locator('.strip .head a').first();
  await page.getByRole('button', { name: /^Create block \d/ }).click();
  await expect.poll(() => head.innerText()).toBe('#4');
  expect(await stage.node.client.call('starknet_blockNumber', {})).toBe(3);
  const links = await page
    .locator('nav a')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(links.filter((href) => !href?.startsWith(`/instances/${id}/ui/`))).toEqual([]);
  await page.getByRole('link', { name: 'Node', exact: true }).click();
  await page.getByText(`${stage.origin}/instances/${id}/rpc`).waitFor();
  expect(page.url()).toBe(urlOf(id, 'node'));
  await settled();
  const rpcRequests = requests.filter((url) => !url.includes('/ui/'));
  expect(rpcRequests.filter((url) => !url.startsWith(`${stage.origin}/instances/${id}/`))).toEqual(
    [],
  );
  expect(complaints).toEqual([]);
  await remove(id);
});

test('chains are listed, branched, opened and deleted by keyboard', async () => {
  const { page } = await openLive(stage, 'blocks');
  // The first instance is created through the search, because nothing else names instances before.
  expect(await page.getByRole('button', { name: /^Chain:/ }).count()).toBe(0);
  await page.keyboard.press('/');
  await page.keyboard.type('branch');
  await page.getByRole('option', { name: /open an instance/ }).waitFor();
  await page.keyboard.press('Enter');
  await dialogOf(page).getByLabel('name').fill('trial');
  await page.keyboard.press('Enter');
  await rowOf(page, 'trial').waitFor();
  expect(await rowOf(page, 'main chain').innerText()).toMatch(/3\s+0/);
  expect(await rowOf(page, 'trial').innerText()).toMatch(/3\s+0\s+\d+ s of 1 h/);
  const [created] = await instances();
  expect(created?.name).toBe('trial');
  await rowOf(page, 'trial').getByRole('link').focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(urlOf(created?.instance_id ?? '', 'blocks'));
  await isLive(page);
  await page.getByRole('button', { name: 'Chain: trial' }).press('Enter');
  await rowOf(page, 'trial').getByRole('button', { name: 'Delete trial' }).press('Enter');
  const question = page.getByRole('dialog', { name: 'Delete trial?' });
  await question.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
  await page.waitForURL(`${stage.origin}/ui/blocks`);
  expect(await instances()).toEqual([]);
});

test('an open page finds the instances of other programs, and the switcher goes with the last one', async () => {
  const { page } = await openLive(stage, 'blocks');
  const switcher = page.getByRole('button', { name: 'Chain: main chain' });
  expect(await switcher.count()).toBe(0);
  const first = await create('first');
  await switcher.click();
  await rowOf(page, 'first').waitFor();
  await remove(first);
  await rowOf(page, 'first').waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await switcher.waitFor({ state: 'detached' });
});

test('the dialog has pages, is accessible and fits a phone', async () => {
  const longNamed = await create('x'.repeat(100));
  const others = await Promise.all(Array.from({ length: 49 }, () => create('second')));
  const last = await create('last');
  const { page, settled } = await stage.open('', {
    bypassCSP: true,
    viewport: { width: 320, height: 700 },
  });
  await isLive(page);
  await page.getByRole('button', { name: 'Chain: main chain' }).click();
  await rowOf(page, 'second').first().waitFor();
  await settled();
  const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(await wide()).toBe(0);
  expect(await faultsOf(page)).toEqual([]);
  expect(await rowOf(page, 'last').count()).toBe(0);
  await page.getByRole('button', { name: 'Next' }).click();
  await rowOf(page, 'last').waitFor();
  await page.getByRole('button', { name: 'Previous' }).click();
  await rowOf(page, 'main chain').waitFor();
  await page.goto(urlOf(longNamed, ''));
  await isLive(page);
  await page.getByRole('button', { name: /^Chain: x/ }).waitFor();
  expect(await wide()).toBe(0);
  await Promise.all([longNamed, ...others, last].map(remove));
});

test('a deleted instance is said to be gone, with a link to the main chain', async () => {
  const id = await create('short-lived');
  const { page } = await stage.open(within(id, 'accounts'), { bypassCSP: true });
  await isLive(page);
  await remove(id);
  const heading = page.getByRole('heading', { name: 'This instance does not exist' });
  await heading.waitFor();
  expect(await page.locator('.connection').innerText()).toContain('no such instance');
  expect(await faultsOf(page)).toEqual([]);
  await page.reload();
  await heading.waitFor();
  await page.getByRole('link', { name: 'Open the main chain' }).click();
  await page.waitForURL(`${stage.origin}/ui/accounts`);
  await isLive(page);
});
