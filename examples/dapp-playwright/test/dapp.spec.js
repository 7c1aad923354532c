// Tests of the dapp in a browser. Each test has its own chain and decides whether the wallet approves.
import { test as base, expect } from '@playwright/test';
import { fixture } from '@starkbox/testing';
import { withChain } from '@starkbox/testing/playwright';
import { getWallet } from '@starkbox/wallet/playwright';
import { preview } from 'vite';

const artifact = new URL('../contracts/token.sierra.json', import.meta.url);

// Runs once. Later runs load the result, and each test starts with a copy of the chain.
const deployed = fixture(
  'token with a wallet',
  async (chain) => {
    const [owner] = chain.accounts;
    const token = await chain.deployContract(artifact, ['Example', 'EXM', 1000n, owner.address]);
    return { token: token.address };
  },
  { artifacts: [artifact], chain: { wallet: true } },
);

const test = base.extend({
  ...withChain(deployed),
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
  /** The wallet of the page, in which the dapp is open. */
  wallet: async ({ page, site, chainUrl, chainData }, use) => {
    const wallet = getWallet(page);
    await wallet.install({ url: chainUrl, policy: 'approve' });
    const settings = new URLSearchParams({ rpc: `${chainUrl}/rpc`, token: chainData.token });
    await page.goto(`${site}?${settings}`);
    await use(wallet);
  },
});

async function connect(page) {
  await page.getByRole('button', { name: 'Connect' }).click();
  await expect(page.locator('#balance')).toHaveText('1000');
}

async function pay(page, to, amount) {
  await page.getByLabel('To').fill(to);
  await page.getByLabel('Amount').fill(amount);
  await page.getByRole('button', { name: 'Pay' }).click();
}

test('pays when the user approves', async ({ page, wallet, chain, chainData }) => {
  const [payer, shop] = chain.accounts;
  await connect(page);
  await expect(page.getByRole('status')).toContainText(payer.address);
  await pay(page, shop.address, '300');
  await expect(page.getByRole('status')).toHaveText('Paid 300');
  await expect(page.locator('#balance')).toHaveText('700');
  const token = await chain.contractAt(chainData.token);
  expect(await token.call('balance_of', [shop.address])).toBe(300n);
  const methods = (await wallet.history()).map(({ method }) => method);
  expect(methods).toEqual(['wallet_requestAccounts', 'wallet_addInvokeTransaction']);
});

test('shows a message when the user rejects the payment', async ({
  page,
  wallet,
  chain,
  chainData,
}) => {
  const [payer, shop] = chain.accounts;
  await connect(page);
  await wallet.next('reject');
  await pay(page, shop.address, '300');
  await expect(page.getByRole('status')).toHaveText('You rejected the payment');
  const token = await chain.contractAt(chainData.token);
  expect(await token.call('balance_of', [payer.address])).toBe(1000n);
});

test('shows a message when the user rejects the connection', async ({ page, wallet }) => {
  await wallet.next('reject');
  await page.getByRole('button', { name: 'Connect' }).click();
  await expect(page.getByRole('status')).toHaveText('You rejected the connection');
});
