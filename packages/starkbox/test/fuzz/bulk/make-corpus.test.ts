// Making of the corpus: of many inputs, those that reach code which none before them reached.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { expect, test } from 'vitest';
import { dice } from '../random.js';
import { callTargets } from './calls.js';
import { fileTargets } from './files.js';
import { scrambled } from './mutation.js';

/**
 * By hand, where to write it, and how many inputs to try on each target:
 * FUZZ_CORPUS=packages/starkbox/test/fuzz/bulk/corpus.json FUZZ_INPUTS=2000 npx vitest run packages/starkbox/test/fuzz/bulk/make-corpus.test.ts
 */
const PATH = process.env['FUZZ_CORPUS'];
const INPUTS = Number(process.env['FUZZ_INPUTS'] ?? 2000);
const SEED = 3;
/** In bytes; larger inputs are not kept. */
const LARGEST = 4000;

test.runIf(PATH)('a corpus is made', { timeout: 3_600_000 }, async () => {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const folder = temporaryFolder();
  const targets = [...(await callTargets(folder)), ...(await fileTargets(folder))];
  const reached = new Set<string>();
  const corpus: { target: string; input: string }[] = [];
  for (const target of targets) {
    // An input that reaches something new is changed further.
    const seeds = [...target.seeds];
    for (let index = 0; index < INPUTS; index += 1) {
      const seedInput = target.seeds[index];
      const input = seedInput ?? scrambled(seeds, dice(SEED, index));
      if (target.fits?.(input) === false) continue;
      expect(await target.take(input)).toBeUndefined();
      if (!(await reachesMore(session, reached))) continue;
      if (seedInput === undefined) seeds.push(input);
      if (seedInput === undefined && input.length <= LARGEST) {
        corpus.push({ target: target.name, input: input.toString('base64') });
      }
    }
    await target.close?.();
  }
  session.disconnect();
  if (PATH)
    writeFileSync(
      PATH,
      `[\n${corpus.map((corpusInput) => JSON.stringify(corpusInput)).join(',\n')}\n]\n`,
    );
  console.log(`${corpus.length} inputs are kept`);
});

/** Whether blocks of our sources ran that had not run before; adds them. */
async function reachesMore(session: Session, reached: Set<string>): Promise<boolean> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const before = reached.size;
  for (const { url, functions } of result) {
    if (!url.includes('/packages/starkbox/src/')) continue;
    for (const { ranges } of functions) {
      for (const { startOffset, endOffset, count } of ranges) {
        if (count > 0) reached.add(`${url} ${startOffset} ${endOffset}`);
      }
    }
  }
  return reached.size > before;
}
