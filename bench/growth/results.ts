// The results file of growth curves, and the curves with their fits.
import { fitLine } from '../figures.js';
import { type Measuring, readRuns } from '../harness/results-file.js';
import { AXES, type Axis } from './axes.js';
import { OPERATIONS, type Operation } from './operations.js';

/** Exponents up to this are called flat: an eighth more at ten times the size. */
const FLAT = 0.05;

/** Microseconds of one operation, or ratios of them. */
export interface Cost {
  readonly cpu: number;
  readonly wall: number;
}

/** An operation at one size of an axis. */
export interface Row {
  readonly axis: string;
  readonly operation: string;
  readonly size: number;
  /** Medians. */
  readonly grown: Cost;
  readonly control: Cost;
  /** Median over the rounds of the grown chain's cost over that of the control in the same round. */
  readonly ratio: Cost;
}

/** A power law: the least-squares line of log(cost) against log(size). */
export interface Fit {
  /** 0 is flat, 1 is proportional to the size. */
  readonly exponent: number;
  readonly standardError: number;
}

/** At least three points: two leave no error to estimate. */
export function fitPower(points: readonly { readonly size: number; readonly cost: number }[]): Fit {
  if (points.length < 3) throw new Error(`a fit needs 3 sizes, not ${points.length}`);
  const { slope, standardError } = fitLine(
    points.map(({ size, cost }) => ({ x: Math.log(size), y: Math.log(cost) })),
  );
  return { exponent: slope, standardError };
}

/** Whether a cost grows with the size, as far as the error of the fit allows to say. */
export function verdict({ exponent, standardError }: Fit): 'flat' | 'grows' | 'unclear' {
  if (exponent <= FLAT) return 'flat';
  return exponent - 2 * standardError > FLAT ? 'grows' : 'unclear';
}

export const exponentText = ({ exponent, standardError }: Fit): string =>
  `${exponent.toFixed(3)} ± ${standardError.toFixed(3)}`;

/** One run of some axes. */
export interface GrowthRun extends Measuring {
  /** The build that was measured. */
  readonly node: string;
  readonly rows: readonly Row[];
}

/** Runs of one or several results files. */
export interface GrowthResults {
  readonly runs: readonly GrowthRun[];
}

/** One operation along one axis. */
export interface Curve {
  readonly axis: Axis;
  readonly run: GrowthRun;
  readonly operation: Operation;
  readonly rows: readonly Row[];
  readonly fit: { readonly cpu: Fit; readonly wall: Fit };
}

export function curvesOf({ runs }: GrowthResults): readonly Curve[] {
  return AXES.flatMap((axis) =>
    OPERATIONS.flatMap((operation) => {
      const isOnCurve = (row: Row): boolean =>
        row.axis === axis.name && row.operation === operation.name;
      const run = runs.find(({ rows }) => rows.some(isOnCurve));
      if (!run) return [];
      const rows = run.rows.filter(isOnCurve);
      const fitOf = (part: keyof Cost): Fit =>
        fitPower(rows.map(({ size, ratio }) => ({ size, cost: ratio[part] })));
      return [{ axis, run, operation, rows, fit: { cpu: fitOf('cpu'), wall: fitOf('wall') } }];
    }),
  );
}

/** The runs of several files; of an axis, the last file that has it. */
export function readGrowth(paths: readonly string[]): GrowthResults {
  const runs = readRuns<GrowthRun>(paths);
  const hasAxis = ({ rows }: GrowthRun, axis: string): boolean =>
    rows.some((row) => row.axis === axis);
  const withoutRepeated = runs.map((run, index) => ({
    ...run,
    rows: run.rows.filter(
      ({ axis }) => !runs.slice(index + 1).some((later) => hasAxis(later, axis)),
    ),
  }));
  return { runs: withoutRepeated.filter(({ rows }) => rows.length > 0) };
}
