// Gas report as text: a table for each resource.
import { shortAddress, shortHash } from '../felt.js';
import { type Column, groupDigits, table, type Width, withNoun } from '../text-layout.js';
import type { GasPage, GasRow } from './report.js';
import { MEASURE_NAMES, MEASURES } from './tree.js';

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
const COLUMNS: readonly Column[] = [
  { isShortened: true },
  { align: 'right' },
  { align: 'right', omitted: 1 },
  { align: 'right' },
  { align: 'right', omitted: 2 },
  { align: 'right' },
  { align: 'right' },
];
/** Rows that belong to no function come last. */
const ORDER: readonly GasRow['kind'][] = ['function', 'fee_transfer', 'reverted', 'protocol'];

/** How a report is written. */
export interface ReportTextOptions {
  /** How a heading is written, for example in bold. */
  readonly heading?: (text: string) => string;
  /** Columns that a line may take; without it, lines are as long as they need to be. */
  readonly width?: Width;
}

export function gasText(
  page: GasPage,
  { heading = (text) => text, width }: ReportTextOptions = {},
): string {
  const { transactions, reverted, rows, receipts } = page;
  const names = rowNames(rows);
  const omitted = new Set<number>();
  const tables = Object.keys(receipts).flatMap((resource) => {
    const listed = rows
      .flatMap(({ kind, calls, costs }, at) => {
        const cost = costs[resource];
        const isEmpty = cost === undefined || (cost.max === 0 && cost.min === 0);
        return isEmpty ? [] : [{ kind, calls, name: names[at] ?? '', cost }];
      })
      .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || b.cost.total - a.cost.total);
    if (listed.length === 0) return [];
    const cells = listed.map(({ name, calls, cost }) => [
      name,
      ...[calls, cost.min, cost.median, cost.max, cost.self, cost.total].map(groupDigits),
    ]);
    const label = MEASURES.some((gas) => gas === resource) ? 'sum of the receipts' : 'sum';
    const sum = [label, '', '', '', '', groupDigits(receipts[resource] ?? 0), ''];
    const laidOut = table([[resourceName(resource), ...HEAD], ...cells, sum], {
      width,
      columns: COLUMNS,
    });
    for (const at of laidOut.omitted) omitted.add(at);
    const [head = '', ...lines] = laidOut.lines;
    return [[heading(head), ...lines].join('\n')];
  });
  const failed = reverted === 0 ? '' : `, ${groupDigits(reverted)} reverted`;
  const narrow = [...omitted].sort().map((at) => HEAD[at - 1]);
  return [
    `${withNoun(transactions, 'transaction')}${failed}`,
    ...tables,
    ...(narrow.length > 0 ? [`The terminal is too narrow for ${narrow.join(' and ')}.`] : []),
  ].join('\n\n');
}
