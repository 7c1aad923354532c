// Least-squares line through measured points.

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Line {
  readonly slope: number;
  /** Of the slope. */
  readonly standardError: number;
}

export function fitLine(points: readonly Point[]): Line {
  const count = points.length;
  const meanX = sum(points.map(({ x }) => x)) / count;
  const meanY = sum(points.map(({ y }) => y)) / count;
  const spread = sum(points.map(({ x }) => (x - meanX) ** 2));
  const slope = sum(points.map(({ x, y }) => (x - meanX) * (y - meanY))) / spread;
  const residual = sum(points.map(({ x, y }) => (y - meanY - slope * (x - meanX)) ** 2));
  return { slope, standardError: Math.sqrt(residual / (count - 2) / spread) };
}

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
