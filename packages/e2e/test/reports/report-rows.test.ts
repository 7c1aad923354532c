// Rows of a report beside receipts and traces: from the node, added from pages, from the command and from a file.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GasReport } from '@starkbox/abi';
import { baselineOf, type GasPage, type GasRow, MEASURES } from '@starkbox/abi/internal';
import { type ListeningNode, startNode } from '@starkbox/test-support';
import { closeAfterFile } from '@starkbox/test-support/closing';
import { runCommandLine } from '@starkbox/test-support/command-line';
import { deployed } from '@starkbox/test-support/contracts';
import { UNESTIMATED } from '@starkbox/test-support/mixed-run';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { CallData, cairo } from 'starknet';
import { beforeAll, describe, expect, test } from 'vitest';

type Gas = Readonly<Record<(typeof MEASURES)[number], number>>;

/** A call of a trace. */
interface Invocation {
  readonly class_hash: string;
  readonly entry_point_selector: string;
  readonly execution_resources: { readonly l1_gas: number; readonly l2_gas: number };
  readonly calls: readonly Invocation[];
}

interface ExpectedRow {
  calls: number;
  readonly self: { l1_gas: number; l2_gas: number; l1_data_gas: number };
}

let node: ListeningNode;
const expectedRows = new Map<string, ExpectedRow>();
const receiptSums = { l1_gas: 0, l2_gas: 0, l1_data_gas: 0 };

beforeAll(async () => {
  node = await startNode({ listen: true, seed: 11, accounts: 3 });
  closeAfterFile(() => node.close());
  await makeTransactions();
  await readTransactions();
});

/** Transfers of the fee token, mints, multicalls, nested calls and reverted transactions. */
async function makeTransactions(): Promise<void> {
  const [sender, receiver] = [node.account(0), node.account(1)];
  const { address: reverter } = await deployed(sender, 'reverter');
  const transfer = (token: string, amount: bigint) => ({
    contractAddress: token,
    entrypoint: 'transfer',
    calldata: CallData.compile([receiver.address, cairo.uint256(amount)]),
  });
  const { eth, strk } = node.node.tokens;
  await sender.execute([transfer(strk.address, 5n)], UNESTIMATED);
  await sender.execute([transfer(strk.address, 6n), transfer(eth.address, 7n)], UNESTIMATED);
  await receiver.execute([transfer(strk.address, 8n)], UNESTIMATED);
  await sender.execute([transfer(strk.address, 10n ** 40n)], UNESTIMATED);
  const calldata = ['0x3'];
  const recurse = { contractAddress: reverter, entrypoint: 'recurse', calldata };
  await sender.execute([recurse, transfer(strk.address, 9n)], UNESTIMATED);
  for (const unit of ['FRI', 'WEI']) {
    const params = { address: receiver.address, amount: 1000, unit };
    await node.client.call('devnet_mint', params);
  }
}

/** Computes from every trace and receipt what the rows must have. */
async function readTransactions(): Promise<void> {
  const newest = await node.client.call('starknet_blockNumber', {});
  for (let block_number = 0; block_number <= newest; block_number += 1) {
    const block_id = { block_number };
    const { transactions } = await node.client.call('starknet_getBlockWithReceipts', { block_id });
    for (const { receipt } of transactions) {
      const { transaction_hash, execution_status, execution_resources } = receipt;
      const trace = Object(
        await node.client.call('starknet_traceTransaction', { transaction_hash }),
      );
      const charged = [
        trace.validate_invocation,
        trace.constructor_invocation,
        trace.execute_invocation,
        trace.function_invocation,
      ].filter((call) => call !== undefined && 'calls' in call);
      for (const call of charged) expectCalls('function', call);
      if (trace.fee_transfer_invocation) {
        expectCalls('fee_transfer', trace.fee_transfer_invocation);
      }
      for (const measure of MEASURES) receiptSums[measure] += execution_resources[measure];
      const kind = execution_status === 'REVERTED' ? 'reverted' : 'protocol';
      const inCalls = charged.reduce((sum, call) => added(sum, gasOf(call)), NO_GAS);
      expectCost(kind, subtracted(execution_resources, inCalls));
    }
  }
}

const NO_GAS: Gas = { l1_gas: 0, l2_gas: 0, l1_data_gas: 0 };

/** Calls have no data gas. */
const gasOf = ({ execution_resources: { l1_gas, l2_gas } }: Invocation): Gas => ({
  l1_gas,
  l2_gas,
  l1_data_gas: 0,
});

const added = (a: Gas, b: Gas): Gas => ({
  l1_gas: a.l1_gas + b.l1_gas,
  l2_gas: a.l2_gas + b.l2_gas,
  l1_data_gas: a.l1_data_gas + b.l1_data_gas,
});

const subtracted = (whole: Gas, part: Gas): Gas => ({
  l1_gas: whole.l1_gas - part.l1_gas,
  l2_gas: whole.l2_gas - part.l2_gas,
  l1_data_gas: whole.l1_data_gas - part.l1_data_gas,
});

function expectCost(key: string, self: Gas): void {
  const row = expectedRows.get(key) ?? { calls: 0, self: { ...NO_GAS } };
  row.calls += 1;
  for (const measure of MEASURES) row.self[measure] += self[measure];
  expectedRows.set(key, row);
}

