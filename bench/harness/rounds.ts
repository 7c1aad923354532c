// Repeated measurements: alternating rounds, times, the memory of this process, and disk space.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from './figures.js';

/** Samples of several kinds of work, one of each in a round. */
export class Rounds<N extends string, S> {
  readonly names: readonly N[];
  readonly #samples: ReadonlyMap<string, S[]>;

  constructor(names: readonly N[]) {
    this.names = names;
    this.#samples = new Map(names.map((name) => [name, []]));
  }

  of(name: N): S[] {
    return this.#samples.get(name) ?? [];
  }

  median(name: N, part: (sample: S) => number = Number): number {
    return median(this.of(name).map(part));
  }

  /** The median over the rounds of one sample over another one of the same round. */
  ratio(name: N, under: N, part: (sample: S) => number = Number): number {
    const divisors = this.of(under).map(part);
    const ratios = this.of(name).map((sample, round) => part(sample) / (divisors[round] ?? 0));
    return median(ratios);
  }
}

/**
 * Runs each work once in a round, so that noise of the machine affects all of them. The order alternates, and the first
 * rounds warm up.
 */
export async function interleave<N extends string, S = number>(
  rounds: number,
  work: Readonly<Record<N, (round: number) => Promise<S>>>,
  warmUp = 1,
): Promise<Rounds<N, S>> {
  const names: N[] = [];
  for (const name in work) names.push(name);
  const samples = new Rounds<N, S>(names);
  for (let round = 0; round < rounds + warmUp; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const sample = await work[name](round);
      if (round >= warmUp) samples.of(name).push(sample);
    }
  }
  return samples;
}

export async function milliseconds(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Milliseconds of each of several runs in a row; ends early at a limit. */
export async function sampled(
  count: number,
  work: (index: number) => unknown,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<readonly number[]> {
  const samples: number[] = [];
  const start = performance.now();
  for (let index = 0; index < count && performance.now() - start < limit; index += 1) {
    samples.push(await milliseconds(() => work(index)));
  }
  return samples;
}

/** The least memory of this process after several garbage collections. */
export async function settledMemory(): Promise<NodeJS.MemoryUsage> {
  const readings: NodeJS.MemoryUsage[] = [];
  for (let pass = 0; pass < 5; pass += 1) {
    globalThis.gc?.();
    await sleep(50);
    readings.push(process.memoryUsage());
  }
  return readings.reduce((least, reading) => (reading.rss < least.rss ? reading : least));
}

/** What the files of a folder take on the disk. */
export const bytesIn = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).blocks * 512, 0);
