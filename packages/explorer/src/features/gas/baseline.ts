// Saved gas figures to compare with, in local storage.
import type { Names } from '@starkbox/abi';
import { type FunctionCost, type Grouping, MEASURES, type Measure } from '@starkbox/abi/internal';
import { lastingKeys } from '../../parts/gas/names.js';

export interface Baseline {
  /** By the wall clock, in milliseconds. */
  readonly savedAt: number;
  readonly measure: Measure;
  readonly grouping: Grouping;
  readonly transactions: number;
  /** Median gas of one call of a function. */
  readonly medians: ReadonlyMap<string, number>;
}

const KEY = 'starkbox.gas.baseline';
const MAX_COUNT = 500;

export function saveBaseline(
  rows: readonly FunctionCost[],
  of: Omit<Baseline, 'medians' | 'savedAt'>,
  names: Names,
): Baseline {
  const largest = [...rows].sort((a, b) => b.inclusive - a.inclusive).slice(0, MAX_COUNT);
  const baseline: Baseline = {
    ...of,
    savedAt: Date.now(),
    medians: new Map(
      largest.flatMap(({ called, median }) =>
        lastingKeys(called, names, of.grouping).map((key): [string, number] => [key, median]),
      ),
    ),
  };
  localStorage.setItem(KEY, JSON.stringify({ ...baseline, medians: [...baseline.medians] }));
  return baseline;
}

export function forgetBaseline(): void {
  localStorage.removeItem(KEY);
}

/** Local storage is untrusted. */
export function readBaseline(): Baseline | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    if (typeof stored !== 'object' || stored === null) return undefined;
    const fields: Partial<Record<keyof Baseline, unknown>> = stored;
    const measure = MEASURES.find((name) => name === fields.measure);
    const { savedAt, grouping, transactions, medians } = fields;
    if (measure === undefined || typeof savedAt !== 'number' || typeof transactions !== 'number') {
      return undefined;
    }
    if ((grouping !== 'contract' && grouping !== 'class') || !Array.isArray(medians)) {
      return undefined;
    }
    const pairs = medians.flatMap((pair: unknown): [string, number][] => {
      if (!Array.isArray(pair)) return [];
      const [key, median]: unknown[] = pair;
      return typeof key === 'string' && typeof median === 'number' ? [[key, median]] : [];
    });
    return { savedAt, measure, grouping, transactions, medians: new Map(pairs) };
  } catch {
    return undefined;
  }
}
