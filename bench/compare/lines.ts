// Figures of a comparison over all of its runs.
import { median } from '../harness/figures.js';
import type {
  ComparedFigure,
  ComparisonRun,
  Measured,
  Row,
  SideName,
  Unit,
} from '../harness/results.js';

/** A figure over all runs. */
export interface Line extends ComparedFigure {
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

/** How many times better our figure is than another. */
function timesBetter(unit: Unit, ours: number, other: number): number {
  return unit === 'per s' ? ours / other : other / ours;
}

function ratioOf({ unit, ours, theirs }: Row): number {
  return timesBetter(unit, median(ours), median(theirs));
}

/** The ratios of the runs, or, of a single run, of its rounds. */
function spreadOf(rows: readonly Row[]): readonly number[] {
  const [only] = rows;
  if (rows.length !== 1 || !only) return rows.map(ratioOf);
  const { unit, ours, theirs } = only;
  const rounds = ours.slice(0, theirs.length);
  return rounds.map((mine, at) => timesBetter(unit, mine, theirs[at] ?? Number.NaN));
}

export function linesOf(runs: readonly ComparisonRun[]): readonly Line[] {
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
  const of = (side: Measured): number | undefined => {
    const measured = rows.filter((row) => row[side].length > 0);
    return measured.length > 0 ? median(measured.map((row) => median(row[side]))) : undefined;
  };
  const both = rows.filter((row) => row.ours.length > 0 && row.theirs.length > 0);
  const spread = spreadOf(both);
  return {
    ...{ group, name, title, unit, ours: of('ours'), theirs: of('theirs'), bare: of('bare') },
    ratio: both.length === 0 ? undefined : median(both.map(ratioOf)),
    spread: both.length === 0 ? undefined : [Math.min(...spread), Math.max(...spread)],
    cannot: Object.assign({}, ...rows.map(({ cannot }) => cannot)),
    remarks: Object.assign({}, ...rows.map(({ remarks }) => remarks)),
  };
}
