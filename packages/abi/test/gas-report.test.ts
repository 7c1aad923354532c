// Gas reports and coverage: sums over transactions, the pages that carry them, and their forms as text.
import { expect, test } from 'vitest';
import { Coverage, coverageText } from '../src/coverage.js';
import { type CountedFrame, withCounts } from '../src/gas/counts.js';
import { collapseStacks, flameSvg } from '../src/gas/flame.js';
import { GasReport } from '../src/gas/report.js';
import { gasText } from '../src/gas/text.js';
import { costTree, findBlock, wayTo } from '../src/gas/tree.js';
import type { Invocation, TransactionTrace } from '../src/trace.js';

const [ACCOUNT, TOKEN, LIBRARY] = ['0xacc', '0x70', '0x11b'];
const NAMES: Readonly<Record<string, string>> = { [ACCOUNT]: 'account', [TOKEN]: 'token' };
const FUNCTIONS: Readonly<Record<string, string>> = {
  '0x1': 'validate',
  '0x2': 'execute',
  '0x3': 'pay',
};

function invocation(
  contract: string,
  selector: string,
  l2_gas: number,
  calls: readonly Invocation[] = [],
  changes: Partial<Invocation> = {},
): Invocation {
  return {
    contract_address: contract,
    class_hash: `${contract}c`,
    entry_point_selector: selector,
    entry_point_type: 'EXTERNAL',
    call_type: 'CALL',
    caller_address: '0x0',
    calldata: [],
    result: [],
    calls: [...calls],
    events: [],
    messages: [],
    execution_resources: { l1_gas: 0, l2_gas },
    is_reverted: false,
    ...changes,
  };
}

/** A payment; of all that it costs, 20 units are in no call. */
const payment = (cost: number): TransactionTrace => ({
  type: 'INVOKE',
  validate_invocation: invocation(ACCOUNT, '0x1', 100),
  execute_invocation: invocation(ACCOUNT, '0x2', 50 + cost, [
    invocation(TOKEN, '0x3', cost, [
      invocation(TOKEN, '0x4', 5, [], { call_type: 'DELEGATE', class_hash: LIBRARY }),
    ]),
  ]),
  fee_transfer_invocation: invocation(TOKEN, '0x3', 7),
  execution_resources: { l1_gas: 0, l1_data_gas: 3, l2_gas: 170 + cost },
});
const reverted: TransactionTrace = {
  type: 'INVOKE',
  validate_invocation: invocation(ACCOUNT, '0x1', 100),
  execute_invocation: { revert_reason: 'no' },
  execution_resources: { l1_gas: 0, l1_data_gas: 3, l2_gas: 400 },
};

const nameOf = ({ contract, selector }: { contract: string; selector: string }) => ({
  ...(NAMES[contract] === undefined ? {} : { contract_name: NAMES[contract] }),
  ...(FUNCTIONS[selector] === undefined ? {} : { function_name: FUNCTIONS[selector] }),
});

function reportOf(grouping: 'contract' | 'class'): GasReport {
  const report = new GasReport(grouping);
  for (const trace of [payment(30), reverted, payment(40), payment(31)]) report.add(trace);
  return report;
}

test('costs are summed by function, and add up to the receipts', () => {
  const report = reportOf('contract');
  const { rows, receipts, transactions, reverted: revertedCount } = report.page(nameOf);
  expect([transactions, revertedCount]).toEqual([4, 1]);
  expect(receipts).toEqual({ l2_gas: 3 * 170 + 101 + 400, l1_gas: 0, l1_data_gas: 12 });
  const table = rows.map(
    ({ kind, contract_name, function_name, is_library_call, calls, costs }) => {
      const { self, total, min, median, max } = costs['l2_gas'] ?? {};
      return [
        kind,
        contract_name,
        function_name,
        is_library_call,
        calls,
        [self, total, min, median, max],
      ];
    },
  );
  expect(table).toEqual([
    ['function', 'account', 'validate', undefined, 4, [400, 400, 100, 100, 100]],
    ['function', 'account', 'execute', undefined, 3, [150, 251, 80, 81, 90]],
    ['function', 'token', 'pay', undefined, 3, [86, 101, 30, 31, 40]],
    ['function', 'token', undefined, true, 3, [15, 15, 5, 5, 5]],
    ['fee_transfer', 'token', 'pay', undefined, 3, [21, 21, 7, 7, 7]],
    ['protocol', undefined, undefined, undefined, 3, [60, 60, 20, 20, 20]],
    ['reverted', undefined, undefined, undefined, 1, [300, 300, 300, 300, 300]],
  ]);
  expect([...report.contracts].sort()).toEqual([TOKEN, ACCOUNT].sort());
  expect([...report.classHashes].sort()).toEqual([`${ACCOUNT}c`, `${TOKEN}c`, LIBRARY].sort());
});

