// The results file of comparisons, and the figures that are taken from it.
import { readFileSync } from 'node:fs';
import { median } from '../figures.js';
import type { Figure, Measured, Row, SideName } from './measure.js';

/** One run of workloads. */
export interface Run {
  /** How the nodes call themselves. */
  readonly ours: string;
  readonly theirs: string;
  readonly machine: string;
  readonly date: string;
  /** Small sizes, on a machine that may have been busy. */
  readonly quick: boolean;
  readonly rows: readonly Row[];
}

/** Runs of one or several results files. */
export interface Results {
  readonly runs: readonly Run[];
}

export function readResults(paths: readonly string[]): Results {
  return {
    runs: paths.flatMap((path) => {
      const { runs }: Results = JSON.parse(readFileSync(path, 'utf8'));
      return runs;
    }),
  };
}

/** A figure over all runs. */
export interface Line extends Figure {
  readonly group: string;
  /** Medians; undefined where it was not measured. */
  readonly ours: number | undefined;
  readonly theirs: number | undefined;
  readonly bare: number | undefined;
  /** How many times better we are than the other node, and in what range. */
  readonly ratio: number | undefined;
  readonly spread: readonly [number, number] | undefined;
  readonly cannot: Readonly<Partial<Record<Measured, string>>>;
  readonly remarks: Readonly<Partial<Record<SideName, string>>>;
}

/** How many times better one is than another. */
export function timesBetter(unit: Figure['unit'], one: number, other: number): number {
  return unit === 'per s' ? one / other : other / one;
}

/** One ratio for each run, or, of a single run, for each round. */
function ratiosOf(rows: readonly Row[]): readonly number[] {
  const measured = rows.filter(({ ours, theirs }) => ours.length > 0 && theirs.length > 0);
  const [only] = measured;
  if (measured.length !== 1 || !only) {
    return measured.map(({ unit, ours, theirs }) =>
      timesBetter(unit, median(ours), median(theirs)),
    );
  }
  const { unit, ours, theirs } = only;
  const rounds = Math.min(ours.length, theirs.length);
  return Array.from({ length: rounds }, (_, at) =>
    timesBetter(unit, ours[at] ?? Number.NaN, theirs[at] ?? Number.NaN),
  );
}

export function linesOf({ runs }: Results): readonly Line[] {
  const byName = new Map<string, Row[]>();
  for (const row of runs.flatMap(({ rows }) => rows)) {
    byName.set(row.name, [...(byName.get(row.name) ?? []), row]);
  }
  return [...byName.values()].map(lineOf);
}

/** Rows of the same figure as one line. */
export function lineOf(rows: readonly Row[]): Line {
  const [first] = rows;
  if (!first) throw new Error('no rows');
  const { group, name, title, unit } = first;
  const of = (who: Measured): number | undefined => {
    const measured = rows.filter((row) => row[who].length > 0);
    return measured.length > 0 ? median(measured.map((row) => median(row[who]))) : undefined;
  };
  const ratios = ratiosOf(rows);
  const [ours, theirs] = [of('ours'), of('theirs')];
  const isMeasured = ours !== undefined && theirs !== undefined && ratios.length > 0;
  return {
    ...{ group, name, title, unit, ours, theirs, bare: of('bare') },
    ratio: isMeasured ? timesBetter(unit, ours, theirs) : undefined,
    spread: isMeasured ? [Math.min(...ratios), Math.max(...ratios)] : undefined,
    cannot: Object.assign({}, ...rows.map(({ cannot }) => cannot)),
    remarks: Object.assign({}, ...rows.map(({ remarks }) => remarks)),
  };
}

/** Three digits. */
export function shown(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-GB');
  return String(Number(value.toPrecision(3)));
}
