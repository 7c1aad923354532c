// Very many inputs in the process: calls, messages and files, mutated and generated; none may break their reader.
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';
import { scrambled } from './bulk-mutation.js';
import { callTarget, fileTargets, type Target, wireTargets } from './bulk-targets.js';
import { dice } from './random.js';

const { env } = process;
/**
 * By hand, for more of them, or others:
 * FUZZ_INPUTS=10000000 FUZZ_SEED=7 npx vitest run packages/starkbox/test/fuzz/bulk.test.ts
 */
const INPUTS = Number(env['FUZZ_INPUTS'] ?? 30_000);
const SEED = Number(env['FUZZ_SEED'] ?? 1);
/** By hand: how long it may take, in minutes, of which each target has its share. */
const MINUTES = Number(env['FUZZ_MINUTES'] ?? Number.POSITIVE_INFINITY);
const DEADLINE_MILLISECONDS = 60_000;
/** After so many inputs a chain is made new. */
const ROUND = 20_000;
const MOST_FAULTS = 10;

/** How many of a hundred inputs each target gets. */
const SHARES: Readonly<Record<string, number>> = {
  'calls in the process': 50,
  'requests over HTTP': 2,
  'messages over a WebSocket': 2,
  images: 6,
  'moments of images': 0.5,
  'states of images': 0.5,
  'blocks of images': 0.5,
  journals: 15,
  'lock files': 4,
  'config files': 4,
  'identities of data directories': 10,
  'packed classes of the engine': 5.5,
};

interface Kept {
  readonly target: string;
  /** In base64. */
  readonly input: string;
}

/** Inputs that once broke something, or that reach code which few others do. */
const CORPUS: readonly Kept[] = JSON.parse(
  readFileSync(new URL('./corpus.json', import.meta.url), 'utf8'),
);

async function inTime(target: Target, input: Buffer): Promise<string | undefined> {
  const isOver = new AbortController();
  const late = setTimeout(DEADLINE_MILLISECONDS, 'no end in time', { signal: isOver.signal });
  late.catch(() => {});
  const fault = await Promise.race([
    target.take(input).catch((error: unknown) => `it threw ${error}`),
    late,
  ]);
  isOver.abort();
  return fault;
}

/** Sends a target its inputs. @returns how many, and what broke */
async function fuzz(target: Target, share: number): Promise<[number, readonly string[]]> {
  const count = Math.ceil(INPUTS * share);
  const faults: string[] = [];
  const begin = performance.now();
  let next = 0;
  let tried = 0;
  const lane = async (): Promise<void> => {
    while (tried < count && faults.length < MOST_FAULTS) {
      if (performance.now() - begin > MINUTES * share * 60_000) return;
      const index = next;
      next += 1;
      if (target.refresh && index % ROUND === ROUND - 1) await target.refresh();
      const roll = dice(SEED, index);
      const isGenerated = target.generate !== undefined && index % 20 === 0;
      const input = isGenerated
        ? (target.generate?.(index) ?? Buffer.of())
        : scrambled(target.seeds, roll);
      if (target.fits?.(input) === false) continue;
      tried += 1;
      const fault = await inTime(target, input);
      if (fault === undefined) continue;
      faults.push(`${target.name}, input ${index}: ${fault}\n${input.toString('base64')}`);
    }
  };
  await Promise.all(Array.from({ length: target.lanes }, lane));
  return [tried, faults];
}

test(`${INPUTS} inputs of seed ${SEED} break nothing`, {
  timeout: 300_000 + INPUTS * 20,
}, async () => {
  const folder = temporaryFolder();
  const targets = [
    await callTarget(folder),
    ...(await wireTargets(folder)),
    ...(await fileTargets(folder)),
  ];
  const faults: string[] = [];
  try {
    for (const { target, input } of CORPUS) {
      const found = targets.find(({ name }) => name === target);
      const fault = found
        ? await inTime(found, Buffer.from(input, 'base64'))
        : `there is no ${target}`;
      if (fault !== undefined) faults.push(`corpus, ${target}: ${fault}\n${input}`);
    }
    for (const target of targets) {
      const begin = performance.now();
      const [tried, found] = await fuzz(target, (SHARES[target.name] ?? 0) / 100);
      const seconds = ((performance.now() - begin) / 1000).toFixed(1);
      console.log(`${target.name}: ${tried} inputs in ${seconds} s, ${found.length} faults`);
      faults.push(...found);
      for (const fault of found) console.log(fault.slice(0, 3000));
    }
  } finally {
    for (const target of targets) await target.close?.();
  }
  expect(faults).toEqual([]);
});
