// Tests of the dapp in a browser. Each test has its own chain and decides whether the wallet approves.
import { test as base, expect } from '@playwright/test';
import { getWallet } from '@starkbox/wallet/playwright';
import { createChain } from 'starkbox';
import { preview } from 'vite';

const test = base.extend({
  /** The URL of the built dapp, for all tests of a worker. */
  site: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from it which fixtures this one needs
    async ({}, use) => {
      const server = await preview({ logLevel: 'error', preview: { port: 0 } });
      await use(server.resolvedUrls.local[0]);
      await server.close();
    },
    { scope: 'worker' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from it which fixtures this one needs
  chain: async ({}, use) => {
    const chain = await createChain({ seed: 0, port: 0, wallet: true });
    await use(chain);
    await chain.close();
  },
  /** The wallet of the page, in which the dapp is open and connected. */
  wallet: async ({ page, site, chain }, use) => {
    const { url } = await chain.listen();
    const wallet = getWallet(page);
    await wallet.install({ url, policy: 'approve' });
    await page.goto(`${site}?${new URLSearchParams({ rpc: `${url}/rpc` })}`);
    await page.getByRole('button', { name: 'Connect' }).click();
    await expect(page.locator('#account')).toContainText(chain.accounts[0].address.slice(3));
    await use(wallet);
  },
});

const balanceOfShop = async (chain) =>
  (await chain.request('devnet_getAccountBalance', { address: '0xabc' })).amount;

// biome-ignore lint/correctness/noUnusedFunctionParameters: naming the wallet opens the dapp
test('pays when the user approves', async ({ page, chain, wallet }) => {
  await expect(page.locator('#balance')).toHaveText('0');
  await page.getByRole('button', { name: 'Pay' }).click();
  await expect(page.getByRole('status')).toHaveText('success');
  await expect(page.locator('#balance')).toHaveText('5');
  expect(await balanceOfShop(chain)).toBe('5');
});

test('shows a message when the user rejects', async ({ page, chain, wallet }) => {
  await wallet.next('reject');
  await page.getByRole('button', { name: 'Pay' }).click();
  await expect(page.getByRole('status')).toHaveText('You rejected the payment');
  expect(await balanceOfShop(chain)).toBe('0');
});
