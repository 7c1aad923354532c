// Gas of transactions: sums equal the receipts; graph, table and the page of many transactions.
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import {
  FunctionCosts,
  functionsOf,
  type GasBlock,
  GasSum,
  gasTree,
  layOut,
  MEASURES,
  OUTSIDE,
} from '@starkbox/abi/internal';
import type { Page } from 'playwright-core';
import { type Call, hash } from 'starknet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IS_FULL, setLongStage } from '../support/long-chain.js';
import { type Stage, setStage } from '../support/stage.js';

let stage: Stage;
let reverter: string;
const hashes = new Map<string, string>();

const selector = (name: string): string => hash.getSelectorFromName(name);
const to = (contractAddress: string, entrypoint: string, calldata: string[]): Call => ({
  contractAddress,
  entrypoint,
  calldata,
});

beforeAll(async () => {
  stage = await setStage();
  reverter = await stage.deploy('reverter');
  const messenger = await stage.deploy('messenger');
  const { client } = stage.node;
  const classHash = await client.call('starknet_getClassHashAt', {
    block_id: 'latest',
    contract_address: reverter,
  });
  hashes.set('transfer', await stage.send(1, [stage.transfer(2, 5n)]));
  hashes.set('multicall', await stage.send(1, [stage.transfer(2, 5n), stage.transfer(3, 5n)]));
  hashes.set('nested calls', await stage.send(1, [to(reverter, 'recurse', ['0x5'])]));
  hashes.set(
    'library calls',
    await stage.send(1, [
      to(reverter, 'library', [classHash, selector('recurse'), '0x1', '0x2']),
      to(reverter, 'library', [classHash, selector('write'), '0x1', '0x7']),
    ]),
  );
  hashes.set(
    'a caught failure',
    await stage.send(1, [to(reverter, 'catch', [reverter, selector('fail'), '0x2', '0x1', '0x9'])]),
  );
  hashes.set(
    'reverted',
    await stage.send(1, [to(reverter, 'fail_via', [reverter, '0x1', '0x6f6f7073'])]),
  );
  const { transaction_hash } = await client.call('devnet_postmanSendMessageToL2', {
    l2_contract_address: messenger,
    entry_point_selector: selector('deposit'),
    l1_contract_address: '0x1234',
    payload: [stage.address(1), '0x5'],
    paid_fee_on_l1: '0x1000000',
    nonce: '0x0',
  });
  hashes.set('from L1', transaction_hash);
  const { blocks } = await client.call('devnet_listBlocks', { limit: 200 });
  for (const { block_number } of blocks) {
    const { transactions } = await client.call('starknet_getBlockWithTxHashes', {
      block_id: { block_number },
    });
    for (const transaction of transactions) {
      if (![...hashes.values()].includes(transaction))
        hashes.set(`block ${block_number}`, transaction);
    }
  }
});
afterAll(() => stage.close());

function check(block: GasBlock): void {
  expect(block.gas, block.id).toBe(block.children.reduce((sum, { gas }) => sum + gas, block.self));
  expect(block.self, block.id).toBeGreaterThanOrEqual(0);
  block.children.forEach(check);
}

const read = async (of: string) => {
  const params = { transaction_hash: of };
  return {
    trace: await stage.node.client.call('starknet_traceTransaction', params),
    receipt: await stage.node.client.call('starknet_getTransactionReceipt', params),
  };
};

