// Results files: runs of scenarios with their figures, or with the rows of a comparison.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../repository.js';
import type { Figure } from './figures.js';

/** What a run measured, when and where. */
export interface Measuring {
  readonly scenario: string;
  /** The measured build, by its commit. */
  readonly build: string;
  readonly machine: string;
  readonly date: string;
  /** Small sizes. */
  readonly quick: boolean;
}

export interface FiguresRun extends Measuring {
  readonly figures: readonly Figure[];
}

/** Times and sizes are better when they are small, rates when they are large. */
export type Unit = 'ms' | 'µs' | 'MB' | 'KB' | 'bytes' | 'per s';
export type SideName = 'ours' | 'theirs';
export type Measured = SideName | 'bare';

/** A figure that both nodes have. */
export interface ComparedFigure {
  readonly name: string;
  /** For readers of the page. */
  readonly title: string;
  readonly unit: Unit;
}

/** One compared figure in one run: a number for each round, or why there is none. */
export interface Row extends ComparedFigure {
  readonly group: string;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  readonly bare: readonly number[];
  readonly cannot: Readonly<Partial<Record<Measured, string>>>;
  /** Whether our node failed, rather than something that the workload needs. */
  readonly isFailure: boolean;
  readonly remarks: Readonly<Partial<Record<SideName, string>>>;
}

export interface ComparisonRun extends Measuring {
  /** The other node, as it calls itself. */
  readonly other: string;
  readonly rows: readonly Row[];
}

export type ScenarioRun = FiguresRun | ComparisonRun;

export const isComparison = (run: ScenarioRun): run is ComparisonRun => 'rows' in run;

/** Called before the run, because later commits are not measured. */
export function measuringNow(scenario: string, quick: boolean): Measuring {
  const options = { encoding: 'utf8', cwd: fileURLToPath(ROOT) } as const;
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], options).trim();
  const machine = `${cpus().length} cores, Node ${process.version}`;
  const date = new Date().toISOString().slice(0, 10);
  return { scenario, build: `Starkbox ${commit}`, machine, date, quick };
}

/** The runs of one or several results files. */
export function readRuns(paths: readonly string[]): readonly ScenarioRun[] {
  return paths.flatMap((path) => {
    const { runs }: { runs: readonly ScenarioRun[] } = JSON.parse(readFileSync(path, 'utf8'));
    return runs;
  });
}

/** A line for each figure, so that changes can be read. */
export function runsText(runs: readonly ScenarioRun[]): string {
  const listed = (name: string, entries: readonly object[]): string =>
    `"${name}":[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]`;
  const texts = runs.map((run) => {
    const { rows, figures, ...about }: Partial<ComparisonRun & FiguresRun> = run;
    const list = rows ? listed('rows', rows) : listed('figures', figures ?? []);
    return `${JSON.stringify(about).slice(0, -1)},${list}}`;
  });
  return `{"runs":[\n${texts.join(',\n')}\n]}\n`;
}

export function writeRuns(path: string, runs: readonly ScenarioRun[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, runsText(runs));
}

/** Three digits. */
export function significant(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-GB');
  return String(Number(value.toPrecision(3)));
}
