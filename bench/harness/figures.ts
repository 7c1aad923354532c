// Figures of a scenario with their bounds, and statistics of samples.

export interface Bound {
  readonly atLeast?: number;
  readonly atMost?: number;
  /** A bound sensitive to other programs on the machine; a quick run does not enforce it. */
  readonly isNoisy?: boolean;
}

/** A measured figure with its bound. */
export interface Figure extends Bound {
  readonly name: string;
  readonly value: number;
}

/** Prints figures and records broken bounds. */
export class Figures {
  readonly #bounds: Record<string, Bound>;
  readonly #enforcesNoisy: boolean;
  readonly #measured = new Map<string, Figure>();
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
    const { value: rounded } = this.record(name, value);
    console.log(`${name.padEnd(32)} ${String(rounded).padStart(12)}${this.#verdict(name, value)}`);
  }

  sayAll(figures: Readonly<Record<string, number>>): void {
    for (const [name, value] of Object.entries(figures)) this.say(name, value);
  }

  /** Adds a figure that is not printed. @returns it with four digits */
  record(name: string, value: number): Figure {
    const figure = { name, value: Number(value.toPrecision(4)), ...this.#bounds[name] };
    this.#measured.set(name, figure);
    return figure;
  }

  /** Sets a failing exit code if a bound is broken. @returns all figures */
  finish(): readonly Figure[] {
    const missing = Object.keys(this.#bounds).filter((name) => !this.#measured.has(name));
    if (missing.length > 0) throw new Error(`not measured: ${missing.join(', ')}`);
    if (this.#broken > 0) process.exitCode = 1;
    return [...this.#measured.values()];
  }

  #verdict(name: string, value: number): string {
    const bound = this.#bounds[name];
    if (!bound) return '';
    const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = bound;
    const isWithin = value >= atLeast && value <= atMost;
    const limit = boundText(bound);
    if (bound.isNoisy && !this.#enforcesNoisy) return `  not enforced: ${limit}`;
    if (!isWithin) this.#broken += 1;
    return `  ${isWithin ? 'within' : 'BROKEN'}: ${limit}`;
  }
}

export function boundText({ atLeast, atMost }: Bound): string {
  if (atLeast !== undefined) return `at least ${atLeast}`;
  return atMost === undefined ? '' : `at most ${atMost}`;
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

/** Slope of the least-squares line through points. */
export function slopeOf(points: readonly { readonly x: number; readonly y: number }[]): number {
  const meanX = mean(points.map(({ x }) => x));
  const meanY = mean(points.map(({ y }) => y));
  const spread = sum(points.map(({ x }) => (x - meanX) ** 2));
  return sum(points.map(({ x, y }) => (x - meanX) * (y - meanY))) / spread;
}