test.each(['contract', 'class'] as const)('pages by %s carry all of a report', (grouping) => {
  const report = reportOf(grouping);
  const include = { values: true, stacks: true };
  const page = report.page(nameOf, include);
  const copy = new GasReport(grouping);
  copy.addPage(page);
  expect(copy.page(undefined, include)).toEqual(page);
  copy.addPage(page);
  const twice = copy.page();
  expect(twice.transactions).toBe(8);
  expect(twice.receipts['l2_gas']).toBe(2 * (page.receipts['l2_gas'] ?? 0));
  expect(twice.rows.map(({ calls }) => calls)).toEqual(page.rows.map(({ calls }) => 2 * calls));
  expect(copy.of('l2_gas').tree.tree()).toMatchObject({ calls: 8 });
  expect(twice.rows[0]).not.toHaveProperty('costs.l2_gas.values');
  expect(twice).not.toHaveProperty('stacks');
});

test('as text: most expensive first, and what belongs to no function last', () => {
  const lines = gasText(reportOf('contract').page(nameOf)).split('\n');
  const cells = lines.map((line) => line.split(/ {2,}/));
  expect(cells.map(([name]) => name)).toEqual([
    '4 transactions, 1 reverted',
    '',
    'l2 gas',
    'account.validate',
    'account.execute',
    'token.pay',
    'token.0x4 (library)',
    'token.pay (fee, not charged)',
    'reverted executions',
    'protocol, outside of calls',
    'sum of the receipts',
    '',
    'l1 data gas',
    'reverted executions',
    'protocol, outside of calls',
    'sum of the receipts',
  ]);
  expect(cells[4]).toEqual(['account.execute', '3', '80', '81', '90', '150', '251']);
  expect(lines[10]).toMatch(/^sum of the receipts +1,011$/);
  const narrow = gasText(reportOf('contract').page(nameOf), { width: 50 });
  expect(narrow).toMatch(/\n\nThe terminal is too narrow for (min|median|max|self)/);
  expect(Math.max(...narrow.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(52);
});

test('as stacks, from the outermost call', () => {
  const report = new GasReport('contract');
  report.addPage(reportOf('contract').page(nameOf, { values: true, stacks: true }));
  expect(collapseStacks(report, 'l2_gas').trim().split('\n').sort()).toEqual([
    'execute account.execute 150',
    'execute account.execute;token.pay 86',
    'execute account.execute;token.pay;token.0x4 (library) 15',
    'outside of calls 360',
    'validate account.validate 400',
  ]);
  const svg = flameSvg(report, 'l2_gas', 'a <title>');
  expect(svg).toContain('<title>all transactions: 1011 (100.0 %)</title>');
  expect(svg).toContain('<title>execute account.execute: 251 (24.8 %)</title>');
  expect(svg).toContain('a &#60;title&#62;');
  // A box is 1,200 units wide, and four levels of 18 are below the title.
  expect(svg).toContain('width="1199.50" height="17"');
  expect(svg).toMatch(/width="1220" height="112"/);
  // A label is as long as its box, or none.
  const labels = [
    ...svg.matchAll(/<rect [^>]*width="([\d.]+)"[^>]*\/>(?:<text[^>]*>([^<]*)<\/text>)?/g),
  ];
  for (const [, width, label = ''] of labels.slice(1)) {
    expect(label.length * 7).toBeLessThanOrEqual(Number(width) + 0.5 - 6);
  }
  const renamed = new GasReport('contract');
  const longName = (called: { contract: string; selector: string }) => ({
    ...nameOf(called),
    function_name: 'a_function_with_a_long_name',
  });
  renamed.addPage(reportOf('contract').page(longName, { values: true, stacks: true }));
  // The box has room for 16 letters.
  expect(flameSvg(renamed, 'l2_gas', '')).toContain('>token.a_functio…</text>');
  expect(collapseStacks(new GasReport('class'), 'l2_gas')).toBe('');
  // Of nothing, there are no shares.
  const free = new GasReport('contract');
  free.addPage(reportOf('contract').page(nameOf, { values: true, stacks: true }));
  expect(flameSvg(free, 'l1_gas', '')).not.toMatch(/NaN| %\)/);
  expect(flameSvg(new GasReport('class'), 'l2_gas', '')).not.toMatch(/NaN|<rect x/);
});

test('a block of a tree and the way to it', () => {
  const { all } = costTree(payment(30), 200, ({ execution_resources: { l2_gas } }) => l2_gas ?? 0);
  expect(all.children.map(({ id, gas }) => [id, gas])).toEqual([
    ['outside', 20],
    ['validate', 100],
    ['execute', 80],
  ]);
  expect(findBlock(all, 'execute.0.0')).toMatchObject({ gas: 5, called: { kind: 'DELEGATE' } });
  expect(findBlock(all, 'execute.1')).toBeUndefined();
  expect(wayTo(all, 'execute.0').map(({ id }) => id)).toEqual(['all', 'execute', 'execute.0']);
  expect(wayTo(all, 'nothing')).toEqual([]);
  const kinds = [
    { entry_point_type: 'CONSTRUCTOR' },
    { entry_point_type: 'L1_HANDLER' },
    { call_type: 'LIBRARY_CALL' },
  ] as const;
  const outer = invocation(
    ACCOUNT,
    '0x1',
    9,
    kinds.map((kind) => invocation(TOKEN, '0x2', 1, [], kind)),
  );
  const [, call] = costTree({ type: 'INVOKE', validate_invocation: outer }, 9, () => 1).all
    .children;
  expect(call?.children.map(({ called }) => called?.kind)).toEqual([
    'CONSTRUCTOR',
    'L1 HANDLER',
    'DELEGATE',
  ]);
  // Without a receipt, calls are all there is.
  const measured = costTree(payment(30), undefined, () => 1);
  expect(measured.all).toMatchObject({ gas: 2, children: [{ gas: 0 }, { gas: 1 }, { gas: 1 }] });
});

test('counts of a second run belong to the calls in their order', () => {
  const frame = (contract: string, selector: string, steps: number): CountedFrame => ({
    contract_address: contract,
    class_hash: `${contract}c`,
    entry_point_selector: selector,
    steps,
    builtins: { pedersen: 2 },
    syscalls: { StorageWrite: 3, StorageRead: 5 },
  });
  const resourcesOf = (call: Invocation | { revert_reason: string } | undefined) =>
    call && 'execution_resources' in call ? call.execution_resources : undefined;
  const one = { pedersen: 2, storage_writes: 3 };
  const { validate_invocation, execute_invocation, fee_transfer_invocation } = withCounts(
    payment(30),
    [frame(ACCOUNT, '0x1', 10), frame(ACCOUNT, '0x2', 20), frame(TOKEN, '0x3', 40)],
  );
  expect(resourcesOf(validate_invocation)).toEqual({
    l1_gas: 0,
    l2_gas: 100,
    counts: { ...one, steps: 10 },
  });
  // The library call, of Cairo 0, has no frame.
  expect(resourcesOf(execute_invocation)).toMatchObject({
    counts: { pedersen: 4, storage_writes: 6, steps: 60 },
  });
  expect(resourcesOf(fee_transfer_invocation)).toEqual({ l1_gas: 0, l2_gas: 7 });
  // A frame is of a call with its contract, class and function.
  const others = [
    { ...frame(ACCOUNT, '0x1', 1), contract_address: TOKEN },
    { ...frame(ACCOUNT, '0x1', 1), class_hash: LIBRARY },
    { ...frame(ACCOUNT, '0x1', 1), entry_point_selector: '0x9' },
  ];
  for (const other of others) {
    const { validate_invocation } = withCounts(reverted, [other]);
    expect(resourcesOf(validate_invocation)?.counts).toEqual({});
  }
  expect(withCounts(reverted, []).execute_invocation).toEqual({ revert_reason: 'no' });
  const deployment = withCounts(
    {
      type: 'DEPLOY_ACCOUNT',
      validate_invocation: invocation(ACCOUNT, '0x1', 1),
      constructor_invocation: invocation(ACCOUNT, '0x5', 1),
      function_invocation: invocation(ACCOUNT, '0x6', 1),
    },
    ['0x5', '0x1', '0x6'].map((selector, at) => frame(ACCOUNT, selector, at + 1)),
  );
  const stepsOf = (call: Parameters<typeof resourcesOf>[0]) => resourcesOf(call)?.counts?.['steps'];
  expect([
    stepsOf(deployment.constructor_invocation),
    stepsOf(deployment.validate_invocation),
    stepsOf(deployment.function_invocation),
  ]).toEqual([1, 2, 3]);
});

test('coverage is added over pages', () => {
  const entry = (name: string, calls: number, failed: number) => ({
    function_name: name,
    selector: '0x5',
    type: 'EXTERNAL' as const,
    calls,
    failed,
  });
  const covered = (calls: number, changes: object = {}) => ({
    class_hash: '0xc1a55',
    contract_name: 'counter',
    declared_in: 3,
    entry_points: [entry('increase', calls, 1), entry('get', 0, 0)],
    ...changes,
  });
  const statements = (...list: [number, number][]) => ({ statements: list });
  const coverage = new Coverage();
  coverage.addPage({ transactions: 2, classes: [covered(2, statements([0, 1], [4, 2]))] });
  coverage.addPage({
    transactions: 1,
    calls: 4,
    classes: [covered(3, statements([0, 5], [4, 0]))],
  });
  coverage.addPage({
    transactions: 1,
    classes: [covered(0), covered(9, { class_hash: '0xb', declared_in: 0 })],
  });
  const page = coverage.page();
  expect(page).toEqual({
    transactions: 4,
    calls: 4,
    classes: [
      {
        ...covered(0, statements([0, 6], [4, 2])),
        entry_points: [entry('increase', 5, 3), entry('get', 0, 0)],
      },
    ],
  });
  expect(coverage.page(true).classes).toHaveLength(2);
  expect(coverageText(page).split('\n')).toEqual([
    'counter  1 of 2 (50.0 %)',
    '       5  increase (3 failed)',
    '  never   get',
    '4 transactions and 4 calls outside of them',
    'entry points called: 1 of 2 (50.0 %)',
  ]);
  expect(coverageText(new Coverage().page())).toBe('0 transactions\nentry points called: 0 of 0');
});
