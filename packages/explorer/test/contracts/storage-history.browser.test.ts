// Storage edits and class history of a contract.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countOf, openLive, type Stage, setStage } from '../support/stage.js';

let stage: Stage;
let counter: string;

beforeAll(async () => {
  stage = await setStage();
  counter = await stage.deploy('counter', ['7']);
});
afterAll(() => stage.close());

describe('storage', () => {
  test('several edits are reviewed and applied at once', async () => {
    const { page } = await openLive(stage, `contract/${counter}?tab=storage`);
    const before = await countOf(stage, counter);
    await page.getByRole('button', { name: 'Edit count', exact: true }).click();
    await page.getByLabel('New value of count').fill('1000');
    await page.getByLabel('New value of count').press('Enter');
    await page.getByText('Apply 1 change…').waitFor();
    await page.getByLabel('slot or variable').fill('elsewhere');
    await page.getByLabel('new value', { exact: true }).fill("'hi'");
    await page.getByRole('button', { name: 'Stage' }).click();
    await expect.poll(() => page.locator('tr.staged').count()).toBe(2);
    expect(await countOf(stage, counter)).toBe(before);
    await page.getByRole('button', { name: 'Apply 2 changes…' }).click();
    const sheet = page.getByRole('dialog');
    expect(await sheet.locator('tbody tr').count()).toBe(2);
    await sheet.getByRole('button', { name: 'Apply 2 changes' }).click();
    await expect.poll(() => countOf(stage, counter)).toBe(1000n);
    await expect.poll(() => page.locator('tr.staged').count()).toBe(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});

describe('names of slots', () => {
  test('are shown in the storage of a contract, with the value by its type', async () => {
    const { page } = await openLive(stage, `contract/${counter}?tab=storage`);
    const row = page.locator('tr[data-row]', { hasText: 'count' });
    await expect.poll(() => row.count()).toBe(1);
    expect(await row.innerText()).toContain('0x');
  });

  test('are shown in the changes of a transaction, of a block and between two blocks', async () => {
    const { client } = stage.node;
    const hash = await stage.send(0, [stage.transfer(1, 5n)]);
    const block = await client.call('starknet_blockNumber', {});
    for (const path of [
      `tx/${hash}?tab=state`,
      `block/${block}?tab=state`,
      `timeline?a=${block - 1}&b=${block}`,
    ]) {
      const { page } = await openLive(stage, path);
      const row = page
        .getByRole('table', { name: 'State changes' })
        .locator('tr[data-row]', { hasText: 'ERC20_balances[account 1]' });
      // Both halves of the balance are in one row.
      await expect.poll(() => row.count(), { message: path }).toBe(1);
      await expect.poll(() => row.innerText(), { message: path }).toContain('+5 fri');
      expect(await row.locator(`a[href$="/contract/${stage.address(1)}"]`).count()).toBe(1);
    }
  });
});

describe('history', () => {
  test('shows when a class was replaced', async () => {
    const upgradable = await stage.deploy('upgradable');
    const upgraded = await stage.deploy('upgraded');
    const { client } = stage.node;
    const hashAt = (contract_address: string) =>
      client.call('starknet_getClassHashAt', { block_id: 'latest', contract_address });
    const [was, is] = [await hashAt(upgradable), await hashAt(upgraded)];
    for (let at = 0; at < 20; at++) await client.call('devnet_createBlock', {});
    await stage.send(0, [
      { contractAddress: upgradable, entrypoint: 'replace_class', calldata: [is] },
    ]);
    const block = await client.call('starknet_blockNumber', {});
    const { page } = await openLive(stage, `contract/${upgradable}?tab=history`);
    const row = page.locator('tr[data-row]').first();
    await expect.poll(() => row.innerText()).toContain('class replaced');
    expect(await row.locator(`a[href="/ui/block/${block}"]`).count()).toBe(1);
    expect(await row.locator(`a[href="/ui/class/${was}"]`).count()).toBe(1);
    expect(await row.locator(`a[href="/ui/class/${is}"]`).count()).toBe(1);
    expect(await page.locator('tr[data-row]').count()).toBe(2);
  });
});
