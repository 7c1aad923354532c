// The results file of a comparison, and the figures that are taken from it.
import { median } from '../figures.js';
import { type Row, ratioOf } from './measure.js';

/** One run of all workloads. */
export type Run = readonly Row[];

export interface Results {
  /** How the other node calls itself. */
  readonly against: string;
  readonly version: string;
  readonly machine: string;
  readonly date: string;
  readonly quick: boolean;
  readonly runs: readonly Run[];
  /** Microseconds of a transfer in a bare loop on the engine, beside our transfers; one per run. */
  readonly bare: readonly number[];
}

/** A workload over all runs. */
export interface Line {
  readonly group: string;
  readonly name: string;
  readonly title: string;
  readonly unit: Row['unit'];
  readonly ours: number;
  readonly theirs: number;
  readonly ratio: number;
  /** The smallest and the largest ratio of a run. */
  readonly spread: readonly [number, number];
}

export function linesOf({ runs }: Pick<Results, 'runs'>): readonly Line[] {
  const [first = []] = runs;
  return first.map(({ group, name, title, unit }) => {
    const rows = runs.flatMap((run) => run.filter((row) => row.name === name));
    const ratios = rows.map(ratioOf);
    return {
      group,
      name,
      title,
      unit,
      ours: median(rows.map(({ ours }) => median(ours))),
      theirs: median(rows.map(({ theirs }) => median(theirs))),
      ratio: median(ratios),
      spread: [Math.min(...ratios), Math.max(...ratios)],
    };
  });
}

/** Three digits. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-GB');
  return String(Number(value.toPrecision(3)));
}
