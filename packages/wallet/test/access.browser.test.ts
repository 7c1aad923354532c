// Who gets the wallet and its accounts: pages with a token, pages of other sites, nodes with restricted methods.
/// <reference lib="dom" />
import { startNode } from '@starkbox/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedPages } from '../../explorer/test/support/stage.js';
import { openSite } from './support/site.js';
import { ask, connect, openStage, type Stage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

describe('nodes that guard their keys', () => {
  test('a page gives the token of the node to the wallet', async () => {
    const guarded = await startNode({
      listen: true,
      wallet: true,
      authToken: 'correct-horse-staple',
    });
    const ownSite = await openSite(new URL(guarded.url).origin);
    const page = await (await sharedPages()).take();
    await page.goto(`${ownSite.origin}/?data-policy=approve&data-token=correct-horse-staple`);
    expect(await connect(page)).toEqual([guarded.node.accounts[0]?.address]);
    await ownSite.close();
  });

  test('a node with restricted methods gives no accounts', async () => {
    const restricted = await startNode({
      listen: true,
      wallet: true,
      restrictedMethods: ['devnet_getPredeployedAccounts'],
    });
    const { page } = await stage.openFor(restricted.url);
    expect(await connect(page)).toEqual({
      code: 163,
      data: expect.stringContaining('--restrictive-mode'),
    });
  });
});

describe('a page of another site', () => {
  const SITE = 'https://dapp.example';

  /** Its content does not come from this machine, which the browser lets it reach when the user agrees. */
  async function openForeign(node: string) {
    const page = await (await sharedPages()).take({ permissions: ['local-network-access'] });
    const body = `<!doctype html><script src="${new URL('wallet.js', node)}" data-policy="approve"></script>`;
    await page.route(`${SITE}/**`, (route) => route.fulfill({ contentType: 'text/html', body }));
    await page.goto(`${SITE}/`);
    return page;
  }

  test('gets the script, and no accounts', async () => {
    const page = await openForeign(stage.node.url);
    expect(await page.evaluate(() => window.starkboxWallet?.policy)).toBe('approve');
    const refused = { code: 163, data: expect.stringContaining('--allowed-origins') };
    expect(await connect(page)).toEqual(refused);
    expect(await ask(page, 'wallet_addInvokeTransaction', stage.transfer('1'))).toMatchObject({
      code: 163,
    });
    expect(await ask(page, 'wallet_requestChainId')).toMatchObject({ code: 163 });
  });

  test('that the node allows gets them', async () => {
    const open = await startNode({ listen: true, wallet: true, allowedOrigins: [SITE] });
    const page = await openForeign(open.url);
    expect(await connect(page)).toEqual([open.node.accounts[0]?.address]);
    expect(await ask(page, 'wallet_addInvokeTransaction', stage.transfer('1'))).toHaveProperty(
      'transaction_hash',
    );
  });
});