describe('the sum', () => {
  test('equals the receipt for every measure and kind of transaction', async () => {
    const kinds = new Set<string>();
    for (const [name, hash] of hashes) {
      const { trace, receipt } = await read(hash);
      kinds.add(`${trace.type} ${receipt.execution_status}`);
      expect(trace.execution_resources, name).toEqual(receipt.execution_resources);
      for (const measure of MEASURES) {
        const { all } = gasTree(trace, receipt.execution_resources[measure], measure);
        expect(all.gas, name).toBe(receipt.execution_resources[measure]);
        check(all);
        const rows = functionsOf(all);
        const outside = all.children.find(({ id }) => id === OUTSIDE)?.gas ?? 0;
        expect(rows.reduce((sum, { self }) => sum + self, outside)).toBe(all.gas);
      }
    }
    expect(kinds).toEqual(
      new Set(['INVOKE SUCCEEDED', 'INVOKE REVERTED', 'DECLARE SUCCEEDED', 'L1_HANDLER SUCCEEDED']),
    );
  });

  test('excludes the fee transfer', async () => {
    const { trace, receipt } = await read(hashes.get('transfer') ?? '');
    const { all, fee } = gasTree(trace, receipt.execution_resources.l2_gas, 'l2_gas');
    const outside = all.children.find(({ id }) => id === OUTSIDE)?.gas ?? 0;
    expect(fee?.gas).toBeGreaterThan(outside);
  });

  test('holds for a Cairo 0 account and for L1 gas bounds', async () => {
    const old = await setStage({ accountClass: 'cairo0' });
    try {
      const { client } = old.node;
      await client.call('devnet_autoImpersonate', {});
      const none = { max_amount: 0n, max_price_per_unit: 0n };
      const l1_gas = { max_amount: 100_000n, max_price_per_unit: 5_000_000_000n };
      const { transaction_hash } = await old.node
        .account(1)
        .execute([old.transfer(2, 1n), old.transfer(3, 1n)], {
          resourceBounds: { l1_gas, l2_gas: none, l1_data_gas: none },
          tip: 0n,
        });
      const other = await old.send(1, [old.transfer(2, 1n)]);
      for (const hash of [transaction_hash, other]) {
        const trace = await client.call('starknet_traceTransaction', { transaction_hash: hash });
        const charged = trace.execution_resources;
        for (const measure of MEASURES) check(gasTree(trace, charged[measure], measure).all);
      }
      const { page } = await old.open(`tx/${transaction_hash}?tab=gas`);
      await page.getByText(/^Total \d+$/).waitFor();
      const measure = page.getByRole('combobox', { name: 'by', exact: true });
      expect(await measure.inputValue()).toBe('l1_gas');
    } finally {
      await old.close();
    }
  });

  test('of several transactions equals the sum of each', async () => {
    const sum = new GasSum('contract');
    const functions = new FunctionCosts('contract');
    let charged = 0;
    for (const hash of hashes.values()) {
      const { trace, receipt } = await read(hash);
      const { all } = gasTree(trace, receipt.execution_resources.l2_gas, 'l2_gas');
      charged += all.gas;
      sum.add(all);
      functions.add(all);
    }
    const tree = sum.tree();
    expect(tree?.gas).toBe(charged);
    if (tree) check(tree);
    const recurse = functions
      .rows()
      .find(({ called }) => called.selector === selector('recurse') && called.kind === 'CALL');
    expect(recurse?.calls).toBeGreaterThan(5);
    expect(recurse?.inclusive).toBeLessThan(charged);
    expect(recurse?.most).toBeGreaterThan(recurse?.least ?? 0);
  });

  test('is drawn without gaps or overlaps, with small blocks grouped', () => {
    const leaf = (id: string, gas: number): GasBlock => ({
      id,
      called: undefined,
      phase: undefined,
      calls: 1,
      gas,
      self: gas,
      children: [],
    });
    const children = [
      leaf('a', 5_000),
      ...Array.from({ length: 50 }, (_, at) => leaf(`s${at}`, 2)),
      leaf('b', 900),
    ];
    const root = { ...leaf('all', 10_000), self: 4_000, children };
    const boxes = layOut(root, 1_000);
    expect(boxes.map(({ block, count }) => [block?.id, count])).toEqual([
      ['all', 1],
      ['a', 1],
      [undefined, 50],
      ['b', 1],
    ]);
    const below = boxes.filter(({ depth }) => depth === 1);
    expect(below.map(({ x, width }) => [Math.round(x), Math.round(width)])).toEqual([
      [0, 500],
      [500, 10],
      [510, 90],
    ]);
  });
});

const items = (page: Page) => page.getByRole('treeitem');

/** The gas that the page gives for calls, and outside of them. */
async function splitOf(page: Page): Promise<{ calls: number; outside: number }> {
  const terms = page.getByRole('region', { name: 'Gas' }).locator('.gas-split dl > div');
  const amountOf = async (name: RegExp): Promise<number> => {
    const text = await terms.filter({ hasText: name }).locator('dd').innerText();
    return Number(/^[\d,]+/.exec(text)?.[0].replaceAll(',', ''));
  };
  return { calls: await amountOf(/^Calls/), outside: await amountOf(/^Outside/) };
}

