// Calls of a contract: reading, simulating, sending as own or impersonated account, batches.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countOf, openLive, STRK, type Stage, setStage, watchClipboard } from '../support/stage.js';

let stage: Stage;
let counter: string;
let reverter: string;

beforeAll(async () => {
  stage = await setStage();
  counter = await stage.deploy('counter', ['7']);
  reverter = await stage.deploy('reverter');
});
afterAll(() => stage.close());

const nonce = async (contract_address: string): Promise<bigint> =>
  BigInt(
    await stage.node.client.call('starknet_getNonce', {
      block_id: 'pre_confirmed',
      contract_address,
    }),
  );
const balance = async (address: string): Promise<bigint> =>
  BigInt(
    (
      await stage.node.client.call('devnet_getAccountBalance', {
        address,
        unit: 'FRI',
        block_id: 'pre_confirmed',
      })
    ).amount,
  );
const sentHash = async (page: Page): Promise<string> => {
  const link = page.locator('.outcome').getByRole('link', { name: /^transaction 0x/ });
  return /tx\/(0x[0-9a-f]+)/.exec((await link.getAttribute('href')) ?? '')?.[1] ?? '';
};

describe('a contract', () => {
  test('without transactions opens on its functions; those without inputs are read after each block', async () => {
    const { page, complaints } = await openLive(stage, `contract/${counter}`);
    const reading = page.locator('.functions li', { hasText: 'get' }).locator('.reading');
    await expect.poll(() => reading.innerText()).toBe('7');
    await stage.send(1, [{ contractAddress: counter, entrypoint: 'increase', calldata: ['0x2'] }]);
    await expect.poll(() => reading.innerText()).toBe('9');
    await page.locator('.tabs').getByRole('link', { name: 'Transactions' }).click();
    await page.locator('tr[data-row]').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('a simulation changes nothing, and sending fetches the private key only then', async () => {
    const { page, complaints } = await openLive(
      stage,
      `contract/${counter}?tab=interact&f=increase`,
    );
    const bodies: string[] = [];
    page.on('request', (request) => bodies.push(request.postData() ?? ''));
    const before = await countOf(stage, counter);
    await page.getByLabel('amount').fill('5');
    await page.getByLabel('amount').press('Control+Enter');
    await page.getByText('Would succeed').waitFor();
    await page.getByText('CountRaised(').waitFor();
    expect(await countOf(stage, counter)).toBe(before);
    await page.getByLabel('amount').fill('6');
    await page.getByText('This result is for other inputs.').waitFor();
    await page.getByLabel('amount').fill('5');
    expect(await page.getByText('This result is for other inputs.').count()).toBe(0);
    expect(bodies.join()).not.toContain('devnet_getPredeployedAccounts');
    const nonceBefore = await nonce(stage.address(0));
    await page.getByLabel('amount').press('Control+Shift+Enter');
    await page.getByText('Succeeded').waitFor();
    expect(await countOf(stage, counter)).toBe(before + 5n);
    expect(await nonce(stage.address(0))).toBe(nonceBefore + 1n);
    const receipt = await stage.node.client.call('starknet_getTransactionReceipt', {
      transaction_hash: await sentHash(page),
    });
    expect(receipt.execution_status).toBe('SUCCEEDED');
    const key = stage.node.node.accounts[0]?.privateKey ?? 'none';
    expect(await page.content()).not.toContain(BigInt(key).toString(16));
    expect(page.url() + bodies.join()).not.toContain(BigInt(key).toString(16));
    await expect.poll(() => page.locator('.reading').first().innerText()).toBe(String(before + 5n));
    expect(complaints).toEqual([]);
  });

  test('on a phone, the form of the chosen function is in view, and the open tab does not fade', async () => {
    const { page } = await stage.open(`contract/${STRK}?tab=interact&f=transfer`, {
      viewport: { width: 390, height: 800 },
    });
    const fold = page.getByRole('button', { name: 'Function: transfer' });
    await fold.waitFor();
    const recipient = await page.getByLabel('recipient').boundingBox();
    expect(recipient?.y).toBeLessThan(600);
    const list = page.locator('.function-list');
    expect(await list.isVisible()).toBe(false);
    await fold.click();
    await list.getByRole('button', { name: 'approve', exact: true }).click();
    await page.getByRole('heading', { name: 'approve' }).waitFor();
    expect(await list.isVisible()).toBe(false);
    const tabs = page.locator('.tabs[data-more-before][data-more-after]');
    await tabs.waitFor();
    await page.getByRole('link', { name: 'History' }).click();
    await page.locator('.tabs[data-more-before]:not([data-more-after])').waitFor();
  });

  test('functions are found by name, and inputs take amounts and names', async () => {
    const { page } = await openLive(stage, `contract/${STRK}?tab=interact`);
    await page.getByLabel('Find a function').fill('transf');
    await page.getByRole('button', { name: 'transfer', exact: true }).click();
    await page.getByLabel('recipient').fill('account 4');
    await page.getByLabel('amount').fill('1.5 STRK');
    await page.getByText('= 1,500,000,000,000,000,000').waitFor();
    const before = await balance(stage.address(4));
    await page.getByRole('button', { name: /^Send as account 0/ }).click();
    await page.getByText('Succeeded').waitFor();
    expect((await balance(stage.address(4))) - before).toBe(1_500_000_000_000_000_000n);
    await page.getByText('Transfer(from: account 0').waitFor();
    await page.getByText(/^State /).click();
    await page.getByText('+1.5 STRK').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  });

  test('an account without a known key is impersonated', async () => {
    // It accepts no signature at all.
    const other = await stage.deploy('account_reject', ['2']);
    await stage.node.client.call('devnet_mint', { address: other, amount: 10 ** 18, unit: 'FRI' });
    const { page } = await openLive(stage, `contract/${STRK}?tab=interact&f=approve`);
    await page.getByLabel('spender').fill('account 1');
    await page.getByLabel('amount').fill('3');
    await page.getByLabel('sender', { exact: true }).fill(other);
    const before = await nonce(other);
    await page.getByRole('button', { name: /^Send as impersonated/ }).click();
    await page.getByText('Succeeded').waitFor();
    expect(await nonce(other)).toBe(before + 1n);
    const { impersonated_accounts } = await stage.node.client.call('devnet_getStatus', {});
    expect(impersonated_accounts).toEqual([]);
  });

  test('a failing call is explained, and can be sent anyway', async () => {
    const { page } = await openLive(stage, `contract/${reverter}?tab=interact&f=write_then_fail`);
    await page.getByLabel('value').fill('1');
    await page.getByRole('button', { name: 'Add an item to data' }).click();
    await page.getByLabel('0 felt252').fill("'broken'");
    const before = await nonce(stage.address(0));
    await page.getByRole('button', { name: /^Send as account 0/ }).click();
    await page.getByText('Not sent').waitFor();
    await page.locator('.why', { hasText: '“broken”' }).waitFor();
    expect(await nonce(stage.address(0))).toBe(before);
    await page.getByRole('button', { name: 'Send it anyway' }).click();
    await page.getByText('Reverted', { exact: true }).first().waitFor();
    expect(await nonce(stage.address(0))).toBe(before + 1n);
  });

  test('resource bounds can be changed', async () => {
    const { page } = await openLive(stage, `contract/${counter}?tab=interact&f=increase`);
    await page.getByLabel('amount').fill('1');
    await page.getByRole('button', { name: /^Simulate/ }).click();
    await page.getByText('simulation × 1.5').click();
    const before = await countOf(stage, counter);
    await page.getByLabel('most l2 gas').fill('1');
    await page.getByRole('button', { name: /^Send as account 0/ }).click();
    await page.getByRole('alert').getByText('starknet_addInvokeTransaction').waitFor();
    expect(await countOf(stage, counter)).toBe(before);
    await page.getByLabel('most l2 gas').fill('77000000');
    await page.getByText('as set by you').waitFor();
    await page.getByRole('button', { name: /^Send as account 0/ }).click();
    await page.getByText('Succeeded').waitFor();
    const transaction = await stage.node.client.call('starknet_getTransactionByHash', {
      transaction_hash: await sentHash(page),
    });
    expect('resource_bounds' in transaction && transaction.resource_bounds.l2_gas.max_amount).toBe(
      `0x${(77_000_000).toString(16)}`,
    );
  });

  test('a form is stored in the address, and opening it sends nothing', async () => {
    const { page } = await openLive(stage, `contract/${counter}?tab=interact&f=increase`);
    await page.getByLabel('amount').fill('11');
    await expect.poll(() => page.url()).toContain('#form=');
    const before = await countOf(stage, counter);
    const again = await openLive(stage, page.url().replace(`${stage.origin}/ui/`, ''));
    await expect.poll(() => again.page.getByLabel('amount').inputValue()).toBe('11');
    await again.settled();
    expect(await countOf(stage, counter)).toBe(before);
  });

  test('copied curl, sncast and starknet.js calls work', async () => {
    const { page } = await openLive(stage, `contract/${counter}?tab=interact&f=get`);
    const clipboard = await watchClipboard(page);
    const copied = async (name: string): Promise<string> => {
      await page.getByRole('button', { name: `Copy as ${name}` }).click();
      await page.getByRole('button', { name: `${name} copied` }).waitFor();
      return clipboard();
    };
    const ask = async (curl: string): Promise<{ result: unknown[] }> => {
      const body = /-d '(.*)'$/s.exec(curl)?.[1] ?? '';
      const headers = { 'content-type': 'application/json' };
      return (await fetch(stage.node.url, { method: 'POST', headers, body })).json();
    };
    expect(await ask(await copied('curl'))).toMatchObject({
      result: [`0x${(await countOf(stage, counter)).toString(16)}`],
    });
    expect(await copied('sncast')).toContain(`--contract-address ${counter} --function 'get'`);
    await page.getByRole('button', { name: 'increase', exact: true }).click();
    await page.getByLabel('amount').fill('4');
    expect((await ask(await copied('curl'))).result).toHaveLength(1);
    expect(await copied('starknet.js')).toBe(
      `await account.execute([{ contractAddress: '${counter}', entrypoint: 'increase', calldata: ['0x4'] }]);`,
    );
  });

  test('a raw call takes any selector', async () => {
    const { page } = await openLive(stage, `contract/${counter}?tab=interact`);
    await page.getByRole('button', { name: 'Raw call' }).click();
    await page.getByRole('textbox', { name: 'function', exact: true }).fill('increase');
    await page.getByRole('button', { name: 'Paste calldata as JSON or CSV' }).click();
    await page.getByLabel('JSON or CSV').last().fill('0x3');
    await page.getByRole('button', { name: 'Fill from this' }).click();
    const before = await countOf(stage, counter);
    await page.getByRole('button', { name: /^Send as account 0/ }).click();
    await page.getByText('Succeeded').waitFor();
    expect(await countOf(stage, counter)).toBe(before + 3n);
  });
});

test('calls are batched, reordered by keyboard, and sent as one transaction', async () => {
  const { page } = await openLive(stage, `contract/${counter}?tab=interact&f=increase`);
  await page.getByLabel('amount').fill('20');
  await page.getByRole('button', { name: 'Add to batch' }).click();
  const tray = page.getByRole('region', { name: 'Batch' });
  await tray.getByText('1 call in one transaction').waitFor();
  await page.getByRole('link', { name: 'Contracts' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Contracts' }).waitFor();
  await page.locator(`a[href="/ui/contract/${reverter}"]`).first().click();
  await page.getByRole('link', { name: 'Interact' }).click();
  await page.getByRole('button', { name: 'write', exact: true }).click();
  await page.getByLabel('value').fill('8');
  await page.getByRole('button', { name: 'Add to batch' }).click();
  await tray.getByText('2 calls in one transaction').waitFor();
  await tray.getByRole('button', { name: 'Move write up, from place 2' }).press('Enter');
  await expect.poll(() => tray.locator('li').first().innerText()).toContain('write');
  const before = await countOf(stage, counter);
  await tray.getByRole('button', { name: /^Send the batch as account 0/ }).click();
  await tray.getByText('Succeeded').waitFor();
  expect(await countOf(stage, counter)).toBe(before + 20n);
  const transaction = await stage.node.client.call('starknet_getTransactionByHash', {
    transaction_hash: await sentHash(page),
  });
  expect('calldata' in transaction && transaction.calldata.slice(0, 2)).toEqual([
    '0x2',
    `0x${BigInt(reverter).toString(16)}`,
  ]);
});

test('a field is validated on blur, and all fields on submit', async () => {
  const { page } = await openLive(stage, `contract/${STRK}?tab=interact&f=transfer`);
  const recipient = page.getByLabel('recipient');
  await recipient.fill('nobody');
  expect(await recipient.getAttribute('aria-invalid')).toBe('false');
  await recipient.blur();
  expect(await recipient.getAttribute('aria-invalid')).toBe('true');
  await page.getByText('Enter an address (0x…) or a name').waitFor();
  expect(await page.getByLabel('amount').getAttribute('aria-invalid')).toBe('false');
  await page.getByRole('button', { name: /^Simulate/ }).click();
  await expect.poll(() => page.getByLabel('amount').getAttribute('aria-invalid')).toBe('true');
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-invalid')))
    .toBe('true');
  expect(await recipient.evaluate((element) => element === document.activeElement)).toBe(true);
});

test('calls are encoded for Cairo 0 accounts', async () => {
  const old = await setStage({ accountClass: 'cairo0' });
  try {
    const { page } = await openLive(old, `contract/${STRK}?tab=interact&f=transfer`);
    const form = page.getByRole('form', { name: 'Call transfer' });
    await form.getByLabel('recipient').fill('account 2');
    await form.getByLabel('amount').fill('7');
    await form.getByRole('button', { name: /^Send as account 0/ }).click();
    await page.getByText('Succeeded', { exact: true }).first().waitFor();
    await page.getByText('Transfer(from: account 0').waitFor();
    const { amount } = await old.node.client.call('devnet_getAccountBalance', {
      address: old.address(2),
      unit: 'FRI',
      block_id: 'pre_confirmed',
    });
    expect(BigInt(amount) % 1000n).toBe(7n);
    await page
      .getByRole('link', { name: /^transaction 0x/ })
      .last()
      .click();
    await page.getByText('called STRK.transfer').waitFor();
  } finally {
    await old.close();
  }
});
