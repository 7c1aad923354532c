// A scenario of the bench: what it measures, at which sizes, and what it promises.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../repository.js';
import { type Bound, Figures } from './figures.js';
import { measuringNow, type ScenarioRun, writeRuns } from './results.js';

/** An option beside the sizes: a switch, a text, or a text that can be repeated. */
export type OptionKind = 'flag' | 'text' | 'list';

export type Options = Readonly<
  Record<string, string | boolean | readonly (string | boolean)[] | undefined>
>;

export interface Definition<S extends string> {
  /** One line for the list of scenarios. */
  readonly measures: string;
  /** Numbers that `--NAME N` changes, in a full run and in a quick one. */
  readonly sizes: Readonly<Record<S, readonly [full: number, quick: number]>>;
  readonly options?: Readonly<Record<string, OptionKind>>;
  /** Bounds of figures by their names; each of these figures must be measured. */
  readonly promises?: (quick: boolean) => Readonly<Record<string, Bound>>;
  /** @returns the runs of a comparison; the figures of others are their only run */
  readonly measure: (run: Run<S>) => Promise<readonly ScenarioRun[] | undefined>;
}

export interface Scenario extends Pick<Definition<string>, 'measures' | 'options'> {
  readonly sizes: readonly string[];
  readonly run: (name: string, options: Options) => Promise<void>;
}

const RESULTS = new URL('node_modules/.cache/bench/results/', ROOT);

export function defineScenario<S extends string>(definition: Definition<S>): Scenario {
  const { measures, sizes, options = {} } = definition;
  return { measures, options, sizes: Object.keys(sizes), run: execute };

  async function execute(name: string, chosen: Options): Promise<void> {
    const run = new Run(definition, chosen);
    const measuring = measuringNow(name, run.quick);
    try {
      const comparisons = await definition.measure(run);
      const figures = run.figures.finish();
      const path = run.text('results') ?? fileURLToPath(new URL(`${name}.json`, RESULTS));
      writeRuns(path, comparisons ?? [{ ...measuring, figures }]);
      const values = Object.fromEntries(figures.map(({ name, value }) => [name, value]));
      console.log(JSON.stringify({ ...values, ...run.sizes, quick: run.quick }));
    } finally {
      await run.close();
    }
  }
}

/** One run of a scenario. */
export class Run<S extends string> {
  readonly quick: boolean;
  readonly sizes: Readonly<Record<S, number>>;
  readonly figures: Figures;
  readonly #options: Options;
  readonly #cleanups: (() => unknown)[] = [];

  constructor(definition: Definition<S>, options: Options) {
    this.#options = options;
    this.quick = options['quick'] === true;
    this.sizes = this.#sizesOf(definition.sizes);
    this.figures = new Figures(definition.promises?.(this.quick) ?? {}, this);
  }

  #sizesOf(ranges: Definition<S>['sizes']): Record<S, number> {
    const sizes = Object.create(null);
    for (const name in ranges) {
      const size = Number(this.#options[name] ?? ranges[name][this.quick ? 1 : 0]);
      if (!(size >= 0)) throw new Error(`--${name} takes a number of at least 0`);
      sizes[name] = size;
    }
    return sizes;
  }

  flag(name: string): boolean {
    return this.#options[name] === true;
  }

  text(name: string): string | undefined {
    const option = this.#options[name];
    return typeof option === 'string' ? option : undefined;
  }

  /** Those of several that `--only` names, or all. */
  chosen<T>(all: readonly T[], nameOf: (choice: T) => string): readonly T[] {
    const only = this.#options['only'];
    if (!Array.isArray(only)) return all;
    const names = only.map((name) => String(name).toLowerCase());
    const chosen = all.filter((choice) => names.includes(nameOf(choice).toLowerCase()));
    if (chosen.length === names.length) return chosen;
    throw new Error(`--only takes one of ${all.map(nameOf).join(', ')}`);
  }

  /** Runs at the end, the last one first. */
  defer(cleanup: () => unknown): void {
    this.#cleanups.unshift(cleanup);
  }

  /** A folder that is removed at the end. */
  folder(): string {
    const path = mkdtempSync(join(tmpdir(), 'starkbox-bench-'));
    this.defer(() => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  async close(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0)) await cleanup();
  }
}
