// Transactions are tried out one after the other, compared, and kept; classes are declared and deployed by hand.
/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Class } from '@starkbox/engine';
import type { Page } from 'playwright-core';
import { hash } from 'starknet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readClassFile } from '../src/parts/send/class-file.js';
import { classHash, compiledClassHash, contractAddress } from '../src/parts/send/hashes.js';
import { isLive, type Stage, setStage } from './support/stage.js';

let stage: Stage;
let counter: string;

beforeAll(async () => {
  stage = await setStage();
  counter = await stage.deploy('counter', ['7']);
}, 180_000);
afterAll(() => stage.close());

const GET = '0x17c00f03de8b5bd58d2016b59d251c13056b989171c5852949903bc043bc27';
const count = async (contract_address = counter): Promise<bigint> =>
  BigInt(
    (
      await stage.node.client.call('starknet_call', {
        request: { contract_address, entry_point_selector: GET, calldata: [] },
        block_id: 'pre_confirmed',
      })
    )[0] ?? 0,
  );
const open = async (path: string) => {
  const visit = await stage.open(path);
  await isLive(visit.page);
  return visit;
};
const sierraFile = (name: string): string =>
  fileURLToPath(new URL(`../../../contracts/cairo/${name}.sierra.json`, import.meta.url));

describe('steps', () => {
  const addStep = async (page: Page, amount: string): Promise<void> => {
    await page.getByRole('button', { name: 'Add a step' }).click();
    await page.getByLabel('contract', { exact: true }).fill(counter);
    await page.getByLabel('function', { exact: true }).selectOption('increase');
    await page.getByLabel('amount u128').fill(amount);
  };

  test('see what the former did, are compared with the run before, and are kept when wanted', async () => {
    const { page, complaints } = await open('simulate');
    await page.getByText('each on the state that the former leaves').waitFor();
    await addStep(page, '10');
    await addStep(page, '5');
    const before = await count();
    await page.getByRole('button', { name: /^Simulate 2 steps/ }).click();
    // The second step starts from what the first one left.
    await page.getByText(`before: ${before + 10n}, after: ${before + 15n}`).waitFor();
    expect(await count()).toBe(before);
    expect(await page.getByLabel('not as in the run before').count()).toBe(0);
    await page.getByLabel('Steps').getByRole('button', { name: /^1 / }).click();
    await page.getByLabel('amount u128').fill('0');
    await page.getByText('The steps were changed since.').waitFor();
    await page.getByLabel('amount u128').press('Control+Enter');
    await page.getByText('“counter: amount is 0”').waitFor();
    await page.getByText('Would be reverted').waitFor();
    // Both differ: the first fails, and the second starts from another number.
    await expect
      .poll(() => page.locator('.steps').getByLabel('not as in the run before').count())
      .toBe(2);
    await page.screenshot({ path: '/tmp/u1-simulate.png' });
    await page.getByLabel('amount u128').fill('1');
    await page.getByRole('button', { name: /^Keep: send them for real/ }).click();
    await page.locator('.outcome', { hasText: 'Succeeded' }).waitFor();
    expect(await count()).toBe(before + 6n);
    expect(complaints).toEqual([]);
  });

  test('that the node refuses say so, and which', async () => {
    const { page } = await open('simulate');
    await addStep(page, '1');
    await page.getByLabel('as', { exact: true }).fill('0x1234');
    await page.getByRole('button', { name: /^Simulate 1 step/ }).click();
    await page
      .getByRole('alert')
      .getByText(/answered 20/)
      .waitFor();
  });

  test('start from a transaction, on the state before it, and stay in the address', async () => {
    const transaction = await stage.send(1, [
      { contractAddress: counter, entrypoint: 'increase', calldata: ['0x21'] },
      stage.transfer(2, 5n),
    ]);
    const after = await count();
    const { page } = await open(`simulate?tx=${transaction}`);
    await page.getByLabel('amount u128').waitFor();
    expect(await page.getByLabel('amount u128').inputValue()).toBe('33');
    expect(await page.getByLabel('amount u256').inputValue()).toBe('5');
    await page.getByRole('button', { name: /^Simulate 1 step/ }).click();
    await page.getByText(`before: ${after - 33n}, after: ${after}`).waitFor();
    await expect.poll(() => page.url()).toContain('#form=');
    const again = await open(page.url().replace(`${stage.origin}/ui/`, ''));
    await again.page.getByLabel('amount u128').waitFor();
    expect(await again.page.getByLabel('amount u128').inputValue()).toBe('33');
    expect(await count()).toBe(after);
  });
});

