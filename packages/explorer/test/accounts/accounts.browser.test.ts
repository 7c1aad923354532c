// Page of accounts: minting, balances, private keys and impersonation.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
  await stage.send(0, [stage.transfer(1, 5n)]);
});
afterAll(() => stage.close());

const status = () => stage.node.client.call('devnet_getStatus', {});
const balance = async (index: number): Promise<bigint> =>
  BigInt(
    (
      await stage.node.client.call('devnet_getAccountBalance', {
        address: stage.address(index),
        unit: 'FRI',
        block_id: 'pre_confirmed',
      })
    ).amount,
  );

describe('accounts', () => {
  test('mints, and updates balances live', async () => {
    const { page } = await stage.open('accounts');
    await page.getByRole('button', { name: 'Mint to account 3' }).click();
    await page.getByLabel('amount').fill('2.5');
    const before = await balance(3);
    await page.getByRole('button', { name: 'Mint 2.5 STRK to account 3' }).click();
    await page.getByText('new balance 1,002.5 STRK').waitFor();
    expect((await balance(3)) - before).toBe(2_500_000_000_000_000_000n);
    const cell = page.locator('tr', { hasText: 'account 4' }).locator('[data-balance=strk]');
    await expect.poll(() => cell.innerText()).toBe('1,000.000000');
    await stage.node.client.call('devnet_mint', {
      address: stage.address(4),
      amount: 10 ** 18,
      unit: 'FRI',
    });
    await expect.poll(() => cell.innerText()).toBe('1,001.000000');
  });

  test('a key that cannot be read is reported above the page, until dismissed', async () => {
    const { page } = await stage.open('accounts');
    const button = page.getByRole('button', { name: 'Show private key of account 0' });
    await button.waitFor();
    await page.context().setOffline(true);
    await button.click();
    const notice = page.getByRole('alert').filter({ hasText: 'An operation failed.' });
    await notice.getByText('The node did not respond to devnet_getPredeployedAccounts.').waitFor();
    await page.context().setOffline(false);
    await notice.getByRole('button', { name: 'Dismiss' }).click();
    await expect.poll(() => notice.count()).toBe(0);
  });

  test('a private key is fetched on request, and hidden again', async () => {
    const { page } = await stage.open('accounts');
    const key = stage.node.node.accounts[0]?.privateKey ?? '';
    const canonical = `0x${BigInt(key).toString(16)}`;
    await page.getByRole('button', { name: 'Show private key of account 0' }).waitFor();
    expect(await page.content()).not.toContain(canonical);
    await page.getByRole('button', { name: 'Show private key of account 0' }).click();
    await page.getByText(canonical).waitFor();
    await page.getByRole('button', { name: 'Hide', exact: true }).click();
    expect(await page.content()).not.toContain(canonical);
  });

  test('impersonation is turned on and off', async () => {
    const { page, settled } = await stage.open('accounts');
    await settled();
    const button = page.getByRole('button', { name: 'Impersonate account 5' });
    await button.click();
    await expect
      .poll(async () => (await status()).impersonated_accounts)
      .toEqual([stage.address(5)]);
    await expect.poll(() => button.getAttribute('aria-pressed')).toBe('true');
    await button.click();
    await expect.poll(async () => (await status()).impersonated_accounts).toEqual([]);
  });

  test('an action is shown although an older status arrives after it', async () => {
    const { page } = await stage.open('node', {});
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isFirst = true;
    await page.route('**/rpc', async (route) => {
      const isHeld = isFirst && route.request().postData()?.includes('"with_balance":true');
      if (!isHeld) return route.continue();
      isFirst = false;
      const response = await route.fetch();
      await released;
      await route.fulfill({ response });
    });
    await page.goto(`${stage.origin}/ui/accounts`);
    const button = page.getByRole('button', { name: 'Impersonate account 6' });
    await button.click();
    await page.getByText('Impersonate: account 6').first().waitFor();
    release();
    await expect.poll(() => button.getAttribute('aria-pressed')).toBe('true');
    await button.click();
    await expect.poll(async () => (await status()).impersonated_accounts).toEqual([]);
  });
});
