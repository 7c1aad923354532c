// Power law through measured points: the least-squares line of log(cost) against log(size).
import { fitLine } from '../fit.js';

export interface Point {
  readonly size: number;
  readonly cost: number;
}

export interface Fit {
  /** 0 is flat, 1 is proportional to the size. */
  readonly exponent: number;
  readonly standardError: number;
}

/** At least three points: two leave no error to estimate. */
export function fitPower(points: readonly Point[]): Fit {
  if (points.length < 3) throw new Error(`a fit needs 3 sizes, not ${points.length}`);
  const { slope, standardError } = fitLine(
    points.map(({ size, cost }) => ({ x: Math.log(size), y: Math.log(cost) })),
  );
  return { exponent: slope, standardError };
}