describe('the graph of a transaction', () => {
  test('names every block and the gas outside of frames, with the fee separate', async () => {
    const { page, complaints } = await stage.open(`tx/${hashes.get('library calls')}?tab=gas`);
    await items(page).first().waitFor();
    const { receipt } = await read(hashes.get('library calls') ?? '');
    const all = receipt.execution_resources.l2_gas.toLocaleString('en-US');
    await page.getByText(`Total ${all}`).waitFor();
    const labels = await items(page).evaluateAll((elements) =>
      elements.map((element) => element.getAttribute('aria-label') ?? ''),
    );
    const { calls, outside } = await splitOf(page);
    expect(calls + outside).toBe(receipt.execution_resources.l2_gas);
    expect(labels[0]).toContain(`transaction · ${calls.toLocaleString('en-US')}`);
    expect(labels.some((label) => label.startsWith('outside the call frames'))).toBe(false);
    expect(labels.some((label) => /^execute account 1\.__execute__ · .*self/.test(label))).toBe(
      true,
    );
    await expect
      .poll(() => items(page).filter({ hasText: '' }).evaluateAll(labelsOf))
      .toEqual(expect.arrayContaining([expect.stringMatching(/\.write \(library\) · /)]));
    expect(await page.locator('main').innerText()).toContain('fee transfer STRK.transfer');
    await expect
      .poll(() => page.getByLabel('Bounds').innerText())
      .toMatch(/Fee [\d.]+ STRK = L1 data gas .* \+ L2 gas .* \+ 1 new slot/);
    const sum = await page.getByLabel('Bounds').getByText(/^Fee/).innerText();
    const [fee, ...terms] = [...sum.matchAll(/([\d.]+) STRK/g)].map(([, number]) => Number(number));
    const fact = page.getByLabel('Facts').locator('div', { hasText: /^Fee/ }).locator('dd');
    expect(sum).toContain(`Fee ${await fact.innerText()} = `);
    expect(terms).toHaveLength(3);
    expect(terms.reduce((total, term) => total + term, 0)).toBeCloseTo(fee ?? 0, 15);
    expect(fee).toBe(Number(BigInt(receipt.actual_fee.amount)) / 1e18);
    expect(complaints).toEqual([]);
  });

  test('a click zooms in, the path leads back, a double click opens the call', async () => {
    const { page } = await stage.open(`tx/${hashes.get('nested calls')}?tab=gas`);
    await items(page).first().waitFor();
    const execute = page.locator('[data-block=execute]');
    const box = await execute.boundingBox();
    if (!box) throw new Error('there is no block');
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await expect.poll(() => new URL(page.url()).searchParams.get('focus')).toBe('execute');
    const wide = await page.locator('.gas-canvas').boundingBox();
    expect((await execute.boundingBox())?.width).toBeCloseTo(wide?.width ?? 0, 0);
    await page.getByRole('navigation', { name: 'Focus' }).getByText('transaction').click();
    await expect.poll(() => new URL(page.url()).searchParams.get('focus')).toBe(null);
    const inner = await page.locator('[data-block="execute.0.0.0"]').boundingBox();
    if (!inner) throw new Error('there is no inner block');
    await page.mouse.dblclick(inner.x + inner.width / 2, inner.y + inner.height / 2);
    await page.getByRole('treegrid').waitFor();
    expect(new URL(page.url()).searchParams.get('frame')).toBe('execute.0.0.0');
    await page.locator('tr[aria-selected=true]', { hasText: 'recurse' }).waitFor();
  });

  test('is walked by keyboard', async () => {
    const { page } = await stage.open(`tx/${hashes.get('nested calls')}?tab=gas&view=flame`);
    await items(page).first().focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.get('focus')).toMatch(/^execute\.0/);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('o');
    await page.getByRole('treegrid').waitFor();
  });

  test('is also a table that can be sorted and searched', async () => {
    const { page } = await stage.open(`tx/${hashes.get('multicall')}?tab=gas&view=table`);
    const rows = page.getByRole('table', { name: 'Gas by function' }).locator('tr[data-row]');
    await rows.first().waitFor();
    expect(await rows.first().innerText()).toContain('__execute__');
    await page.getByRole('button', { name: 'Calls' }).click();
    await expect.poll(() => rows.first().innerText()).toMatch(/STRK\s*\.\s*transfer\s+2/);
    await page.getByLabel('find').fill('validate');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByText('1 found').waitFor();
  });
});

const labelsOf = (elements: readonly Element[]): string[] =>
  elements.map((element) => element.getAttribute('aria-label') ?? '');

