// Prefetch of what earlier runs have read from the origin.
import { readFile } from 'node:fs/promises';
import type { OriginQuestion } from '@starkbox/engine';
import { replaceFile } from './cache.js';
import { readNamed } from './reads.js';

/** More would make the start of a fork a burden for its origin. */
const MOST = 10_000;
/** Questions asked at a time: others get their turn in between. */
const TOGETHER = 100;
/** A read that so many later runs did without is forgotten. Workers of one suite count as runs. */
const RUNS_KEPT = 16;

/** The reads of this run, and of those before it. */
export class ReadLog {
  readonly #file: string | undefined;
  /** By name: how many runs ago it was last wanted. */
  readonly #before: ReadonlyMap<string, number>;
  readonly #now = new Set<string>();

  constructor(file: string | undefined, before: ReadonlyMap<string, number>) {
    this.#file = file;
    this.#before = before;
  }

  /** @param file where runs tell each other; without one, nothing is remembered */
  static async open(file: string | undefined): Promise<ReadLog> {
    return new ReadLog(file, file === undefined ? new Map() : await readRuns(file));
  }

  note(name: string): void {
    if (this.#file !== undefined && this.#now.size < MOST) this.#now.add(name);
  }

  /** What earlier runs wanted, the latest first. */
  earlier(): readonly string[] {
    return [...this.#before].toSorted(([, one], [, other]) => one - other).map(([name]) => name);
  }

  async write(): Promise<void> {
    if (this.#file === undefined || this.#now.size === 0) return;
    // Others may have finished since this run began.
    const before = await readRuns(this.#file);
    const lines = [...this.#now].map((name) => `0\t${name}`);
    for (const [name, age] of before) {
      if (lines.length >= MOST) break;
      if (!this.#now.has(name) && age < RUNS_KEPT) lines.push(`${age + 1}\t${name}`);
    }
    await replaceFile(this.#file, `${lines.join('\n')}\n`);
  }
}

async function readRuns(file: string): Promise<ReadonlyMap<string, number>> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const runs = new Map<string, number>();
  for (const line of text.split('\n').slice(0, MOST)) {
    const [age = '', name] = line.split('\t');
    if (/^\d+$/.test(age) && name !== undefined) runs.set(name, Number(age));
  }
  return runs;
}

/**
 * Asks for reads in batches, until all are there or one batch fails: who fails now would only fail again.
 * How many were asked for.
 */
export async function prefetch(
  names: readonly string[],
  isKnown: (name: string) => boolean,
  ask: (question: OriginQuestion) => Promise<unknown>,
): Promise<number> {
  const wanted = names.slice(0, MOST).filter((name) => !isKnown(name));
  const questions = wanted.flatMap((name) => readNamed(name) ?? []);
  for (let at = 0; at < questions.length; at += TOGETHER) {
    await Promise.all(questions.slice(at, at + TOGETHER).map(ask));
  }
  return questions.length;
}
