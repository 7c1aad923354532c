// Details of a transaction: calls that were undone, gas of a message from L1, and the sender's other transactions.
import { hash } from 'starknet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.js';

let stage: Stage;
let counter: string;
let undone: string;

beforeAll(async () => {
  stage = await setStage();
  counter = await stage.deploy('counter', ['7']);
  undone = await stage.send(1, [increase('5'), stage.transfer(2, 10n ** 30n)]);
});
afterAll(() => stage.close());

const increase = (amount: string) => ({
  contractAddress: counter,
  entrypoint: 'increase',
  calldata: [amount],
});

test('a call that was undone is decoded by a page that read nothing before', async () => {
  const { page, complaints } = await stage.open(`tx/${undone}`, {});
  const row = page.getByRole('row', { name: /undone/ });
  await expect.poll(() => row.innerText()).toMatch(/counter\.increase\(5\)/);
  expect(await page.getByRole('treegrid').innerText()).not.toMatch(/0x[0-9a-f]+….*\.0x/);
  await row.locator(`a[href="/ui/contract/${counter}"]`).first().waitFor();
  expect(complaints).toEqual([]);
});

test('the gas of a message from L1 adds up to the gas in its header', async () => {
  const messenger = await stage.deploy('messenger');
  const { transaction_hash } = await stage.node.client.call('devnet_postmanSendMessageToL2', {
    l2_contract_address: messenger,
    entry_point_selector: hash.getSelectorFromName('deposit'),
    l1_contract_address: '0x8359e4b0152ed5a731162d3c7b0d8d56edb165a0',
    payload: [stage.address(1), '0x5'],
    paid_fee_on_l1: '0x1000000',
    nonce: '0x0',
  });
  const receipt = await stage.node.client.call('starknet_getTransactionReceipt', {
    transaction_hash,
  });
  const gas = receipt.execution_resources.l2_gas.toLocaleString('en-US');
  const { page } = await stage.open(`tx/${transaction_hash}`);
  const handler = page.getByRole('row', { name: /deposit\(/ }).first();
  await handler.waitFor();
  const header = page.locator('main .fact-grid').first();
  expect(await header.innerText()).toMatch(new RegExp(`L2 gas\\s+${gas}`));
  // It is measured in Cairo steps: the rest of the gas stands below the calls.
  expect(await handler.innerText()).toMatch(/[1-9]\d* L1 gas/);
  expect(await page.locator('.outside-calls').innerText()).toContain(gas);
});

test('the sender’s previous and next transactions are one step away, by pointer', async () => {
  const first = await stage.send(3, [increase('1')]);
  // Transactions of other senders stand between them.
  await stage.send(4, [increase('2')]);
  const second = await stage.send(3, [increase('3')]);
  await stage.send(4, [increase('4')]);
  const third = await stage.send(3, [increase('5')]);
  const { page } = await stage.open(`tx/${second}`);
  const neighbours = page.getByRole('navigation', { name: 'Transactions of account 3' });
  const path = (): string => new URL(page.url()).pathname;
  await neighbours.getByRole('link', { name: 'Previous transaction of account 3' }).click();
  await expect.poll(path).toBe(`/ui/tx/${first}`);
  await neighbours.getByRole('img', { name: 'No previous transaction of account 3' }).waitFor();
  await neighbours.getByRole('link', { name: 'Next transaction of account 3' }).click();
  await expect.poll(path).toBe(`/ui/tx/${second}`);
  await neighbours.getByRole('link', { name: 'Next transaction of account 3' }).click();
  await expect.poll(path).toBe(`/ui/tx/${third}`);
  await neighbours.getByRole('img', { name: 'No next transaction of account 3' }).waitFor();
  // One that follows is found without loading the page again.
  const fourth = await stage.send(3, [increase('6')]);
  await neighbours.getByRole('link', { name: 'Next transaction of account 3' }).click();
  await expect.poll(path).toBe(`/ui/tx/${fourth}`);
});

test('a filter is added, shown as a chip, kept in the address, and removed', async () => {
  const { page } = await stage.open('transactions');
  const rows = page.locator('tr[data-row]');
  await rows.first().waitFor();
  const all = await rows.count();
  const query = () => Object.fromEntries(new URL(page.url()).searchParams);
  const add = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByRole('button', { name, exact: true }).click();
  };
  await add('Function');
  const field = page.getByLabel('Function', { exact: true });
  await field.fill('increase!');
  await page.getByText(/A function is a name like transfer/).waitFor();
  await field.fill('increase');
  await field.press('Enter');
  await expect.poll(query).toEqual({ function: 'increase' });
  await expect.poll(() => rows.count()).toBeLessThan(all);
  await add('Status');
  await page.getByRole('button', { name: 'reverted', exact: true }).click();
  await expect.poll(query).toEqual({ function: 'increase', status: 'REVERTED' });
  await expect.poll(() => rows.count()).toBe(1);
  await page.reload();
  await expect.poll(() => rows.count()).toBe(1);
  const chips = page.getByRole('search').locator('.chip.is-chosen');
  expect(await chips.allInnerTexts()).toEqual([
    expect.stringMatching(/Status\s*Reverted/i),
    expect.stringMatching(/Function\s*increase/),
  ]);
  await page.getByRole('button', { name: 'Clear Status' }).click();
  await expect.poll(query).toEqual({ function: 'increase' });
  await page.getByRole('button', { name: 'Clear Function' }).click();
  await expect.poll(query).toEqual({});
  await expect.poll(() => rows.count()).toBe(all);
  expect(await chips.count()).toBe(0);
});
