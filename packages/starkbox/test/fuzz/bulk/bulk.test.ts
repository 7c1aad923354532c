// Very many inputs in the process: calls, messages and files, mutated and generated; none may break their reader.

import { readFileSync } from 'node:fs';
import { SEED } from '@starkbox/test-support/seed';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { expect, test } from 'vitest';
import { dice } from '../random.js';
import { callTargets } from './calls.js';
import { fileTargets } from './files.js';
import { scrambled } from './mutation.js';
import type { Target } from './target.js';

const { env } = process;
/**
 * By hand, for more of them, or others:
 * FUZZ_INPUTS=10000000 TEST_SEED=7 npx vitest run packages/starkbox/test/fuzz/bulk/bulk.test.ts
 */
const INPUTS = Number(env['FUZZ_INPUTS'] ?? 10_000);
/** By hand: how long it may take, in minutes, of which each target has the same part. */
const MINUTES = Number(env['FUZZ_MINUTES'] ?? Number.POSITIVE_INFINITY);
const DEADLINE_MILLISECONDS = 60_000;
/** After so many inputs a chain is made new. */
const ROUND = 20_000;
const MAX_FAULTS = 10;

/** How many of a hundred inputs each target gets: fewer of what takes long. */
const SHARES: Readonly<Record<string, number>> = {
  'calls in the process': 6,
  'requests over HTTP': 3,
  'messages over a WebSocket': 4,
  'bytes of HTTP': 3,
  'frames of a WebSocket': 2,
  images: 8,
  'moments of images': 0.2,
  'states of images': 0.1,
  'blocks of images': 0.1,
  'transactions of images': 0.2,
  'receipts of images': 0.2,
  'traces of images': 0.3,
  journals: 25,
  'lock files': 0.5,
  'config files': 0.5,
  'identities of data directories': 20,
  artifacts: 2,
  'debug information of artifacts': 14,
  'packed classes of the engine': 3.3,
};

interface CorpusInput {
  readonly target: string;
  /** In base64. */
  readonly input: string;
}

/** Inputs that once broke something, or that reach code which few others do. */
const CORPUS: readonly CorpusInput[] = JSON.parse(
  readFileSync(new URL('./corpus.json', import.meta.url), 'utf8'),
);

/** Inputs under way: when each began, and what ends the wait for it. */
const underWay = new Set<{ readonly since: number; readonly giveUp: (fault: string) => void }>();

/** One timer for all inputs: one for each would take as long as a small input. */
function watchDeadline(): NodeJS.Timeout {
  return setInterval(() => {
    for (const { since, giveUp } of underWay) {
      if (performance.now() - since > DEADLINE_MILLISECONDS) giveUp('no end in time');
    }
  }, DEADLINE_MILLISECONDS / 10);
}

async function inTime(target: Target, input: Buffer): Promise<string | undefined> {
  return new Promise((resolve) => {
    const entry = { since: performance.now(), giveUp: end };
    function end(fault: string | undefined): void {
      underWay.delete(entry);
      resolve(fault);
    }
    underWay.add(entry);
    target.take(input).then(end, (error: unknown) => end(`it threw ${error}`));
  });
}

/** Sends a target its inputs. @returns how many, and what broke */
async function fuzz(target: Target, minutes: number): Promise<[number, readonly string[]]> {
  const count = Math.ceil((INPUTS * (SHARES[target.name] ?? 0)) / 100);
  const faults: string[] = [];
  const begin = performance.now();
  let next = 0;
  let tried = 0;
  const lane = async (): Promise<void> => {
    while (tried < count && faults.length < MAX_FAULTS) {
      if (performance.now() - begin > minutes * 60_000) return;
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
  const targets = [...(await callTargets(folder)), ...(await fileTargets(folder))];
  const faults: string[] = [];
  const watch = watchDeadline();
  try {
    for (const { target, input } of CORPUS) {
      const corpusTarget = targets.find(({ name }) => name === target);
      const fault = corpusTarget
        ? await inTime(corpusTarget, Buffer.from(input, 'base64'))
        : `there is no ${target}`;
      if (fault !== undefined) faults.push(`corpus, ${target}: ${fault}\n${input}`);
    }
    for (const target of targets) {
      const begin = performance.now();
      const [tried, targetFaults] = await fuzz(target, MINUTES / targets.length);
      const seconds = ((performance.now() - begin) / 1000).toFixed(1);
      console.log(`${target.name}: ${tried} inputs in ${seconds} s, ${targetFaults.length} faults`);
      faults.push(...targetFaults);
      for (const fault of targetFaults) console.log(fault.slice(0, 3000));
    }
  } finally {
    clearInterval(watch);
    for (const target of targets) await target.close?.();
  }
  expect(faults).toEqual([]);
});