function expectCalls(kind: 'function' | 'fee_transfer', call: Invocation): void {
  const below = call.calls.reduce((sum, inner) => added(sum, gasOf(inner)), NO_GAS);
  const key = `${kind} ${call.class_hash} ${call.entry_point_selector}`;
  expectCost(key, subtracted(gasOf(call), below));
  for (const inner of call.calls) expectCalls(kind, inner);
}

/** Rows in the form of `expectedRows`. Fails where two rows have the same key. */
function rowsByKey(rows: readonly GasRow[]): ReadonlyMap<string, ExpectedRow> {
  const byKey = new Map<string, ExpectedRow>();
  for (const { kind, class_hash, selector, calls, costs } of rows) {
    const key = selector === undefined ? kind : `${kind} ${class_hash} ${selector}`;
    expect(byKey.has(key), `a second row of ${key}`).toBe(false);
    const selfOf = (measure: string): number => costs[measure]?.self ?? Number.NaN;
    const self = {
      l1_gas: selfOf('l1_gas'),
      l2_gas: selfOf('l2_gas'),
      l1_data_gas: selfOf('l1_data_gas'),
    };
    byKey.set(key, { calls, self });
  }
  return byKey;
}

function expectEveryRow(page: GasPage): void {
  expect(rowsByKey(page.rows)).toEqual(expectedRows);
  expect(page.receipts).toEqual(receiptSums);
  for (const measure of MEASURES) {
    const charged = page.rows.filter(({ kind }) => kind !== 'fee_transfer');
    const sum = charged.reduce((all, { costs }) => all + (costs[measure]?.self ?? 0), 0);
    expect(sum, measure).toBe(receiptSums[measure]);
  }
  // A baseline has rows by their names.
  expect(Object.keys(baselineOf(page))).toHaveLength(page.rows.length);
}

async function command(...options: readonly string[]): Promise<string> {
  const { stdout, stderr } = await runCommandLine(['gas', ...options]);
  expect(stderr).toBe('');
  return stdout;
}

/** All pages of a few transactions, added. */
async function addedPages(): Promise<GasReport> {
  const report = new GasReport('class');
  let cursor: string | undefined;
  do {
    const page = await node.client.call('devnet_gasReport', {
      limit: 2,
      include: ['values', 'stacks'],
      ...(cursor === undefined ? {} : { cursor }),
    });
    report.addPage(page);
    cursor = page.next;
  } while (cursor !== undefined);
  return report;
}

describe('every row equals the traces, and their sum the receipts', () => {
  test('in the report of the node', async () => {
    const charged = [...expectedRows.keys()].filter((key) => key.startsWith('function '));
    const fees = [...expectedRows.keys()].filter((key) => key.startsWith('fee_transfer '));
    // The fee token is transferred both by transactions and for fees.
    expect(fees.map((key) => key.replace('fee_transfer', 'function'))).toEqual(
      fees.map((key) => charged.find((other) => key.endsWith(other.replace('function ', '')))),
    );
    expect(expectedRows.get('reverted')?.calls).toBe(1);
    expectEveryRow(await node.client.call('devnet_gasReport', {}));
  });

  test('in pages that are added', async () => {
    expectEveryRow((await addedPages()).page());
  });

  test('in the output of the command', async () => {
    expectEveryRow(JSON.parse(await command('--url', node.url, '--json')));
    const text = await command('--url', node.url);
    const names = text
      .split('\n')
      .flatMap((line) => /^\S+\.transfer\b.*?(?= {2})/.exec(line) ?? []);
    const fees = [...new Set(names)].filter((name) => name.endsWith(' (fee, not charged)'));
    expect(fees).toHaveLength(1);
    expect(names).toContain(fees[0]?.replace(' (fee, not charged)', ''));
  });

  test('in the file of a test run', async () => {
    const file = join(temporaryFolder(), 'gas.json');
    const page = (await addedPages()).page(undefined, { values: true, stacks: true });
    writeFileSync(file, JSON.stringify(page));
    expectEveryRow(JSON.parse(await command('--file', file, '--json')));
  });

  test('and the flame graph names charged transfers as such', async () => {
    const flame = join(temporaryFolder(), 'gas.folded');
    await command('--url', node.url, '--flame', flame);
    const lines = readFileSync(flame, 'utf8').trimEnd().split('\n');
    const sum = lines.reduce((all, line) => all + Number(line.slice(line.lastIndexOf(' '))), 0);
    expect(sum).toBe(receiptSums.l2_gas);
    expect(lines.filter((line) => /;\S+\.transfer \d+$/.test(line)).length).toBeGreaterThan(0);
    expect(lines.filter((line) => /0x|fee, not charged/.test(line))).toEqual([]);
  });
});

test('library calls of two classes have two names', () => {
  const cost = { self: 1, total: 1, top_level: 0, min: 1, median: 1, max: 1, values: [[1, 1]] };
  const row = (class_hash: string): GasRow => ({
    kind: 'function',
    contract_address: '0x1',
    class_hash,
    selector: '0x2',
    is_library_call: true,
    function_name: 'write',
    calls: 1,
    costs: { l2_gas: cost },
  });
  const report = new GasReport('contract', ['l2_gas']);
  const rows = [row('0x3'), row('0x4')];
  report.addPage({ transactions: 1, reverted: 0, receipts: { l2_gas: 2 }, rows });
  expect(
    Object.keys(baselineOf(report.page())).filter((name) => name.includes('write')),
  ).toHaveLength(2);
});
