// Gas report as text: a table for each resource.
import { shortAddress, shortHash } from '../felt.js';
import type { GasPage, GasRow } from './report.js';
import { MEASURE_NAMES } from './tree.js';

/** `contract.function`, as far as the names are known. */
function rowName({ kind, ...row }: Omit<GasRow, 'calls' | 'costs'>): string {
  if (row.selector === undefined) {
    return kind === 'reverted' ? 'reverted executions' : 'protocol, outside of calls';
  }
  const { contract_address: address, contract_name: name } = row;
  const unnamed =
    address === undefined ? `class ${shortHash(row.class_hash ?? '0x0')}` : shortAddress(address);
  const called = `${name ?? unnamed}.${row.function_name ?? shortHash(row.selector)}`;
  if (kind === 'fee_transfer') return `${called} (fee, not charged)`;
  return row.is_library_call ? `${called} (library)` : called;
}

/** Names of the rows, each once: equal ones with what tells them apart. */
export function rowNames(rows: readonly GasRow[]): readonly string[] {
  const count = new Map<string, number>();
  for (const row of rows) count.set(rowName(row), (count.get(rowName(row)) ?? 0) + 1);
  return rows.map((row) => {
    const name = rowName(row);
    if ((count.get(name) ?? 0) < 2) return name;
    // A contract may call a function of the same name in several classes.
    const address = row.is_library_call ? undefined : row.contract_address;
    return `${name} ${shortHash(address ?? row.class_hash ?? '0x0')}`;
  });
}

export function resourceName(resource: string): string {
  const measureNames: Readonly<Record<string, string>> = MEASURE_NAMES;
  return measureNames[resource] ?? resource.replaceAll('_', ' ');
}

const HEAD = ['calls', 'min', 'median', 'max', 'self', 'total'];
/** Rows that belong to no function come last. */
const ORDER: readonly GasRow['kind'][] = ['function', 'fee_transfer', 'reverted', 'protocol'];

/** @param heading how a heading is written, for example in bold */
export function gasText(page: GasPage, heading: (text: string) => string = (text) => text): string {
  const { transactions, reverted, rows, receipts } = page;
  const names = rowNames(rows);
  const tables = Object.keys(receipts).flatMap((resource) => {
    const listed = rows
      .map((row, at) => ({
        kind: row.kind,
        calls: row.calls,
        name: names[at] ?? '',
        cost: row.costs[resource],
      }))
      .filter(({ cost }) => cost && (cost.max !== 0 || cost.min !== 0))
      .sort(
        (a, b) =>
          ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) ||
          (b.cost?.total ?? 0) - (a.cost?.total ?? 0),
      );
    if (listed.length === 0) return [];
    const cells = listed.map(({ name, calls, cost }) => [
      name,
      ...[calls, cost?.min, cost?.median, cost?.max, cost?.self, cost?.total].map(grouped),
    ]);
    const sum = ['sum of the receipts', '', '', '', '', grouped(receipts[resource]), ''];
    const [head = '', ...lines] = aligned([[resourceName(resource), ...HEAD], ...cells, sum]);
    return [[heading(head), ...lines].join('\n')];
  });
  const count = `${grouped(transactions)} ${transactions === 1 ? 'transaction' : 'transactions'}`;
  const failed = reverted === 0 ? '' : `, ${grouped(reverted)} reverted`;
  return [`${count}${failed}`, ...tables].join('\n\n');
}

/** Digits in groups of three. */
function grouped(value: number | undefined): string {
  return (value ?? 0).toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

/** The first column to the left, the others to the right. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, cell.length);
    });
  }
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
