// Buttons that remedy the cause of a failure, and the transaction that is sent again.
/// <reference lib="dom" />
import { fileURLToPath } from 'node:url';
import { Transaction } from '@starkbox/engine';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STRK, type Stage, setStage } from '../support/stage.js';

const DEPLOYER = '0x41a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf';
const GOLD = ['0x476f6c64', '0x474c44'];
const UNIT = 10n ** 18n;
const DAY = 86_400;

const sierraFile = (name: string): string =>
  fileURLToPath(new URL(`../../../../contracts/cairo/${name}.sierra.json`, import.meta.url));

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage.close());

const why = (page: Page) => page.getByRole('region', { name: 'Why it failed' });
const button = (page: Page, name: string | RegExp) => why(page).getByRole('button', { name });

const statusOf = async (page: Page): Promise<string> => {
  const hash = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const receipt = await stage.node.client.call('starknet_getTransactionReceipt', {
    transaction_hash: hash,
  });
  return receipt.execution_status;
};

/** Simulates and sends the transaction again; the page that opens is of a transaction that succeeded. */
async function expectSuccess(page: Page, failed: string): Promise<void> {
  await button(page, 'Simulate again').click();
  await why(page).getByRole('status').getByText('It would succeed now.').waitFor();
  await button(page, 'Send again').click();
  await page.waitForURL((url) => !url.pathname.endsWith(failed));
  await page.getByRole('heading', { level: 1, name: 'Succeeded' }).waitFor();
  expect(await statusOf(page)).toBe('SUCCEEDED');
}

