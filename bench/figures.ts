// Figures of a benchmark: statistics of samples, and a report with bounds and one line of JSON at the end.

export interface Bound {
  readonly atLeast?: number;
  readonly atMost?: number;
  /** A bound sensitive to other programs on the machine; a quick run does not enforce it. */
  readonly isNoisy?: boolean;
}

/** Prints figures and records broken bounds. */
export class Figures {
  readonly #bounds: Record<string, Bound>;
  readonly #enforcesNoisy: boolean;
  readonly #measured: Record<string, number> = {};
  #broken = 0;

  constructor(bounds: Readonly<Record<string, Bound>>, { quick }: { readonly quick: boolean }) {
    this.#bounds = { ...bounds };
    this.#enforcesNoisy = !quick;
  }

  /** Adds bounds that depend on earlier figures. */
  bound(bounds: Readonly<Record<string, Bound>>): void {
    Object.assign(this.#bounds, bounds);
  }

  say(name: string, value: number): void {
    const rounded = this.record(name, value);
    console.log(`${name.padEnd(32)} ${String(rounded).padStart(12)}${this.#verdict(name, value)}`);
  }

  sayAll(figures: Readonly<Record<string, number>>): void {
    for (const [name, value] of Object.entries(figures)) this.say(name, value);
  }

  /** Adds a figure without a bound to the JSON only. @returns it with four digits */
  record(name: string, value: number): number {
    const rounded = Number(value.toPrecision(4));
    this.#measured[name] = rounded;
    return rounded;
  }

  /** Prints all figures as JSON. Sets a failing exit code if a bound is broken. */
  finish(more: Readonly<Record<string, unknown>>): void {
    const missing = Object.keys(this.#bounds).filter((name) => !(name in this.#measured));
    if (missing.length > 0) throw new Error(`not measured: ${missing.join(', ')}`);
    console.log(JSON.stringify({ ...this.#measured, ...more }));
    if (this.#broken > 0) process.exitCode = 1;
  }

  #verdict(name: string, value: number): string {
    const bound = this.#bounds[name];
    if (!bound) return '';
    const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = bound;
    const isWithin = value >= atLeast && value <= atMost;
    const limit = bound.atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
    if (bound.isNoisy && !this.#enforcesNoisy) return `  not enforced: ${limit}`;
    if (!isWithin) this.#broken += 1;
    return `  ${isWithin ? 'within' : 'BROKEN'}: ${limit}`;
  }
}

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

export const mean = (values: readonly number[]): number => sum(values) / values.length;

/** The value below which a share of all values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

interface Point {
  readonly x: number;
  readonly y: number;
}

interface FittedLine {
  readonly slope: number;
  /** Of the slope. */
  readonly standardError: number;
}

/** Least-squares line through points. */
export function fitLine(points: readonly Point[]): FittedLine {
  const meanX = mean(points.map(({ x }) => x));
  const meanY = mean(points.map(({ y }) => y));
  const spread = sum(points.map(({ x }) => (x - meanX) ** 2));
  const slope = sum(points.map(({ x, y }) => (x - meanX) * (y - meanY))) / spread;
  const residual = sum(points.map(({ x, y }) => (y - meanY - slope * (x - meanX)) ** 2));
  return { slope, standardError: Math.sqrt(residual / (points.length - 2) / spread) };
}
