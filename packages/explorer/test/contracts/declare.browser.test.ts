// Declaring and deploying classes.
/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Class } from '@starkbox/engine';
import { hash } from 'starknet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countOf, openLive, type Stage, setStage } from '../support/stage.js';

let stage: Stage;
let counter: string;

beforeAll(async () => {
  stage = await setStage();
  counter = await stage.deploy('counter', ['7']);
});
afterAll(() => stage.close());

const sierraFile = (name: string): string =>
  fileURLToPath(new URL(`../../../../contracts/cairo/${name}.sierra.json`, import.meta.url));

describe('a class', () => {
  test('is declared by a transaction from its files', async () => {
    const { page, complaints } = await openLive(stage, 'classes');
    await page.getByRole('button', { name: 'Declare…' }).click();
    const text = readFileSync(sierraFile('emitter'), 'utf8');
    const casm = await (await Class.compile(text)).casm();
    await page.locator('input[type=file]').setInputFiles([
      { name: 'emitter.json', mimeType: 'application/json', buffer: Buffer.from(text) },
      { name: 'emitter.casm.json', mimeType: 'application/json', buffer: Buffer.from(casm) },
    ]);
    const expected = hash.computeContractClassHash(text);
    await page.getByText(expected).waitFor();
    await page.getByRole('button', { name: 'Declare as account 0' }).click();
    await page.getByText('Declare as account 0:').waitFor();
    const contractClass = await stage.node.client.call('starknet_getClass', {
      block_id: 'pre_confirmed',
      class_hash: expected,
    });
    expect('sierra_program' in contractClass).toBe(true);
    await page.locator(`tr a[href="/ui/class/${expected}"]`).first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('has the versions of Sierra and of the compiler on its page', async () => {
    const class_hash = await stage.node.client.call('starknet_getClassHashAt', {
      block_id: 'latest',
      contract_address: counter,
    });
    const contractClass = await stage.node.client.call('starknet_getClass', {
      block_id: 'latest',
      class_hash,
    });
    const program = 'sierra_program' in contractClass ? contractClass.sierra_program : [];
    const [sierra, compiler] = [program.slice(0, 3), program.slice(3, 6)].map((felts) =>
      felts.map(Number).join('.'),
    );
    const { page } = await stage.open(`class/${class_hash}`);
    const fact = (name: string) =>
      page.locator('.fact-grid > div', { hasText: name }).locator('dd');
    await expect.poll(() => fact('Sierra version').innerText()).toBe(sierra);
    expect(await fact('Compiler version').innerText()).toBe(compiler);
    expect(sierra).not.toBe('0.1.0');
  });

  test('is declared without a transaction and CASM; invalid files are refused', async () => {
    const { page } = await openLive(stage, 'classes');
    await page.getByRole('button', { name: 'Declare…' }).click();
    const file = page.locator('input[type=file]');
    const asFile = (name: string, text: string) => ({
      name,
      mimeType: 'application/json',
      buffer: Buffer.from(text),
    });
    await file.setInputFiles([asFile('a.json', '{')]);
    await page.getByText('The file is not valid JSON.').waitFor();
    await file.setInputFiles([asFile('b.json', '{"sierra_program":["1"]}')]);
    await page.getByText('The Sierra class is incomplete.').waitFor();
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

  test('is deployed at the predicted address', async () => {
    const classOf = await stage.node.client.call('starknet_getClassHashAt', {
      block_id: 'latest',
      contract_address: counter,
    });
    const { page, complaints } = await openLive(stage, `class/${classOf}?tab=deploy`);
    await page.getByLabel('start u128').fill('42');
    const address = page.locator('[data-address] code');
    await address.waitFor();
    const first = await address.innerText();
    await page.getByLabel('salt').fill('0x77');
    await expect.poll(() => address.innerText()).not.toBe(first);
    const salted = await address.innerText();
    await page.getByLabel('an address that only this account').check();
    await expect.poll(() => address.innerText()).not.toBe(salted);
    const unique = await address.innerText();
    await page.getByLabel('sender', { exact: true }).fill('account 3');
    await expect.poll(() => address.innerText()).not.toBe(unique);
    const addressText = await address.innerText();
    await page.getByRole('button', { name: /^Deploy as account 3/ }).click();
    await page.getByText('Deployed:').waitFor();
    expect(await countOf(stage, addressText)).toBe(42n);
    await page.getByRole('link', { name: 'Contracts', exact: true }).last().click();
    await page.locator(`td a[href="/ui/contract/${addressText}"]`).waitFor();
    expect(complaints).toEqual([]);
  });
});
