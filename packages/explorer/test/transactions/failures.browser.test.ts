// Page of a transaction: failures, call tree, state changes, and links between values.
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { classTextWithPlaces, marks } from '../../../../contracts/classes.js';
import { STRK, type Stage, setStage } from '../support/stage.js';

let stage: Stage;
let reverted: string;
let nested: string;
let large: string;
let counter: string;
let reverter: string;

beforeAll(async () => {
  stage = await setStage();
  reverter = await stage.deploy('reverter');
  counter = await stage.deploy('counter', ['7']);
  await stage.send(1, [
    stage.transfer(2, 1_500_000_000_000_000_000n),
    { contractAddress: counter, entrypoint: 'increase', calldata: ['0x5'] },
  ]);
  large = await stage.send(
    0,
    Array.from({ length: 60 }, () => stage.transfer(4, 1n)),
  );
  reverted = await stage.send(1, [
    stage.transfer(2, 1n),
    { contractAddress: STRK, entrypoint: 'transfer', calldata: [stage.address(2), 10n ** 30n, 0n] },
  ]);
  nested = await stage.send(2, [
    { contractAddress: reverter, entrypoint: 'fail_via', calldata: [reverter, '1', '0x6f6f7073'] },
  ]);
});
afterAll(() => stage.close());

describe('the source of a failure', () => {
  const FILE = 'contracts/src/failing/failures.cairo';
  let failed: string;

  beforeAll(async () => {
    const failures = await stage.deploy('failures', ['0']);
    const source = await readFile(new URL(`../../../../${FILE}`, import.meta.url), 'utf8');
    const artifact = JSON.parse(await classTextWithPlaces('failures'));
    const sources = { [FILE]: source };
    await stage.node.client.call('devnet_addArtifact', { artifact, sources });
    failed = await stage.send(1, [
      { contractAddress: failures, entrypoint: 'helper', calldata: ['0x1'] },
    ]);
  });

  test('is above the calls with its variables beside it; a function of the stack is chosen by keyboard', async () => {
    const { stack } = await stage.node.client.call('devnet_explainTransaction', [failed]);
    const { page, complaints } = await stage.open(`tx/${failed}`);
    const pane = page.getByRole('region', { name: 'Source' });
    await pane.waitFor();
    const marked = pane.locator('.code [aria-current]');
    const code = await pane.getByRole('region', { name: /^Lines around/ }).boundingBox();
    const values = await pane.getByRole('region', { name: 'Variables' }).boundingBox();
    const tree = await page.getByRole('treegrid').boundingBox();
    expect(values?.x).toBeGreaterThanOrEqual((code?.x ?? 0) + (code?.width ?? 0));
    expect((code?.y ?? 0) + (code?.height ?? 0)).toBeLessThan(800);
    expect((values?.y ?? 0) + (values?.height ?? 0)).toBeLessThan(800);
    expect(tree?.y).toBeGreaterThan((code?.y ?? 0) + (code?.height ?? 0));
    const codeLines = () => pane.locator('.code li .text').allTextContents();
    const [first, second] = stack;
    const lines = (at: typeof first) => at?.excerpt?.lines.map((line) => line.trim());
    expect((await codeLines()).map((line) => line.trim())).toEqual(lines(first));
    expect(await marked.textContent()).toMatch(/^ *value - 100 /);
    expect(await marked.getAttribute('value')).toBe(String(first?.line));
    await pane.getByText('has code and did not run').waitFor();
    expect(await marked.getAttribute('data-mark')).toBe('●');
    expect(await marked.textContent()).toMatch(/ran once$/);
    await pane.getByRole('button', { name: /::lowered/ }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => marked.getAttribute('value')).toBe(String(second?.line));
    expect((await codeLines()).map((line) => line.trim())).toEqual(lines(second));
    expect(await pane.locator('.place').innerText()).toContain(`${FILE}:${second?.line}:`);
    expect(complaints).toEqual([]);
  });

  test('is above the calls on a phone, where only its lines scroll sideways; axe finds nothing', async () => {
    const { page } = await stage.open(`tx/${failed}`, {
      bypassCSP: true,
      viewport: { width: 320, height: 700 },
    });
    const pane = page.getByRole('region', { name: 'Source' });
    await pane.waitFor();
    const line = await pane.locator('.code [aria-current]').boundingBox();
    const values = await pane.getByRole('region', { name: 'Variables' }).boundingBox();
    const tree = await page.getByRole('treegrid').boundingBox();
    expect((line?.y ?? 0) + (line?.height ?? 0)).toBeLessThan(700);
    expect(values?.y).toBeGreaterThan((line?.y ?? 0) + (line?.height ?? 0));
    expect(tree?.y).toBeGreaterThan((values?.y ?? 0) + (values?.height ?? 0));
  });

  test('is there for each call on the path, and beside the lines that ran, by keyboard', async () => {
    const NESTED = 'contracts/src/failing/failing_callee.cairo';
    const source = await readFile(new URL(`../../../../${NESTED}`, import.meta.url), 'utf8');
    const artifact = JSON.parse(await classTextWithPlaces('failing_callee'));
    await stage.node.client.call('devnet_addArtifact', { artifact, sources: { [NESTED]: source } });
    const outer = await stage.deploy('failing_callee', ['0x0']);
    const classHash = await stage.node.provider.getClassHashAt(outer);
    const inner = await stage.node
      .account(0)
      .deployContract({ classHash, constructorCalldata: ['0x0'] });
    const calldata = ['0x1', inner.contract_address, '0x5'];
    const hash = await stage.send(1, [{ contractAddress: outer, entrypoint: 'pass_on', calldata }]);
    const { summary } = await stage.node.client.call('devnet_explainTransaction', [hash]);
    const line = (name: string): string => String(marks().get(name)?.line);
    const { page, complaints } = await stage.open(`tx/${hash}`, {});
    const pane = page.getByRole('region', { name: 'Source' });
    const marked = pane.locator('.code [aria-current]');
    await expect.poll(() => marked.getAttribute('value')).toBe(line('pass_on'));
    // The heading of the page gives the status already.
    expect(`Reverted: ${await page.locator('.why .headline').innerText()}`).toBe(summary);
    const frame = page.getByRole('row', { name: /failed.*pass_on\(/ }).first();
    await frame.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => marked.getAttribute('value')).toBe(line('pass_on_call'));
    await expect.poll(() => marked.getAttribute('data-mark')).toBe('●');

    await page.getByRole('link', { name: 'Source', exact: true }).focus();
    await page.keyboard.press('Enter');
    const ran = page.getByRole('region', { name: 'Lines that ran' });
    const code = (number: string) => ran.locator(`.code li[value="${number}"]`);
    await code(line('pass_on_call')).waitFor();
    expect(await code(line('callee_subtract')).count()).toBe(0);
    await ran.getByRole('checkbox', { name: 'whole file' }).focus();
    await page.keyboard.press('Space');
    await expect.poll(() => code(line('callee_subtract')).getAttribute('data-mark')).toBe('○');
    expect(complaints).toEqual([]);
  });

  test('is a place alone where the node has no text', async () => {
    const artifact = JSON.parse(await classTextWithPlaces('counter'));
    await stage.node.client.call('devnet_addArtifact', { artifact });
    const hash = await stage.send(1, [
      { contractAddress: counter, entrypoint: 'increase', calldata: ['0x0'] },
    ]);
    const { page } = await stage.open(`tx/${hash}`);
    const pane = page.getByRole('region', { name: 'Source' });
    await pane.getByText(/^contracts\/src\/counter.cairo:\d+:\d+$/).waitFor();
    await pane.getByText(/does not have this file/).waitFor();
  });
});

