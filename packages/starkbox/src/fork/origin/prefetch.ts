// Prefetch of what earlier runs have read from the origin.
import type { SourceQuestion } from '@starkbox/engine';
import { readRegular } from '../../files/regular-file.js';
import { writeAtomically } from './cache.js';
import { readNamed } from './reads.js';

/** Limit of prefetched reads, to spare the origin at the start of a fork. */
const MAX_COUNT = 10_000;
/** Reads per batch: other requests run in between. */
const BATCH = 100;
/** A read is dropped after so many runs without it. Workers of one suite count as runs. */
const RUNS_KEPT = 16;

/** Reads of this run and of earlier ones. */
export class ReadLog {
  readonly #file: string | undefined;
  /** Age by name, in runs since the last use. */
  readonly #before: ReadonlyMap<string, number>;
  readonly #now = new Set<string>();

  constructor(file: string | undefined, before: ReadonlyMap<string, number>) {
    this.#file = file;
    this.#before = before;
  }

  /** @param file shared by the runs; without one, nothing is kept */
  static async open(file: string | undefined): Promise<ReadLog> {
    return new ReadLog(file, file === undefined ? new Map() : await readRuns(file));
  }

  note(name: string): void {
    if (this.#file !== undefined && this.#now.size < MAX_COUNT) this.#now.add(name);
  }

  /** Names of the reads of earlier runs, the latest first. */
  earlier(): readonly string[] {
    return [...this.#before]
      .toSorted(([, first], [, other]) => first - other)
      .map(([name]) => name);
  }

  async write(): Promise<void> {
    if (this.#file === undefined || this.#now.size === 0) return;
    // Concurrent runs may have written it since this one began.
    const before = await readRuns(this.#file);
    const lines = [...this.#now].map((name) => `0\t${name}`);
    for (const [name, age] of before) {
      if (lines.length >= MAX_COUNT) break;
      if (!this.#now.has(name) && age < RUNS_KEPT) lines.push(`${age + 1}\t${name}`);
    }
    await writeAtomically(this.#file, `${lines.join('\n')}\n`);
  }
}

async function readRuns(file: string): Promise<ReadonlyMap<string, number>> {
  const text = await readRegular(file).catch(() => '');
  const runs = new Map<string, number>();
  for (const line of text.split('\n').slice(0, MAX_COUNT)) {
    const [age = '', name] = line.split('\t');
    if (/^\d+$/.test(age) && name !== undefined) runs.set(name, Number(age));
  }
  return runs;
}

/**
 * Reads in batches, and stops at the first batch that fails.
 *
 * @returns number of reads that were requested
 */
export async function prefetch(
  names: readonly string[],
  isKnown: (name: string) => boolean,
  ask: (question: SourceQuestion) => Promise<unknown>,
): Promise<number> {
  const missing = names.slice(0, MAX_COUNT).filter((name) => !isKnown(name));
  const questions = missing.flatMap((name) => readNamed(name) ?? []);
  for (let at = 0; at < questions.length; at += BATCH) {
    await Promise.all(questions.slice(at, at + BATCH).map(ask));
  }
  return questions.length;
}