describe('a class', () => {
  test('is hashed as a client does it', async () => {
    for (const name of ['counter', 'reverter']) {
      const text = readFileSync(sierraFile(name), 'utf8');
      const sierra = await readClassFile(new Blob([text]));
      expect(sierra.kind === 'sierra' && (await classHash(sierra.sierra))).toBe(
        hash.computeContractClassHash(text),
      );
      const casm = await (await Class.compile(text)).casm();
      const compiled = await readClassFile(new Blob([casm]));
      expect(compiled.kind === 'casm' && compiledClassHash(compiled.casm)).toBe(
        hash.computeCompiledClassHash(JSON.parse(casm)),
      );
    }
    expect(
      contractAddress({ deployer: '0x0', salt: '0x5', classHash: '0xc1a55', calldata: ['0x1'] }),
    ).toBe(hash.calculateContractAddressFromHash('0x5', '0xc1a55', ['0x1'], '0x0'));
  });

  test('is declared by a transaction, from its files', async () => {
    const { page, complaints } = await open('classes');
    await page.getByRole('button', { name: 'Declare…' }).click();
    const text = readFileSync(sierraFile('emitter'), 'utf8');
    const casm = await (await Class.compile(text)).casm();
    await page.locator('input[type=file]').setInputFiles([
      { name: 'emitter.json', mimeType: 'application/json', buffer: Buffer.from(text) },
      { name: 'emitter.casm.json', mimeType: 'application/json', buffer: Buffer.from(casm) },
    ]);
    const expected = hash.computeContractClassHash(text);
    await page.getByText(expected).waitFor();
    await page.screenshot({ path: '/tmp/u1-declare.png' });
    await page.getByRole('button', { name: 'Declare as account 0' }).click();
    await page.getByText('Declare as account 0:').waitFor();
    const found = await stage.node.client.call('starknet_getClass', {
      block_id: 'pre_confirmed',
      class_hash: expected,
    });
    expect('sierra_program' in found).toBe(true);
    await page.locator(`tr a[href="/ui/class/${expected}"]`).first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('is declared without a transaction and without CASM; a file that is none is refused', async () => {
    const { page } = await open('classes');
    await page.getByRole('button', { name: 'Declare…' }).click();
    const file = page.locator('input[type=file]');
    const given = (name: string, text: string) => ({
      name,
      mimeType: 'application/json',
      buffer: Buffer.from(text),
    });
    await file.setInputFiles([given('a.json', '{')]);
    await page.getByText('The file is no JSON.').waitFor();
    await file.setInputFiles([given('b.json', '{"sierra_program":["1"]}')]);
    await page.getByText('The Sierra class is not whole.').waitFor();
    await file.setInputFiles(sierraFile('slots'));
    const expected = hash.computeContractClassHash(readFileSync(sierraFile('slots'), 'utf8'));
    await page.getByText(expected).waitFor();
    expect(
      await page
        .getByRole('button', { name: 'Declare as account 0' })
        .getAttribute('aria-disabled'),
    ).toBe('true');
    await page.getByRole('button', { name: 'Declare without a transaction' }).click();
    await page.getByText('Declare without a transaction:').waitFor();
    await stage.node.client.call('starknet_getClass', {
      block_id: 'pre_confirmed',
      class_hash: expected,
    });
  });

  test('is deployed at the address that was shown before', async () => {
    const classOf = await stage.node.client.call('starknet_getClassHashAt', {
      block_id: 'latest',
      contract_address: counter,
    });
    const { page, complaints } = await open(`class/${classOf}?tab=deploy`);
    await page.getByLabel('start u128').fill('42');
    const address = page.locator('[data-address] code');
    await address.waitFor();
    const first = await address.innerText();
    await page.getByLabel('salt').fill('0x77');
    await expect.poll(() => address.innerText()).not.toBe(first);
    await page.getByLabel('an address that only this account').check();
    await page.getByLabel('as', { exact: true }).fill('account 3');
    await page.waitForTimeout(200);
    const shown = await address.innerText();
    await page.screenshot({ path: '/tmp/u1-deploy.png' });
    await page.getByRole('button', { name: /^Deploy as account 3/ }).click();
    await page.getByText('Deployed:').waitFor();
    expect(await count(shown)).toBe(42n);
    await page.getByRole('link', { name: 'Contracts', exact: true }).last().click();
    await page.locator(`td a[href="/ui/contract/${shown}"]`).waitFor();
    expect(complaints).toEqual([]);
  });
});