describe('a transaction', () => {
  test('a failure is explained at the failing frame, on the first screen', async () => {
    const { page, complaints } = await stage.open(`tx/${reverted}`);
    const why = page.getByRole('region', { name: 'Why it failed' });
    const headline = why.locator('.headline');
    await expect
      .poll(() => headline.innerText())
      .toMatch(/^STRK\.transfer panicked with .ERC20: insufficient balance.$/);
    const box = await headline.boundingBox();
    expect((box?.y ?? 800) + (box?.height ?? 0)).toBeLessThan(300);
    expect(await page.title()).toMatch(/^Reverted · tx 0x\w+…\w+ · Starkbox$/);
    const failing = page.getByRole('row', {
      name: /failed.*STRK.*transfer.*1,000,000,000,000 STRK.*insufficient balance/,
    });
    expect(await failing.getAttribute('aria-selected')).toBe('true');
    const row = await failing.boundingBox();
    expect((row?.y ?? 800) + (row?.height ?? 0)).toBeLessThan(800);
    expect(await page.getByRole('row', { name: /undone/ }).innerText()).toContain('1 fri');
    expect(complaints).toEqual([]);
  });

  test('a failure says what to do about it', async () => {
    const poor = await stage.send(3, [
      {
        contractAddress: STRK,
        entrypoint: 'transfer',
        calldata: [stage.address(2), 10n ** 30n, 0n],
      },
    ]);
    const { page } = await stage.open(`tx/${poor}`);
    const why = page.getByRole('region', { name: 'Why it failed' });
    await why.getByText(/but the transfer needs 1,?000,?000,?000,?000 STRK/).waitFor();
    const balance = async (): Promise<bigint> => {
      const { amount } = await stage.node.client.call('devnet_getAccountBalance', {
        address: stage.address(3),
        unit: 'FRI',
      });
      return BigInt(amount);
    };
    const before = await balance();
    const missing = 10n ** 30n - 10n ** 21n;
    await why
      .getByRole('button', { name: /^Give account 3 the missing .* STRK for fees$/ })
      .click();
    await expect.poll(async () => (await balance()) - before).toBeGreaterThan(missing);
    await why.getByRole('button', { name: 'Simulate again' }).waitFor();
    await why.getByRole('button', { name: 'Send again' }).waitFor();
  });

  test('a failure two calls deep marks the path to it in the calls, which are open there', async () => {
    const { page } = await stage.open(`tx/${nested}`);
    const why = page.getByRole('region', { name: 'Why it failed' });
    await why.locator('.headline').getByText(".fail panicked with 'oops'").waitFor();
    const path = page.getByRole('treegrid').locator('tr.failing');
    await expect
      .poll(async () => (await path.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')))
      .toEqual([
        expect.stringContaining('account 2.__execute__'),
        expect.stringContaining('.fail_via('),
        expect.stringMatching(/\.fail\(.*oops/),
      ]);
    expect(await path.last().getAttribute('aria-selected')).toBe('true');
  });

  test('one of several calls of a function is not said to be identical to the others', async () => {
    const hash = await stage.send(1, [stage.transfer(2, 1n), stage.transfer(2, 10n ** 30n)]);
    const { page } = await stage.open(`tx/${hash}`);
    await page
      .getByRole('region', { name: 'Why it failed' })
      .getByText('More than one call of STRK.transfer could have failed; the last is marked.')
      .waitFor();
  });

  test('sixty calls take few elements', async () => {
    const { page } = await stage.open(`tx/${large}`);
    await page.getByRole('treegrid').waitFor();
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1_500);
    const scroller = page.getByRole('region', { name: 'Calls' });
    expect((await scroller.boundingBox())?.height).toBeLessThanOrEqual(560);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(1_300);
  });

  test('state changes show old values, and events are decoded', async () => {
    const { page } = await stage.open(`tx/${large}?tab=events`);
    await page
      .getByText('Transfer(from: account 0, to: account 4, value: 1 fri)')
      .first()
      .waitFor();
    await page.getByRole('link', { name: /^State/ }).click();
    const group = (name: RegExp) =>
      page.locator('tbody').filter({ has: page.getByRole('rowheader', { name }) });
    const nonce = group(/^account 0, ends/).getByRole('row', { name: /^nonce/ });
    await expect.poll(() => nonce.innerText()).toMatch(/nonce\s+\d+\s+\d+\s+\+1/);
    const strk = group(/^STRK/);
    const balance = strk.getByRole('row', { name: /^ERC20_balances\[account 4[,\]]/ });
    await expect.poll(() => balance.innerText()).toMatch(/\+60 fri$/);
  });

  test('an unknown hash is reported', async () => {
    const { page } = await stage.open('tx/0x123');
    await page.getByText('This chain has no transaction with this hash.').waitFor();
  });

  test('is walked by keyboard', async () => {
    const { page } = await stage.open(`tx/${reverted}`);
    await page.getByRole('treegrid').waitFor();
    await page.locator('tr[aria-selected=true]').focus();
    await page.keyboard.press('ArrowLeft');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toContain('execute');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.getByRole('row', { name: /undone/ }).count()).toBe(0);
  });
});

describe('values', () => {
  test('every address links to its page', async () => {
    const { page } = await stage.open(`tx/${reverted}`);
    await page.locator('.sentence').getByRole('link', { name: /^STRK/ }).click();
    await page.getByRole('heading', { level: 1, name: 'STRK' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/ui/contract/${STRK}`);
    await page
      .getByRole('link', { name: /^class|0x2e77/ })
      .first()
      .click();
    await page
      .getByText('transfer(recipient: ContractAddress, amount: u256) → bool')
      .first()
      .waitFor();
  });

  test('equal values are highlighted on hover', async () => {
    const { page } = await stage.open(`tx/${reverted}`);
    await page.getByRole('treegrid').locator('a[data-eq]').first().hover();
    expect(await page.locator('.is-equal').count()).toBeGreaterThan(1);
  });

  test('a read function of a contract is called', async () => {
    const { page } = await stage.open(`contract/${counter}?tab=read`);
    await page.getByRole('button', { name: 'Call get' }).click();
    await page.getByRole('status', { name: 'Result' }).getByText('12').waitFor();
  });
});