describe('the page of many transactions', () => {
  test('sums a range of blocks to their receipts, with minimum, median and maximum', async () => {
    const { page, complaints } = await stage.open('gas?view=table&from=0');
    await page.getByText(`${hashes.size} transactions read.`).waitFor();
    let charged = 0;
    for (const hash of hashes.values())
      charged += (await read(hash)).receipt.execution_resources.l2_gas;
    await page.getByText(`Total ${charged.toLocaleString('en-US')}`).waitFor();
    const row = page.locator('tr[data-row]', { hasText: /STRK\s*\.\s*transfer/ });
    const cells = (await row.locator('td').allInnerTexts()).map((text) => text.trim());
    expect(cells[1]).toBe('3');
    expect(new Set(cells.slice(4, 7)).size).toBeLessThanOrEqual(2);
    expect(complaints).toEqual([]);
  });

  test('gas outside of the calls is apart, and calls take the whole width of the graph', async () => {
    let charged = 0;
    for (const hash of hashes.values())
      charged += (await read(hash)).receipt.execution_resources.l2_gas;
    const { page } = await stage.open('gas?view=table&from=0');
    await page.getByText(`${hashes.size} transactions read.`).waitFor();
    const rows = page.getByRole('table', { name: 'Gas by function' }).locator('tr[data-row]');
    const { calls, outside } = await splitOf(page);
    expect(calls + outside).toBe(charged);
    const selves = await rows.locator('td:nth-child(3)').allInnerTexts();
    expect(selves.reduce((sum, text) => sum + Number(text.replaceAll(',', '')), 0)).toBe(calls);
    await page.getByRole('button', { name: 'Icicle' }).click();
    await items(page).first().waitFor();
    expect(await items(page).first().getAttribute('aria-label')).toContain(
      `transactions · ${calls.toLocaleString('en-US')}`,
    );
    const widths = await items(page).evaluateAll((elements) =>
      [1, 2].map((level) =>
        elements
          .filter((element) => element.getAttribute('aria-level') === String(level))
          .reduce((sum, element) => sum + element.getBoundingClientRect().width, 0),
      ),
    );
    expect(widths[0]).toBeGreaterThan(0);
    expect(widths[1]).toBeCloseTo(widths[0] ?? 0, 0);
  });

  test('a baseline is stored and differences from it are shown', async () => {
    const { page } = await stage.open('gas?view=table&from=0');
    await page.getByRole('button', { name: 'Save as baseline' }).click();
    const row = page.locator('tr[data-row]', { hasText: /\.\s*recurse/ }).first();
    await expect.poll(() => row.locator('td').last().innerText()).toBe('same');
    await stage.send(1, [to(reverter, 'recurse', ['0x9'])]);
    await page.getByRole('button', { name: '1 newer block: read again' }).click();
    await expect.poll(() => row.locator('td').last().innerText()).toMatch(/^\+[\d,]+ \+[\d.]+ %$/);
    await page.reload();
    await page.getByText('the table shows how medians changed').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    expect(await page.evaluate(() => localStorage.getItem('starkbox.gas.baseline'))).toBe(null);
  });

  test('shows gas since a snapshot, by class, and says when there is none', async () => {
    const { page } = await stage.open('gas?group=class');
    await items(page).first().waitFor();
    await stage.node.client.call('devnet_snapshot', { name: 'here' });
    await page.getByLabel('or since').selectOption({ index: 1 });
    await page.getByText('These blocks have no transactions.').waitFor();
    await stage.send(1, [stage.transfer(2, 1n)]);
    await page.getByRole('button', { name: /newer block/ }).click();
    await page.getByText('1 transaction read.').waitFor();
    await expect
      .poll(() => items(page).evaluateAll(labelsOf))
      .toEqual(expect.arrayContaining([expect.stringMatching(/^execute class 0x.*__execute__/)]));
  });
});

test('of a long chain the newest 2,000 transactions are read, with progress and cancelling', async () => {
  const long = await setLongStage();
  try {
    const { page } = await long.open('node', {});
    let [traceRequests, release] = [0, (): void => {}];
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/rpc', async (route) => {
      if (route.request().postData()?.includes('starknet_trace')) traceRequests += 1;
      if (traceRequests > 1) await released;
      await route.continue();
    });
    await page.goto(`${long.origin}/ui/gas?from=0`);
    await page.getByRole('progressbar', { name: 'Traces read' }).waitFor();
    await page.getByText(/of (1,99\d|2,000) transactions/).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    release();
    await page.getByText(/Cancelled; the range has (1,99\d|2,000)\./).waitFor();
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1_500);
    // Reading two thousand traces takes a minute.
    if (!IS_FULL) return;
    const { page: whole } = await long.open('gas?from=0&view=table');
    await whole.getByText(/(1,99\d|2,000) transactions read\. These are the newest/).waitFor();
    expect(await whole.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1_500);
  } finally {
    await long.close();
  }
});
