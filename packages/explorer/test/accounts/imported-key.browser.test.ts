// Accounts beyond the predeployed: a labelled one, and sending with a key that was imported into the tab.
import { ec } from 'starknet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultsOf } from '../support/accessibility.js';
import { tabTo } from '../support/keyboard.js';
import { countOf, isLive, type Stage, setStage } from '../support/stage.js';

const KEY = '0x5eed';
let stage: Stage;
let counter: string;
let account: string;

beforeAll(async () => {
  stage = await setStage();
  counter = await stage.deploy('counter', ['7']);
  const classHash = await stage.node.client.call('starknet_getClassHashAt', {
    block_id: 'latest',
    contract_address: stage.address(0),
  });
  const { contract_address } = await stage.node
    .account(0)
    .deployContract({ classHash, constructorCalldata: [ec.starkCurve.getStarkKey(KEY)] });
  account = `0x${BigInt(contract_address).toString(16)}`;
  await stage.node.client.call('devnet_mint', { address: account, amount: 10 ** 18, unit: 'FRI' });
  await stage.node.client.call('devnet_setLabel', { value: account, label: 'treasury' });
});
afterAll(() => stage.close());

const nonce = (): Promise<string> =>
  stage.node.client.call('starknet_getNonce', {
    block_id: 'pre_confirmed',
    contract_address: account,
  });

test('a key is compared with the account, kept in the tab, and signs', async () => {
  const { page, settled, complaints } = await stage.open('accounts', { bypassCSP: true });
  await isLive(page);
  const row = page.getByRole('table', { name: 'Other accounts' }).locator('tbody tr');
  await row.getByText('treasury').waitFor();
  await settled();
  expect(await faultsOf(page)).toEqual([]);
  await row.getByRole('button', { name: `Import the key of ${account}` }).press('Enter');
  // The field of the key has the focus.
  await page.keyboard.type('0x5eee');
  await page.keyboard.press('Enter');
  await page
    .getByRole('alert')
    .getByText(/^Its public key is 0x/)
    .waitFor();
  expect(await row.innerText()).not.toContain('in this tab');
  await page.getByLabel('private key', { exact: true }).fill(KEY);
  await page.keyboard.press('Enter');
  await page.getByText('Imported: it is the key of this account.').waitFor();
  await row.getByText('in this tab').waitFor();
  expect(await page.content()).not.toContain(KEY);

  await page.goto(`${stage.origin}/ui/contract/${counter}?tab=interact&f=increase`);
  await page.getByLabel('amount').fill('3');
  await page.getByLabel('sender', { exact: true }).fill(account);
  await page.getByRole('button', { name: /^Send as treasury/ }).click();
  await page.getByText('Succeeded').waitFor();
  expect(await nonce()).toBe('0x1');
  expect(await countOf(stage, counter)).toBe(10n);

  await page.goto(`${stage.origin}/ui/accounts`);
  await row.getByText('in this tab').waitFor();
  await page.getByRole('button', { name: 'Impersonate account 9' }).focus();
  await tabTo(page, /^Forget the key of 0x/);
  await page.keyboard.press('Enter');
  await row.getByRole('button', { name: `Import the key of ${account}` }).waitFor();
  expect(complaints).toEqual([]);
});
