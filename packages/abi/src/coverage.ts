// Coverage of classes by entry point, added over pages and chains.
import type { COVERAGE, COVERED_CLASS } from '@starkbox/spec';
import { shortHash } from './felt.js';
import type { ReportTextOptions } from './gas/text.js';
import { table, withNoun, wrapLine } from './text-layout.js';

export type CoveredClass = COVERED_CLASS;
export type CoveragePage = Pick<COVERAGE, 'transactions' | 'calls' | 'classes'>;

export class Coverage {
  #transactions = 0;
  #calls = 0;
  readonly #classes = new Map<string, CoveredClass>();

  addPage({ transactions, calls = 0, classes }: CoveragePage): void {
    this.#transactions += transactions;
    this.#calls += calls;
    for (const covered of classes) {
      const sum = this.#classes.get(covered.class_hash);
      this.#classes.set(covered.class_hash, sum ? sumOf(sum, covered) : covered);
    }
  }

  /** @param withReadyMade also classes that every chain has, and those of a forked network */
  page(withReadyMade = false): CoveragePage {
    const all = [...this.#classes.values()];
    const classes = all.filter(({ declared_in: block }) => withReadyMade || (block ?? 0) > 0);
    classes.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    const calls = this.#calls === 0 ? {} : { calls: this.#calls };
    return { transactions: this.#transactions, ...calls, classes };
  }
}

function sumOf(a: CoveredClass, b: CoveredClass): CoveredClass {
  const statements = statementsOf(a.statements, b.statements);
  return {
    ...a,
    ...(statements ? { statements } : {}),
    entry_points: a.entry_points.map((entry, at) => ({
      ...entry,
      calls: entry.calls + (b.entry_points[at]?.calls ?? 0),
      failed: entry.failed + (b.entry_points[at]?.failed ?? 0),
    })),
  };
}

/** Both list the same statements, unless one of them has none. */
function statementsOf(
  a: CoveredClass['statements'],
  b: CoveredClass['statements'],
): CoveredClass['statements'] {
  if (!a || !b) return a ?? b;
  return a.map(([statement = 0, times = 0], at) => [statement, times + (b[at]?.[1] ?? 0)]);
}

function nameOf({ contract_name, class_hash }: CoveredClass): string {
  return contract_name ?? `class ${shortHash(class_hash)}`;
}

export function coverageText(
  { transactions, calls, classes }: CoveragePage,
  { heading = (text) => text, width }: ReportTextOptions = {},
): string {
  const lines = classes.flatMap((covered) => {
    const called = covered.entry_points.filter(({ calls }) => calls > 0);
    const rest = covered.entry_points.filter(({ calls }) => calls === 0);
    const names = rest.map(({ function_name: name, selector }) => name ?? shortHash(selector));
    const rows = called.map(({ function_name: name, selector, calls, failed }) => [
      String(calls).padStart(CALLS_WIDTH),
      `${name ?? shortHash(selector)}${failed === 0 ? '' : ` (${failed} failed)`}`,
    ]);
    const never = `  never   ${names.join(', ')}`;
    return [
      heading(`${nameOf(covered)}  ${shareOf(called.length, covered.entry_points.length)}`),
      ...table(rows, { width, indent: '  ', columns: [{}, { isShortened: true }] }).lines,
      ...(names.length === 0 ? [] : wrapLine(never, width, ' '.repeat(CALLS_WIDTH + 4))),
    ];
  });
  const entries = classes.flatMap(({ entry_points }) => entry_points);
  const called = entries.filter(({ calls }) => calls > 0).length;
  const count = [
    withNoun(transactions, 'transaction'),
    ...(calls === undefined ? [] : [`${withNoun(calls, 'call')} outside of them`]),
  ].join(' and ');
  return [...lines, count, `entry points called: ${shareOf(called, entries.length)}`].join('\n');
}

/** The column of the word `never`, and of the numbers above it. */
const CALLS_WIDTH = 6;

function shareOf(part: number, whole: number): string {
  return `${part} of ${whole}${whole === 0 ? '' : ` (${((part / whole) * 100).toFixed(1)} %)`}`;
}
