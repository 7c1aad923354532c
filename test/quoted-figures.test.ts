// Figures that README.md and the comparison quote are those of the pages that have them.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { linesOf } from '../bench/compare/lines.js';
import { isComparison, readRuns } from '../bench/harness/results.js';

const ROOT = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

const LINES = linesOf(
  readRuns([fileURLToPath(new URL('docs/contributing/benchmarks/results.json', ROOT))]).filter(
    isComparison,
  ),
);
/** Pages with figures of their own; figures are quoted from them to the letter. */
const OTHER_PAGES = ['docs/reference/testing.md', 'docs/features/instances.md'].map(read);

/** Units by a base unit of their kind. */
const UNITS: Readonly<Record<string, number>> = {
  ...{ µs: 1e-3, ms: 1, s: 1e3 },
  ...{ bytes: 1e-3, KB: 1, MB: 1e3 },
  ...{ 'per s': 1, times: 1 },
};
const FIGURE = /(\d[\d,.]*) (µs|ms|s|bytes|KB|MB|per s|times)(?![\w-])/g;
const KINDS = [['µs', 'ms', 's'], ['bytes', 'KB', 'MB'], ['per s'], ['times']];

interface Quote {
  readonly text: string;
  readonly digits: string;
  readonly unit: string;
}

/** Whether a measured value, rounded to the digits of the quote, is the quoted one. */
function isValue({ digits, unit }: Quote, value: number | undefined, of: string): boolean {
  const isSameKind = KINDS.some((kind) => kind.includes(unit) && kind.includes(of));
  if (value === undefined || !isSameKind) return false;
  const decimals = digits.split('.')[1]?.length ?? 0;
  const measured = (value * (UNITS[of] ?? 1)) / (UNITS[unit] ?? 1);
  return measured.toFixed(decimals) === digits.replaceAll(',', '');
}

/** Whether two quotes are the figures of both nodes in one row, in either order. */
function isRow(first: Quote, second: Quote): boolean {
  return LINES.some(
    ({ ours, theirs, unit }) =>
      (isValue(first, ours, unit) && isValue(second, theirs, unit)) ||
      (isValue(first, theirs, unit) && isValue(second, ours, unit)),
  );
}

const isRatio = (quote: Quote): boolean =>
  LINES.some(({ ratio }) => isValue(quote, ratio, 'times'));

/** Quotes that have no source. Two of a table's row, or with "against" or "instead of" between them, are a pair. */
function unfounded(text: string): string[] {
  const quotes = [...text.replaceAll(/\s+/g, ' ').matchAll(FIGURE)].map(
    ({ 0: all, 1: digits = '', 2: unit = '', index }) => ({ text: all, digits, unit, index }),
  );
  return quotes
    .filter((quote, at) => {
      if (quote.unit === 'times') return !isRatio(quote);
      if (OTHER_PAGES.some((page) => page.includes(quote.text))) return false;
      const neighbours = [quotes[at - 1], quotes[at + 1]].filter(
        (neighbour) => neighbour !== undefined,
      );
      return !neighbours.some((other) => isRow(quote, other));
    })
    .map((quote) => quote.text);
}

test.each(['README.md', 'docs/start/comparison.md', 'docs/features/performance.md'])(
  'the figures of %s are measured ones',
  (page) => {
    expect([...read(page).matchAll(FIGURE)].length).toBeGreaterThan(9);
    expect(unfounded(read(page))).toEqual([]);
  },
);
