// A scenario of the bench: what it measures, at which sizes, and what it promises.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bound, Figures } from '../figures.js';

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
  /** @returns what the JSON has beside the figures */
  readonly measure: (run: Run<S>) => Promise<object | undefined>;
}

export interface Scenario extends Pick<Definition<string>, 'measures' | 'options'> {
  readonly sizes: readonly string[];
  readonly run: (options: Options, files: readonly string[]) => Promise<void>;
}

export function defineScenario<S extends string>(definition: Definition<S>): Scenario {
  const { measures, sizes, options = {} } = definition;
  return { measures, options, sizes: Object.keys(sizes), run: execute };

  async function execute(chosen: Options, files: readonly string[]): Promise<void> {
    const run = new Run(definition, chosen, files);
    try {
      const more = await definition.measure(run);
      run.figures.finish({ ...run.sizes, ...more, quick: run.quick });
    } finally {
      await run.close();
    }
  }
}

/** One run of a scenario. */
export class Run<S extends string> {
  readonly quick: boolean;
  readonly sizes: Readonly<Record<S, number>>;
  readonly files: readonly string[];
  readonly figures: Figures;
  readonly #options: Options;
  readonly #cleanups: (() => unknown)[] = [];

  constructor(definition: Definition<S>, options: Options, files: readonly string[]) {
    this.#options = options;
    this.quick = options['quick'] === true;
    this.files = files;
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

  list(name: string): readonly string[] {
    const option = this.#options[name];
    return Array.isArray(option) ? option.map(String) : [];
  }

  /** Those of several that `--only` names, or all. */
  chosen<T>(all: readonly T[], nameOf: (choice: T) => string): readonly T[] {
    const names = this.list('only').map((name) => name.toLowerCase());
    if (names.length === 0) return all;
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