describe('a remedy', () => {
  test('gives the missing balance of a token, after which the transaction succeeds', async () => {
    const gold = await stage.deploy('token', [...GOLD, '1000', '0', stage.address(0)]);
    const amount = [25n * UNIT, 0n];
    const failed = await stage.send(1, [
      { contractAddress: gold, entrypoint: 'transfer', calldata: [stage.address(2), ...amount] },
    ]);
    const { page, complaints } = await stage.open(`tx/${failed}`);
    const give = button(page, 'Give account 1 the missing 25 GLD');
    await give.waitFor();
    // What it calls is shown before it is pressed, and sending again is not offered yet.
    expect(await give.getAttribute('title')).toBe('Calls devnet_deal');
    expect(await why(page).locator('.hint').innerText()).not.toContain('devnet_');
    expect(await button(page, 'Send again').count()).toBe(0);
    await give.click();
    await expectSuccess(page, failed);
    const [held] = await stage.node.provider.callContract({
      contractAddress: gold,
      entrypoint: 'balance_of',
      calldata: [stage.address(2)],
    });
    expect(BigInt(held ?? 0)).toBe(25n * UNIT);
    expect(complaints).toEqual([]);
  });

  test('mints missing STRK', async () => {
    const failed = await stage.send(1, [stage.transfer(2, 2_000n * UNIT)]);
    const { page } = await stage.open(`tx/${failed}`);
    const give = button(
      page,
      /^Give account 1 the missing [\d,]+\.\d{7,18} STRK, and [\d.]+ STRK for fees$/,
    );
    await give.waitFor();
    expect(await give.getAttribute('title')).toBe('Calls devnet_mint');
    await give.click();
    await expectSuccess(page, failed);
  });

  test('lies inside the window of a phone, however long its text is', async () => {
    const failed = await stage.send(1, [stage.transfer(2, 5_000n * UNIT + 1n)]);
    const { page, leave } = await stage.open(`tx/${failed}`, {
      viewport: { width: 390, height: 844 },
    });
    const give = button(page, /^Give account 1 the missing/);
    await give.waitFor();
    for (const part of [give, why(page).locator('.headline'), why(page).locator('.hint')]) {
      // The card clips, so the page does not scroll sideways where its content is too wide.
      const right = await part.evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return Math.max(element.getBoundingClientRect().right, range.getBoundingClientRect().right);
      });
      expect(right).toBeLessThanOrEqual(390);
    }
    await leave();
  });

  test('approves the spending of another account, and the spender sends again', async () => {
    const failed = await stage.send(1, [
      {
        contractAddress: STRK,
        entrypoint: 'transfer_from',
        calldata: [stage.address(2), stage.address(3), 5n * UNIT, 0n],
      },
    ]);
    const { page } = await stage.open(`tx/${failed}`);
    const approve = button(page, 'Allow account 1 to spend 5 STRK of account 2');
    await approve.waitFor();
    expect(await approve.getAttribute('title')).toBe('Sends a transaction');
    await approve.click();
    await expectSuccess(page, failed);
  });

  test('raises the bound of gas, and sends the transaction with it', async () => {
    const reverter = await stage.deploy('reverter');
    const burn = { contractAddress: reverter, entrypoint: 'burn', calldata: ['3000'] };
    const account = stage.node.account(1);
    const { resourceBounds } = await account.estimateInvokeFee([burn]);
    // The estimate is half as much again as the transaction uses.
    const offered = (resourceBounds.l2_gas.max_amount * 45n) / 100n;
    const { transaction_hash: failed } = await account.execute([burn], {
      resourceBounds: {
        ...resourceBounds,
        l2_gas: { ...resourceBounds.l2_gas, max_amount: offered },
      },
    });
    await stage.node.provider.waitForTransaction(failed);
    const { page } = await stage.open(`tx/${failed}`);
    const raise = button(page, /^Send again with at most \d+ l2_gas$/);
    await raise.waitFor();
    expect(await statusOf(page)).toBe('REVERTED');
    const raised = BigInt((await raise.innerText()).replace(/\D*(\d{4,})\D.*/, '$1'));
    expect(raised).toBeGreaterThan(offered);
    expect(await raise.getAttribute('title')).toBe('Sends a transaction');
    await raise.click();
    await page.getByRole('heading', { level: 1, name: 'Succeeded' }).waitFor();
    const hash = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    expect(hash).not.toBe(failed);
    const sent = await stage.node.client.call('starknet_getTransactionByHash', {
      transaction_hash: hash,
    });
    expect(sent).toMatchObject({
      sender_address: stage.address(1),
      resource_bounds: { l2_gas: { max_amount: `0x${raised.toString(16)}` } },
    });
  });

  test('moves the clock to the time that the contract has stored, and never back', async () => {
    const vault = await stage.deploy('vault', ['0x0', String(DAY)]);
    const call = (entrypoint: string) => [{ contractAddress: vault, entrypoint, calldata: [] }];
    await stage.send(1, call('request_exit'));
    const failed = await stage.send(1, call('exit'));
    const { page } = await stage.open(`tx/${failed}`);
    const move = button(page, /^Move the clock to \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    await move.waitFor();
    expect(await move.getAttribute('title')).toBe('Calls devnet_setTime');
    const { timestamp: before } = await stage.node.client.call('starknet_getBlockWithTxHashes', {
      block_id: 'latest',
    });
    await move.click();
    await expectSuccess(page, failed);
    const { timestamp: after } = await stage.node.client.call('starknet_getBlockWithTxHashes', {
      block_id: 'latest',
    });
    expect(after - before).toBeGreaterThan(DAY - 60);
    // The clock is later now: the button of the old failure is disabled and says why.
    await page.goto(`${stage.origin}/ui/tx/${failed}`);
    await expect.poll(() => move.getAttribute('aria-disabled')).toBe('true');
    expect(await move.getAttribute('title')).toBe('The clock is already later.');
  });

  test('leads to the declaration of a class that is not declared, and to a deployment of a missing contract', async () => {
    const missing = '0x123abc';
    const failed = await stage.send(1, [
      { contractAddress: DEPLOYER, entrypoint: 'deployContract', calldata: [missing, 1, 0, 0] },
    ]);
    const { page } = await stage.open(`tx/${failed}`);
    await why(page).getByRole('link', { name: 'Declare class 0x123abc…' }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/ui/classes');
    const panel = page.getByRole('region', { name: 'Declare a class' });
    await panel.getByText(`The failed transaction needs class ${missing}.`).waitFor();
    await page.locator('input[type=file]').setInputFiles(sierraFile('slots'));
    await panel.getByText('not the class that the transaction needs').waitFor();
    const nowhere = await stage.send(1, [
      { contractAddress: '0x777', entrypoint: 'get', calldata: [] },
    ]);
    await page.goto(`${stage.origin}/ui/tx/${nowhere}`);
    await why(page).getByRole('link', { name: 'Deploy a contract…' }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/ui/classes');
  });
});

test('a remedy that the node rejects says why, and offers nothing more', async () => {
  const restricted = await setStage({ restrictedMethods: ['devnet_mint'] });
  try {
    const failed = await restricted.send(1, [restricted.transfer(2, 2_000n * UNIT)]);
    const { page } = await restricted.open(`tx/${failed}`);
    await button(page, /^Give account 1 the missing/).click();
    await why(page)
      .getByRole('alert')
      .getByText(/Give account 1 the missing.*devnet_mint/)
      .waitFor();
    expect(await button(page, 'Send again').count()).toBe(0);
  } finally {
    await restricted.close();
  }
});

test('a rejected transaction has its explanation, and the check of its signature is turned off', async () => {
  const { client } = stage.node;
  const signed = {
    type: 'INVOKE',
    version: '0x3',
    sender_address: stage.address(5),
    calldata: ['0x0'],
    nonce: '0x0',
    signature: ['0x1', '0x2'],
    resource_bounds: {
      l1_gas: { max_amount: '0x0', max_price_per_unit: '0x12a05f200' },
      l1_data_gas: { max_amount: '0x2710', max_price_per_unit: '0x12a05f200' },
      l2_gas: { max_amount: '0x5f5e100', max_price_per_unit: '0x12a05f200' },
    },
    tip: '0x0',
    paymaster_data: [],
    account_deployment_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
  } as const;
  await client.failure('starknet_addInvokeTransaction', [signed]);
  const rejected = new Transaction(signed, 'SN_SEPOLIA').hash;
  const { page } = await stage.open(`tx/${rejected}`);
  await why(page).getByText('The node rejected this transaction').waitFor();
  const accept = button(page, 'Accept transactions of account 5 without a signature');
  expect(await accept.getAttribute('title')).toBe('Calls devnet_impersonateAccount');
  await accept.click();
  await why(page)
    .getByRole('status')
    .getByText(/without a signature: done/)
    .waitFor();
  const { transaction_hash } = await client.call('starknet_addInvokeTransaction', [signed]);
  expect(transaction_hash).toBe(rejected);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Succeeded' }).waitFor();
});
