// docs/contributing/benchmarks.md is what its results give, and a node that cannot do a workload has a row that says so.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { linesOf } from '../bench/compare/lines.js';
import type { ComparisonRun, FiguresRun, Row } from '../bench/harness/results.js';
import { pageFiles } from '../bench/page.js';

const DOCS = fileURLToPath(new URL('../docs/contributing/', import.meta.url));
const PAGE = readFileSync(`${DOCS}benchmarks.md`, 'utf8');

const row = (changes: Partial<Row>): Row => ({
  group: 'Transfers',
  name: 'transfer',
  title: 'STRK transfer',
  unit: 'ms',
  ours: [2, 4, 3],
  theirs: [9, 6, 12],
  bare: [1],
  cannot: {},
  isFailure: false,
  remarks: {},
  ...changes,
});

const measuring = { build: 'Starkbox 1', machine: '2 cores', date: '2026-01-01', quick: false };

const results = (...runs: readonly (readonly Row[])[]): readonly ComparisonRun[] =>
  runs.map((rows) => ({ scenario: 'compare', ...measuring, other: 'other 2', rows }));

const only = (runs: readonly ComparisonRun[]) => linesOf(runs)[0];

test('a ratio above 1 is better, of times and of rates', () => {
  expect(only(results([row({})]))?.ratio).toBe(3);
  expect(only(results([row({ unit: 'per s' })]))?.ratio).toBeCloseTo(1 / 3);
});

test('the spread is that of the rounds of one run, and of the runs of several', () => {
  expect(only(results([row({})]))?.spread).toEqual([1.5, 4.5]);
  const runs = results([row({})], [row({ theirs: [6] })], [row({ theirs: [15] })]);
  expect(only(runs)?.spread).toEqual([2, 5]);
  expect(only(runs)?.theirs).toBe(9);
});

test('runs of different groups make one page', () => {
  const events = row({ group: 'Events', name: 'emit', title: 'transaction with events' });
  const files = pageFiles(PAGE, results([row({})], [events]));
  expect(files.get('benchmarks.md')).toContain('### Transfers');
  expect(files.get('benchmarks.md')).toContain('### Events');
});

test('what a node cannot do is in its row', () => {
  const cannot = { theirs: 'answers -32601 Method not found' };
  const files = pageFiles(PAGE, results([row({ theirs: [], cannot })]));
  expect(files.get('benchmarks.md')).toContain(
    '| STRK transfer | 3 ms | cannot: answers -32601 Method not found | – | – | 1 ms |',
  );
});

test('figures of a scenario are a table with their bounds', () => {
  const figures = [
    { name: 'opening', value: 12.34, atMost: 50, isNoisy: true },
    { name: 'throughput', value: 0.9 },
  ];
  const soak: FiguresRun = { scenario: 'soak', ...measuring, figures };
  const page = pageFiles(PAGE, [...results([row({})]), soak]).get('benchmarks.md');
  expect(page).toContain(
    '### `soak`\n\nStarkbox 1, 2026-01-01, 2 cores.\n\n| figure | measured | bound |',
  );
  expect(page).toContain('| opening | 12.3 | at most 50 |\n| throughput | 0.9 |  |');
});

test('nothing outside of the generated part is changed', () => {
  const changed = pageFiles(PAGE, results([row({})])).get('benchmarks.md') ?? '';
  const outside = (page: string): string => page.replace(/begin -->[\s\S]*<!--/, '');
  expect(outside(changed)).toBe(outside(PAGE));
});
