// The results file of growth curves, and the curves with their fits.
import { type Measuring, readRuns } from '../compare/results-file.js';
import { AXES, type Axis } from './chains.js';
import { type Fit, fitPower } from './fit.js';
import { type Cost, OPERATIONS, type Operation, type Row } from './measure.js';

/** Exponents up to this are called flat: an eighth more at ten times the size. */
const FLAT = 0.05;

/** Whether a cost grows with the size, as far as the error of the fit allows to say. */
export function verdict({ exponent, standardError }: Fit): 'flat' | 'grows' | 'unclear' {
  if (exponent <= FLAT) return 'flat';
  return exponent - 2 * standardError > FLAT ? 'grows' : 'unclear';
}

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
      const isOwn = (row: Row): boolean =>
        row.axis === axis.name && row.operation === operation.name;
      const run = runs.find(({ rows }) => rows.some(isOwn));
      if (!run) return [];
      const own = run.rows.filter(isOwn);
      const fitted = (part: keyof Cost): Fit =>
        fitPower(own.map(({ size, ratio }) => ({ size, cost: ratio[part] })));
      return [
        { axis, run, operation, rows: own, fit: { cpu: fitted('cpu'), wall: fitted('wall') } },
      ];
    }),
  );
}

/** The runs of several files; of an axis, the last file that has it. */
export function readGrowth(paths: readonly string[]): GrowthResults {
  const read = readRuns<GrowthRun>(paths);
  const hasAxis = ({ rows }: GrowthRun, axis: string): boolean =>
    rows.some((row) => row.axis === axis);
  const runs = read.map((run, at) => ({
    ...run,
    rows: run.rows.filter(({ axis }) => !read.slice(at + 1).some((later) => hasAxis(later, axis))),
  }));
  return { runs: runs.filter(({ rows }) => rows.length > 0) };
}
