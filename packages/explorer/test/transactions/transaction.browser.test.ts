// Page of a transaction: tokens, frames, raw answers, simulation, status, and a transaction that was aborted.
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Page } from 'playwright-core';
import { hash } from 'starknet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.js';

const TOKEN_CLASS = '0x2e77ee61d4df3d988ee1f42ea5442e913862cc82c2584d212ecda76666498fc';

let stage: Stage;
let token: string;
let transferHash: string;
let reverter: string;
let deep: string;

beforeAll(async () => {
  stage = await setStage();
  reverter = await stage.deploy('reverter');
  const { contract_address } = await stage.node.account(0).deployContract({
    classHash: TOKEN_CLASS,
    // Name, symbol GOLD, two decimals, a supply for account 1, and who governs.
    constructorCalldata: [
      ...['0x0', '0x476f6c64', '0x4', '0x0', '0x474f4c44', '0x4', '0x2', '0x2710', '0x0'],
      ...[stage.address(1), stage.address(1), stage.address(1), '0x0'],
    ],
  });
  token = contract_address;
  transferHash = await stage.send(1, [
    stage.transfer(2, 1_500_000_000_000_000_000n),
    { contractAddress: token, entrypoint: 'transfer', calldata: [stage.address(3), 1_250n, 0n] },
  ]);
  deep = await stage.send(1, [
    { contractAddress: reverter, entrypoint: 'recurse', calldata: ['0x10'] },
  ]);
});
afterAll(() => stage.close());

/** Catches copied texts, because pages may not read the clipboard. */
async function watchCopies(page: Page): Promise<() => Promise<string>> {
  await page.evaluate(() => {
    navigator.clipboard.writeText = async (text) => {
      document.body.dataset['copied'] = text;
    };
  });
  return () => page.evaluate(() => document.body.dataset['copied'] ?? '');
}

