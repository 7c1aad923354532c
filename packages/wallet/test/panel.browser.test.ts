// The panel in which a person approves and refuses requests.
/// <reference lib="dom" />
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, connect, openStage, STRK, type Stage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const dialog = (page: Page) => page.getByRole('dialog');
const press = (page: Page, name: string) => page.getByRole('button', { name }).click();

/** Faults of the page in both colour schemes, as axe finds them. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const texts: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
    texts.push(...violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes[0]?.html}`));
  }
  return texts;
}

test('a person connects an account, and approves a transfer shown by its names', async () => {
  const { page } = await stage.open('/');
  const connected = connect(page);
  await expect.poll(() => dialog(page).innerText()).toContain('Connect this page?');
  await page.getByLabel('Account').selectOption(stage.address(3));
  await press(page, 'Approve');
  expect(await connected).toEqual([stage.address(3)]);

  const before = await stage.balance(1);
  const answer = ask(page, 'wallet_addInvokeTransaction', stage.transfer('1234567'));
  await dialog(page).getByText('highest fee').waitFor();
  const dialogText = await dialog(page).innerText();
  for (const part of [
    'Send this transaction?',
    'STRK.transfer',
    'recipient',
    '(account 1)',
    'amount',
    '1234567',
  ]) {
    expect(dialogText).toContain(part);
  }
  expect(dialogText).toContain(stage.address(1));
  expect(dialogText).toContain(STRK);
  expect(await stage.balance(1)).toBe(before);
  await press(page, 'Approve');
  expect(await answer).toHaveProperty('transaction_hash');
  expect(await stage.balance(1)).toBe(before + 1_234_567n);
  expect(await dialog(page).count()).toBe(0);
});

test('Reject and Escape reject, and the focus returns', async () => {
  const { page } = await stage.open('/');
  for (const reject of [() => press(page, 'Reject'), () => page.keyboard.press('Escape')]) {
    await page.locator('#pay').focus();
    const answer = connect(page);
    await dialog(page).waitFor();
    expect(
      await page
        .getByRole('button', { name: 'Approve' })
        .evaluate((button) => button.matches(':focus')),
    ).toBe(true);
    await reject();
    expect(await answer).toMatchObject({ code: 113 });
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('pay');
  }
});

test('a page that connects twice at once is asked about once', async () => {
  const { page, wallet } = await stage.open('/');
  const both = Promise.all([connect(page), connect(page)]);
  await page.getByLabel('Account').waitFor();
  expect(await wallet.pending()).toHaveLength(1);
  await press(page, 'Approve');
  expect(await both).toEqual([[stage.address(0)], [stage.address(0)]]);
});

test('requests are shown one after the other', async () => {
  const { page, wallet } = await stage.open('/?data-policy=approve');
  await connect(page);
  await wallet.setPolicy('ask');
  const answers = ['1', '2'].map((amount) =>
    ask(page, 'wallet_addInvokeTransaction', stage.transfer(amount)),
  );
  await dialog(page).getByText('1 of 2 requests').waitFor();
  await press(page, 'Reject');
  await expect.poll(() => dialog(page).innerText()).not.toContain('of 2');
  await press(page, 'Approve');
  const [first, second] = await Promise.all(answers);
  expect(first).toMatchObject({ code: 113 });
  expect(second).toHaveProperty('transaction_hash');
});

test('a transaction that would be reverted is shown with its reason', async () => {
  const { page, wallet } = await stage.open('/?data-policy=approve');
  await connect(page);
  await wallet.setPolicy('ask');
  const answer = ask(page, 'wallet_addInvokeTransaction', stage.transfer(`${10n ** 30n}`));
  await dialog(page)
    .getByText(/would be reverted: .*insufficient balance/i)
    .waitFor();
  await wallet.reject();
  expect(await answer).toMatchObject({ code: 113 });
  expect(await dialog(page).count()).toBe(0);
});

test('a message is shown with a warning if it is for another chain', async () => {
  const { page, wallet } = await stage.open('/?data-policy=approve');
  await connect(page);
  await wallet.setPolicy('ask');
  const answer = ask(page, 'wallet_signTypedData', {
    types: {
      StarkNetDomain: [{ name: 'chainId', type: 'felt' }],
      Mail: [{ name: 'text', type: 'felt' }],
    },
    primaryType: 'Mail',
    domain: { chainId: 'SN_MAIN' },
    message: { text: '<img src=x>' },
  });
  await dialog(page).getByText('<img src=x>').waitFor();
  await dialog(page).getByText('The message is for the chain SN_MAIN').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await press(page, 'Approve');
  expect(await answer).toHaveLength(2);
});

test('axe finds nothing in either colour scheme', async () => {
  const { page, wallet } = await stage.open('/');
  const connected = connect(page);
  await page.getByLabel('Account').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await press(page, 'Approve');
  await connected;
  const answer = ask(page, 'wallet_addInvokeTransaction', stage.transfer(`${10n ** 30n}`));
  await dialog(page).getByText('would be reverted').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await wallet.reject();
  await answer;
});

test('the panel works on a page with a strict policy, and above its dialogs', async () => {
  const { page, complaints } = await stage.open('/strict');
  await page.evaluate(() => {
    const pageDialog = document.createElement('dialog');
    pageDialog.append('Confirm in your wallet');
    document.body.append(pageDialog);
    pageDialog.showModal();
  });
  const connected = connect(page);
  await page.getByLabel('Account').waitFor();
  const width = await dialog(page)
    .last()
    .evaluate((element) => element.clientWidth);
  expect(width).toBeGreaterThan(300);
  await press(page, 'Approve');
  expect(await connected).toEqual([stage.address(0)]);
  expect(complaints).toEqual([]);
});
