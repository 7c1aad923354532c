// Gas of a run beside that of an earlier one, by the names of functions.
import type { GasPage } from './report.js';
import { rowNames } from './text.js';

/** Median cost of one call, by function and resource. */
export type Baseline = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Sorted, so that a committed file changes little. */
export function baselineOf({ rows }: GasPage): Baseline {
  const names = rowNames(rows);
  const pairs = rows.map(({ costs }, at) => {
    const medians = Object.entries(costs).map(([resource, { median }]) => [resource, median]);
    return [names[at] ?? '', Object.fromEntries(medians)] as const;
  });
  return Object.fromEntries(pairs.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `was` or `is` is left out for a function that only one of the runs called. */
export interface GasChange {
  readonly name: string;
  readonly resource: string;
  readonly was?: number;
  readonly is?: number;
}

/** All medians that differ. */
export function gasChanges(before: Baseline, after: Baseline): readonly GasChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].sort().flatMap((name) => {
    const [old, now] = [before[name], after[name]];
    const resources = new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})]);
    return [...resources].flatMap((resource) => {
      const [was, is] = [old?.[resource], now?.[resource]];
      if ((was ?? 0) === (is ?? 0)) return [];
      return [
        {
          name,
          resource,
          ...(was === undefined ? {} : { was }),
          ...(is === undefined ? {} : { is }),
        },
      ];
    });
  });
}

/** @param tolerance a share: 0.05 is five percent */
export function isBeyond({ was, is }: GasChange, tolerance: number): boolean {
  return was !== undefined && is !== undefined && is > was * (1 + tolerance);
}

/** Checks that a JSON value is a baseline. */
export function readBaseline(value: unknown): Baseline | undefined {
  if (!isMembers(value)) return undefined;
  const read: Record<string, Record<string, number>> = {};
  for (const [name, costs] of Object.entries(value)) {
    if (!isMembers(costs)) return undefined;
    const medians: Record<string, number> = {};
    for (const [resource, median] of Object.entries(costs)) {
      if (typeof median !== 'number') return undefined;
      medians[resource] = median;
    }
    read[name] = medians;
  }
  return read;
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
