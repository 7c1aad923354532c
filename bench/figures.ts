// Report of a benchmark: named figures, their bounds, and one line of JSON at the end.

export interface Bound {
  readonly atLeast?: number;
  readonly atMost?: number;
  /** A bound that another program on the machine can break. It is printed; a quick run does not fail by it. */
  readonly isNoisy?: boolean;
}

/** Prints figures as they come and remembers whether a bound was broken. */
export class Figures {
  readonly #bounds: Readonly<Record<string, Bound>>;
  readonly #judgesNoisy: boolean;
  readonly #said: Record<string, number> = {};
  #broken = 0;

  constructor(bounds: Readonly<Record<string, Bound>>, { quick }: { readonly quick: boolean }) {
    this.#bounds = bounds;
    this.#judgesNoisy = !quick;
  }

  say(name: string, value: number): void {
    const shown = Number(value.toPrecision(4));
    this.#said[name] = shown;
    console.log(`${name.padEnd(32)} ${String(shown).padStart(12)}${this.#judged(name, value)}`);
  }

  sayAll(figures: Readonly<Record<string, number>>): void {
    for (const [name, value] of Object.entries(figures)) this.say(name, value);
  }

  /** The last line: everything that was said. Makes the process fail if a bound was broken. */
  finish(more: Readonly<Record<string, unknown>>): void {
    const silent = Object.keys(this.#bounds).filter((name) => !(name in this.#said));
    if (silent.length > 0) throw new Error(`not measured: ${silent.join(', ')}`);
    console.log(JSON.stringify({ ...this.#said, ...more }));
    if (this.#broken > 0) process.exitCode = 1;
  }

  #judged(name: string, value: number): string {
    const bound = this.#bounds[name];
    if (!bound) return '';
    const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = bound;
    const kept = value >= atLeast && value <= atMost;
    const limit = bound.atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
    if (bound.isNoisy && !this.#judgesNoisy) return `  not judged here: ${limit}`;
    if (!kept) this.#broken += 1;
    return `  ${kept ? 'kept' : 'BROKEN'}: ${limit}`;
  }
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
