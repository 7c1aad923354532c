// The results file of growth curves, and the curves with their fits.
import { readFileSync } from 'node:fs';
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

export interface GrowthResults {
  readonly node: string;
  readonly machine: string;
  readonly date: string;
  readonly quick: boolean;
  readonly rows: readonly Row[];
}

/** One operation along one axis. */
export interface Curve {
  readonly axis: Axis;
  readonly operation: Operation;
  readonly rows: readonly Row[];
  readonly fit: { readonly cpu: Fit; readonly wall: Fit };
}

export function curvesOf(rows: readonly Row[]): readonly Curve[] {
  return AXES.flatMap((axis) =>
    OPERATIONS.flatMap((operation) => {
      const own = rows.filter((row) => row.axis === axis.name && row.operation === operation.name);
      if (own.length === 0) return [];
      const fitted = (part: keyof Cost): Fit =>
        fitPower(own.map(({ size, ratio }) => ({ size, cost: ratio[part] })));
      return [{ axis, operation, rows: own, fit: { cpu: fitted('cpu'), wall: fitted('wall') } }];
    }),
  );
}

/** Files of several runs as one, a later file before an earlier for the same axis. */
export function readGrowth(paths: readonly string[]): GrowthResults {
  const read = paths.map((path): GrowthResults => JSON.parse(readFileSync(path, 'utf8')));
  const last = read.at(-1);
  if (!last) throw new Error('no results file');
  const byAxis = new Map<string, readonly Row[]>();
  for (const { rows } of read) {
    for (const { axis } of rows) {
      byAxis.set(
        axis,
        rows.filter((row) => row.axis === axis),
      );
    }
  }
  return {
    ...last,
    quick: read.some(({ quick }) => quick),
    rows: AXES.flatMap(({ name }) => byAxis.get(name) ?? []),
  };
}

/** A line for each row, so that changes can be read. */
export function growthText({ rows, ...about }: GrowthResults): string {
  const lines = rows.map((row) => JSON.stringify(row)).join(',\n');
  return `${JSON.stringify(about).slice(0, -1)},"rows":[\n${lines}\n]}\n`;
}