describe('a transaction', () => {
  test('token movements use the symbol of the token, and the fee is separate', async () => {
    const { page } = await stage.open(`tx/${transferHash}`);
    const moves = page.getByRole('list', { name: 'Token transfers' });
    await moves.getByText('12.5 GOLD').waitFor();
    const lines = await moves.getByRole('listitem').allInnerTexts();
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/account 1\s+→ account 2\s+1\.5 STRK/);
    expect(await page.getByRole('list', { name: 'Fee' }).innerText()).toMatch(
      /account 1\s+→ sequencer/,
    );
  });

  test('a deep frame is opened from the address', async () => {
    const frame = `execute.${Array(9).fill('0').join('.')}`;
    const { page } = await stage.open(`tx/${deep}?frame=${frame}`);
    await page.locator('tr[aria-selected=true][aria-level="10"]').waitFor();
  });

  test('c copies a frame, g shows its gas, / finds frames by name', async () => {
    const { page } = await stage.open(`tx/${deep}`);
    const copiedText = await watchCopies(page);
    const row = page.getByRole('row', { name: /recurse/ }).first();
    await row.focus();
    await page.keyboard.press('c');
    const copied = JSON.parse(await copiedText());
    expect(copied).toEqual({
      contract_address: reverter,
      entry_point_selector: hash.getSelectorFromName('recurse'),
      calldata: ['0x10'],
    });
    await page.keyboard.press('/');
    await page.keyboard.type('validate');
    await page.getByText('1 frame', { exact: true }).waitFor();
    await expect.poll(() => page.getByRole('row', { name: /recurse/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await row.focus();
    await page.keyboard.press('g');
    await page.getByRole('treeitem').first().waitFor();
    expect(new URL(page.url()).searchParams.get('focus')).toBe('execute.0');
  });

  test('raw answers are offered as curl, starknet.js and file', async () => {
    const { page } = await stage.open(`tx/${transferHash}?tab=raw`);
    const copiedText = await watchCopies(page);
    await page.getByText('Receipt', { exact: true }).click();
    await page.getByRole('button', { name: 'Copy receipt as curl' }).click();
    const curl = await copiedText();
    expect(curl).toContain('starknet_getTransactionReceipt');
    await page.getByRole('button', { name: 'Copy receipt as starknet.js' }).click();
    const script = await copiedText();
    expect(script).toContain(`provider.getTransactionReceipt('${transferHash}')`);
    await page.getByText(/^State update of block/).click();
    await page.getByRole('button', { name: 'Copy state update as curl' }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).last().click();
    expect((await download).suggestedFilename()).toBe('state-update.json');
  });

  test('a transaction is simulated again and labelled', async () => {
    const { page } = await stage.open(`tx/${transferHash}`);
    const link = page.getByRole('link', { name: 'Simulate again' });
    expect(await link.getAttribute('href')).toBe(`/ui/simulate?tx=${transferHash}`);
    await page.getByRole('button', { name: 'Label…' }).click();
    await page.getByLabel('label').fill('the payday');
    await page.getByRole('button', { name: 'Set the label' }).click();
    await page.locator('.title', { hasText: 'the payday' }).waitFor();
    const { labels } = await stage.node.client.call('devnet_getLabels', {});
    expect(labels).toContainEqual({ value: transferHash, label: 'the payday' });
  });

  test('a transaction from L1 shows its message, time and place in the block', async () => {
    const messenger = await stage.deploy('messenger');
    const { transaction_hash } = await stage.node.client.call('devnet_postmanSendMessageToL2', {
      l2_contract_address: messenger,
      entry_point_selector: hash.getSelectorFromName('deposit'),
      l1_contract_address: '0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0',
      payload: [stage.address(1), '0x5'],
      paid_fee_on_l1: '0x1000000',
      nonce: '0x0',
    });
    const { page } = await stage.open(`tx/${transaction_hash}?tab=messages`);
    await page.getByText('0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0').waitFor();
    await page.getByRole('link', { name: 'All messages between L1 and L2' }).waitFor();
    const { timestamp } = await stage.node.client.call('starknet_getBlockWithTxHashes', {
      block_id: 'latest',
    });
    const year = String(new Date(timestamp * 1000).getUTCFullYear());
    const fact = (name: string) =>
      page.locator('.fact-grid > div', { hasText: name }).locator('dd');
    await expect.poll(() => fact('Time').innerText()).toContain(year);
    expect(await fact('Block').innerText()).toMatch(/^\d+ index 0$/);
  });

  test('the status changes when the block is closed', async () => {
    const waiting = await setStage({ blockGenerationOn: 'demand' });
    try {
      const { transaction_hash } = await waiting.node.client
        .call('devnet_mint', {
          address: waiting.address(1),
          amount: 5,
          unit: 'FRI',
        })
        .then(({ tx_hash }) => ({ transaction_hash: tx_hash }));
      const { page } = await waiting.open(`tx/${transaction_hash}`);
      const step = page.getByRole('list', { name: 'Status' }).locator('[aria-current=step]');
      await step.getByText('Pre-confirmed').waitFor();
      await waiting.node.client.call('devnet_createBlock', {});
      await step.getByText('Accepted on L2').waitFor();
    } finally {
      await waiting.close();
    }
  });

  test('an aborted transaction is still shown with the reason, and aborting asks first', async () => {
    const last = await stage.send(1, [stage.transfer(2, 3n)]);
    const { block_count } = await stage.node.client.call('devnet_getStatus', {});
    const { page } = await stage.open(`tx/${last}`);
    await page.getByRole('button', { name: 'Revert to before this…' }).click();
    const sheet = page.getByRole('dialog');
    expect(await sheet.innerText()).toContain(
      `You lose block ${block_count - 1} and all later blocks: 1`,
    );
    await sheet.getByLabel('download an image first').uncheck();
    await sheet.getByRole('button', { name: /^Abort from block/ }).click();
    await page.getByText('This transaction no longer exists: blocks were aborted at').waitFor();
    await page.getByRole('treegrid').waitFor();
    const after = await stage.node.client.call('devnet_getStatus', {});
    expect(after.block_count).toBe(block_count - 1);
    expect(await page.getByRole('link', { name: 'Simulate again' }).count()).toBe(0);
  });
});
