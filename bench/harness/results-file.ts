// Results files of scenarios, and the parts of docs/contributing/benchmarks.md that are made of them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../repository.js';

/** When and where a run was measured. */
export interface Measuring {
  readonly machine: string;
  readonly date: string;
  /** Small sizes. */
  readonly quick: boolean;
}

export function measuringNow(quick: boolean): Measuring {
  const machine = `${cpus().length} cores, Node ${process.version}`;
  return { machine, date: new Date().toISOString().slice(0, 10), quick };
}

/** This build, by its commit. */
export function buildName(): string {
  const options = { encoding: 'utf8', cwd: fileURLToPath(ROOT) } as const;
  return `Starkbox ${execFileSync('git', ['rev-parse', '--short', 'HEAD'], options).trim()}`;
}

/** The runs of one or several results files. */
export function readRuns<R>(paths: readonly string[]): readonly R[] {
  return paths.flatMap((path) => {
    const { runs }: { runs: readonly R[] } = JSON.parse(readFileSync(path, 'utf8'));
    return runs;
  });
}

/** A line for each row, so that changes can be read. */
export function runsText(runs: readonly { readonly rows: readonly unknown[] }[]): string {
  const written = runs.map(({ rows, ...about }) => {
    const lines = rows.map((row) => JSON.stringify(row)).join(',\n');
    return `${JSON.stringify(about).slice(0, -1)},"rows":[\n${lines}\n]}`;
  });
  return `{"runs":[\n${written.join(',\n')}\n]}\n`;
}

/** The page with another text in the part that is generated from one of the files. */
export function withGenerated(page: string, file: 'results' | 'growth', text: string): string {
  const begin = `<!-- generated from the ${file} file: begin -->`;
  const [from, to] = [page.indexOf(begin), page.indexOf(begin.replace('begin', 'end'))];
  if (from < 0 || to < from)
    throw new Error(`docs/contributing/benchmarks.md has no part for the ${file} file`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}

/**
 * Writes docs/contributing/benchmarks.md and a folder of what it shows, which is emptied before.
 *
 * @param filesFor the files by their paths in `docs/contributing/`, from the page as it is
 */
export function writeDocs(
  folder: string,
  filesFor: (page: string) => ReadonlyMap<string, string>,
): void {
  const docs = new URL('docs/contributing/', ROOT);
  const files = filesFor(readFileSync(new URL('benchmarks.md', docs), 'utf8'));
  rmSync(new URL(folder, docs), { recursive: true, force: true });
  mkdirSync(new URL(folder, docs));
  for (const [path, text] of files) writeFileSync(new URL(path, docs), text);
}

/** Three digits. */
export function significant(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-GB');
  return String(Number(value.toPrecision(3)));
}
