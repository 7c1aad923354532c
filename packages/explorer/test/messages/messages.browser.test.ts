// Messages between L1 and L2, without an L1 and with Anvil.

import { startAnvil } from '@starkbox/test-support/l1/anvil';
import { deposit } from '@starkbox/test-support/l1/messaging-setup';
import type { Page } from 'playwright-core';
import type { Call } from 'starknet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isLive, type Stage, setStage } from '../support/stage.js';

const L1_USER = '0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0';
const price = { max_amount: 400_000_000n, max_price_per_unit: 5_000_000_000n };
const resourceBounds = {
  l1_gas: { ...price, max_amount: 100_000n },
  l2_gas: price,
  l1_data_gas: { ...price, max_amount: 40_000n },
};

let stage: Stage;
let messenger: string;

beforeAll(async () => {
  stage = await setStage();
  messenger = await stage.deploy('messenger');
  await stage.node.client.call('devnet_setLabel', { value: messenger, label: 'bridge' });
});
afterAll(() => stage.close());

/** A message to L1 takes gas there, which the usual transaction does not offer. */
async function tell(payload: readonly string[]): Promise<void> {
  const calldata = [L1_USER, `0x${payload.length.toString(16)}`, ...payload];
  const call: Call = { contractAddress: messenger, entrypoint: 'send', calldata };
  const { transaction_hash } = await stage.node.account(0).execute([call], { resourceBounds });
  await stage.node.provider.waitForTransaction(transaction_hash);
}

const list = (direction: 'TO_L1' | 'TO_L2') =>
  stage.node.client.call('devnet_listMessages', { direction });
const lane = (page: Page, name: 'L1 → L2' | 'L2 → L1') => page.getByRole('region', { name });
const detail = (page: Page) => page.getByRole('region', { name: 'The message' });
const balanceOf = async (user: string): Promise<bigint> => {
  const [balance = '0x0'] = await stage.node.provider.callContract({
    contractAddress: messenger,
    entrypoint: 'balance_of',
    calldata: [user],
  });
  return BigInt(balance);
};

test('explains how to connect an L1, and that there are no messages', async () => {
  const { page, complaints } = await stage.open('messages');
  await page.getByText('No L1 is connected').waitFor();
  await page.getByText('npx starkbox --l1 anvil').waitFor();
  await page.getByText('No message has come from L1.').waitFor();
  await page.getByText('No contract has sent a message to L1.').waitFor();
  await page.getByLabel('URL of the L1 node').fill('http://127.0.0.1:1');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByRole('alert').getByText('devnet_postmanLoad').waitFor();
  expect(complaints).toEqual([]);
});

test('a message is sent by a form of the handler’s inputs', async () => {
  const { page } = await stage.open('messages?send=1');
  await isLive(page);
  const form = page.getByRole('region', { name: 'Send a message to L2' });
  await form.getByLabel('to contract').fill('bridge');
  await form.getByLabel('handler').waitFor();
  await form.getByLabel('user').fill('account 3');
  await form.getByLabel('amount').fill('250');
  await form.getByRole('button', { name: 'Send the message' }).click();
  await expect.poll(() => balanceOf(stage.address(3))).toBe(250n);
  const row = lane(page, 'L1 → L2').locator('tr[data-row]', { hasText: 'deposit(account 3, 250)' });
  await row.waitFor();
  await form.getByLabel('amount').fill('0');
  await form.getByRole('button', { name: 'Send the message' }).click();
  await lane(page, 'L1 → L2')
    .locator('tr[data-row]', { hasText: 'reverted' })
    .click({ position: { x: 10, y: 10 } });
  await detail(page).getByText('messenger: empty deposit').waitFor();
  const [reverted] = (await list('TO_L2')).messages;
  expect(reverted?.state).toBe('REVERTED');
  await detail(page).locator(`a[href="/ui/tx/${reverted?.transaction_hash}"]`).waitFor();
});

test('a message to L1 appears live, and is consumed', async () => {
  const { page } = await stage.open('messages');
  await isLive(page);
  await tell(['0x68656c6c6f', '0x2a']);
  const row = lane(page, 'L2 → L1').locator('tr[data-row]', { hasText: '“hello”' });
  await row.getByText('waits').waitFor();
  await row.click({ position: { x: 10, y: 10 } });
  await detail(page).getByText('0x68656c6c6f').waitFor();
  const [message] = (await list('TO_L1')).messages;
  await detail(page)
    .getByText(message?.message_hash ?? '?')
    .waitFor();
  await detail(page).getByRole('button', { name: 'Consume' }).click();
  await expect.poll(async () => (await list('TO_L1')).messages[0]?.state).toBe('CONSUMED');
  await row.getByText('consumed').waitFor();
});

test('with a real L1 messages are carried both ways', async () => {
  const anvil = await startAnvil();
  const { page } = await stage.open('messages');
  await isLive(page);
  await page.getByLabel('URL of the L1 node').fill(anvil.url);
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByRole('region', { name: 'L1', exact: true }).waitFor();
  const { l1 } = await list('TO_L1');
  const contract = l1?.messaging_contract_address ?? '';
  await page.getByText(contract).first().waitFor();
  await tell(['0x7']);
  const l1Hash = await deposit(anvil.client(), contract, messenger, stage.address(5), 9);
  await page.getByText(/2 messages wait for L1|1 message waits for L1/).waitFor();
  await page.getByRole('button', { name: 'Relay messages both ways' }).click();
  await expect.poll(async () => (await list('TO_L1')).waiting).toBe(0);
  expect(await balanceOf(stage.address(5))).toBe(9n);
  await page.getByText(/Relay messages: \d to L1, 1 to L2/).waitFor();
  await lane(page, 'L2 → L1').locator('tr[data-row]').first().getByText('on L1').waitFor();
  const carried = lane(page, 'L1 → L2').locator('tr[data-row]', { hasText: 'account 5' });
  await carried.click({ position: { x: 10, y: 10 } });
  await detail(page).getByText(l1Hash).waitFor();
});

test('on a phone one direction is shown at a time', async () => {
  const { page } = await stage.open('messages', { viewport: { width: 400, height: 800 } });
  await page.locator('tr[data-row]').first().waitFor();
  expect(await page.locator('table').count()).toBe(1);
  await page.getByRole('button', { name: 'L2 → L1' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('lane')).toBe('TO_L1');
  await page.getByText('on L1').first().waitFor({ state: 'attached' });
});
