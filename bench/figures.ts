// Report of a benchmark: named figures, their bounds, and one line of JSON at the end.

export interface Bound {
  readonly atLeast?: number;
  readonly atMost?: number;
  /** A bound sensitive to other programs on the machine; a quick run does not enforce it. */
  readonly isNoisy?: boolean;
}

/** Prints figures and records broken bounds. */
export class Figures {
  readonly #bounds: Readonly<Record<string, Bound>>;
  readonly #enforcesNoisy: boolean;
  readonly #measured: Record<string, number> = {};
  #broken = 0;

  constructor(bounds: Readonly<Record<string, Bound>>, { quick }: { readonly quick: boolean }) {
    this.#bounds = bounds;
    this.#enforcesNoisy = !quick;
  }

  say(name: string, value: number): void {
    const shown = Number(value.toPrecision(4));
    this.#measured[name] = shown;
    console.log(`${name.padEnd(32)} ${String(shown).padStart(12)}${this.#verdict(name, value)}`);
  }

  sayAll(figures: Readonly<Record<string, number>>): void {
    for (const [name, value] of Object.entries(figures)) this.say(name, value);
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
    const kept = value >= atLeast && value <= atMost;
    const limit = bound.atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
    if (bound.isNoisy && !this.#enforcesNoisy) return `  not enforced: ${limit}`;
    if (!kept) this.#broken += 1;
    return `  ${kept ? 'kept' : 'BROKEN'}: ${limit}`;
  }
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
