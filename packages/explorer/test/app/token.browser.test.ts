// A node with a token: the explorer takes it from the address or from a field, and does not reveal it.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faultsOf } from '../support/accessibility.js';
import { isLive, type Stage, setStage, type Visit } from '../support/stage.js';

/** With letters that an address has to escape. */
const TOKEN = 'a/b+c=%41~0123456789abcdef';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage({ authToken: TOKEN });
});
afterAll(() => stage.close());

const open = (path: string): Promise<Visit> => stage.open(path);

/** Everything that a browser stores or shows, except the storage of the tab. */
async function traces(page: Page): Promise<string> {
  const storage = await page.evaluate(async () => [
    location.href,
    document.cookie,
    document.title,
    JSON.stringify({ ...localStorage }),
    JSON.stringify(history.state),
    JSON.stringify(await indexedDB.databases()),
    JSON.stringify(await caches?.keys()),
    document.documentElement.outerHTML,
  ]);
  return [...storage, JSON.stringify(await page.context().cookies())].join('\n');
}

const forms = [TOKEN, encodeURIComponent(TOKEN), Buffer.from(TOKEN).toString('base64url')];

describe('with the token in the address', () => {
  test('pages and socket work, and the token is removed from the address', async () => {
    const { page, complaints, requests } = await open(
      `accounts#token=${encodeURIComponent(TOKEN)}`,
    );
    await isLive(page);
    await page.getByText('1,000.000000').first().waitFor();
    expect(page.url()).toBe(`${stage.origin}/ui/accounts`);
    expect(await page.evaluate(() => Object.values({ ...sessionStorage }))).toEqual([TOKEN]);
    const tokenTraces = await traces(page);
    for (const form of forms) {
      expect(tokenTraces).not.toContain(form);
      for (const url of requests) expect(url).not.toContain(form);
    }
    expect(complaints).toEqual([]);
  });

  test('the token is sent as a header, and is not in the history', async () => {
    const { page } = await open('');
    await page.goto(`${stage.origin}/ui/blocks#token=${encodeURIComponent(TOKEN)}`);
    await isLive(page);
    const [request] = await Promise.all([
      page.waitForRequest((request) => request.url().endsWith('/rpc')),
      page.getByRole('link', { name: 'Transactions' }).first().click(),
    ]);
    expect(request.headers()['authorization']).toBe(`Bearer ${TOKEN}`);
    await page.goBack();
    expect(page.url()).toBe(`${stage.origin}/ui/blocks`);
    await page.reload();
    await isLive(page);
    expect(page.url()).toBe(`${stage.origin}/ui/blocks`);
  });

  test('writing works, and copied curl commands do not contain the token', async () => {
    const { page } = await open(`control#token=${encodeURIComponent(TOKEN)}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await isLive(page);
    await page.getByRole('button', { name: /^Create block \d/ }).click();
    await page.getByText('Create a block: block').first().waitFor();
    expect(await stage.node.node.request('starknet_blockNumber')).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Copy as curl' }).first().click();
    // The explorer may not read the clipboard; another page of the origin may.
    const pasted = await page.context().newPage();
    await pasted.goto(`${stage.origin}/is_alive`);
    const line = await pasted.evaluate(() => navigator.clipboard.readText());
    expect(line).toContain('"authorization: Bearer $AUTH_TOKEN"');
    expect(line).not.toContain(TOKEN);
  });

  test('another tab asks for the token', async () => {
    const { page } = await open(`#token=${encodeURIComponent(TOKEN)}`);
    await isLive(page);
    const other = await page.context().newPage();
    await other.goto(`${stage.origin}/ui/`);
    await other.getByRole('heading', { name: 'This node requires a token' }).waitFor();
  });
});

describe('without the token', () => {
  test('the page asks for the token and accepts it', async () => {
    const { page, complaints } = await open('accounts');
    await page.getByRole('heading', { level: 1, name: 'This node requires a token' }).waitFor();
    await page.getByText('this tab has none').waitFor();
    expect(await page.locator('.connection').innerText()).toContain('token needed');
    const field = page.getByLabel('token', { exact: true });
    expect(await field.getAttribute('type')).toBe('password');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByText('Enter the token.').waitFor();
    await field.fill('not the token');
    await page.keyboard.press('Enter');
    await page.getByText('without spaces').waitFor();
    await field.fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('rejected the token').waitFor();
    await field.fill(TOKEN);
    await page.keyboard.press('Enter');
    await page.getByText('1,000.000000').first().waitFor();
    await isLive(page);
    expect(page.url()).toBe(`${stage.origin}/ui/accounts`);
    const tokenTraces = await traces(page);
    for (const form of forms) expect(tokenTraces).not.toContain(form);
    expect(complaints).toEqual([]);
  });

  test('the page does not retry for a minute', async () => {
    const { page, requests, settled } = await stage.open('', {});
    await page.clock.install();
    let sockets = 0;
    page.on('websocket', () => sockets++);
    await page.reload();
    await page.getByRole('heading', { name: 'This node requires a token' }).waitFor();
    await settled();
    const attempts = (): number => requests.filter((url) => url.endsWith('/rpc')).length + sockets;
    const before = attempts();
    await page.clock.runFor(60_000);
    await settled();
    expect(attempts() - before).toBe(0);
  });

  test('a wrong token in the address is reported as wrong', async () => {
    const { page } = await open('blocks#token=wrong');
    await page.getByText('rejected the token').waitFor();
    expect(page.url()).toBe(`${stage.origin}/ui/blocks`);
  });

  test('the question is accessible', async () => {
    const { page } = await stage.open('', { bypassCSP: true });
    await page.getByRole('heading', { name: 'This node requires a token' }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });
});

test('a node that returns with another token asks for it', async () => {
  const first = await setStage({ authToken: 'one' });
  const port = Number(new URL(first.origin).port);
  const { page } = await first.open('accounts#token=one');
  await isLive(page);
  await first.node.close();
  const second = await setStage({ authToken: 'two', port });
  try {
    await page.getByRole('heading', { name: 'This node requires a token' }).waitFor();
    await page.getByLabel('token', { exact: true }).fill('two');
    await page.keyboard.press('Enter');
    await isLive(page);
  } finally {
    await second.close();
  }
});
