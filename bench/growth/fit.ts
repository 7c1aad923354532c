// Power law through measured points: the least-squares line of log(cost) against log(size).

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
  const logs = points.map(({ size, cost }) => ({ x: Math.log(size), y: Math.log(cost) }));
  const meanX = sum(logs.map(({ x }) => x)) / logs.length;
  const meanY = sum(logs.map(({ y }) => y)) / logs.length;
  const spread = sum(logs.map(({ x }) => (x - meanX) ** 2));
  const exponent = sum(logs.map(({ x, y }) => (x - meanX) * (y - meanY))) / spread;
  const residual = sum(logs.map(({ x, y }) => (y - meanY - exponent * (x - meanX)) ** 2));
  return { exponent, standardError: Math.sqrt(residual / (logs.length - 2) / spread) };
}

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);
