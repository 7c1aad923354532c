// The section of growth curves is what its results give, and its fits find the exponent of a power law.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { AXES, sizesOf } from '../bench/growth/axes.js';
import { growthFiles } from '../bench/growth/page.js';
import {
  fitPower,
  type GrowthResults,
  type Row,
  readGrowth,
  verdict,
} from '../bench/growth/results.js';

const DOCS = fileURLToPath(new URL('../docs/contributing/', import.meta.url));
const PAGE = readFileSync(`${DOCS}benchmarks.md`, 'utf8');

const cost = (value: number) => ({ cpu: value, wall: value });

const results = (costOf: (size: number) => number): GrowthResults => ({
  runs: [
    {
      ...{ node: 'Starkbox 1', machine: '2 cores', date: '2026-01-01', quick: false },
      rows: [100, 1_000, 10_000].map(
        (size): Row => ({
          ...{ axis: 'blocks', operation: 'transaction', size },
          ...{ grown: cost(50 * costOf(size)), control: cost(50), ratio: cost(costOf(size)) },
        }),
      ),
    },
  ],
});

const points = (costOf: (size: number) => number) =>
  [10, 30, 100, 300, 1_000].map((size) => ({ size, cost: costOf(size) }));

test('the section and its plots are those of the results file', () => {
  const file = `${DOCS}growth/results.json`;
  if (!existsSync(file)) return;
  for (const [path, text] of growthFiles(PAGE, readGrowth([file]))) {
    expect(readFileSync(`${DOCS}${path}`, 'utf8'), path).toBe(text);
  }
});

test('the exponent is that of a power law, and what scatters has an error', () => {
  const exact = fitPower(points((size) => 7 * size ** 0.5));
  expect(exact.exponent).toBeCloseTo(0.5);
  expect(exact.standardError).toBeCloseTo(0);
  const scattered = fitPower(points((size) => (size === 100 ? 2 : 1)));
  expect(scattered.exponent).toBeCloseTo(0, 1);
  expect(scattered.standardError).toBeGreaterThan(0.05);
});

test('a curve is flat, grows, or is unclear by its error', () => {
  expect(verdict({ exponent: 0.04, standardError: 0.5 })).toBe('flat');
  expect(verdict({ exponent: 0.2, standardError: 0.05 })).toBe('grows');
  expect(verdict({ exponent: 0.2, standardError: 0.1 })).toBe('unclear');
});

test('the section says how much more the largest size costs, and by what exponent', () => {
  const files = growthFiles(
    PAGE,
    results((size) => size / 100),
  );
  expect(files.get('benchmarks.md')).toContain(
    '| a transfer, which closes a block | 50 µs | 5,000 µs | 100× | 1.000 ± 0.000 | 1.000 ± 0.000 | grows |',
  );
  expect(files.get('benchmarks.md')).toContain('Starkbox 1, 2026-01-01, 2 cores.');
  expect(files.get('growth/blocks.svg')).toContain('<polyline');
});

test('nothing outside of the generated section is changed', () => {
  const changed = growthFiles(
    PAGE,
    results(() => 1),
  ).get('benchmarks.md');
  const outside = (page = ''): string => page.replace(/growth file: begin -->[\s\S]*<!--/, '');
  expect(outside(changed)).toBe(outside(PAGE));
});

test('sizes are geometric and end at the largest', () => {
  const [axis] = AXES;
  if (!axis) throw new Error('no axis');
  expect(sizesOf(axis, 100_000, false)).toEqual([3_162, 10_000, 31_623, 100_000]);
});
