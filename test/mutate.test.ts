// `npm run mutate` finds the fault that the tests of a fixture do not notice.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from './support/temporary-folder.js';

const SCRIPT = fileURLToPath(new URL('../scripts/mutate.mjs', import.meta.url));
const FIXTURE = 'test/support/mutants';

/** The changed line of each mutant, and whether the tests noticed it. */
function verdictsIn(results: string): Map<string, string> {
  const lines = readFileSync(results, 'utf8').trim().split('\n');
  return new Map(
    lines.map((line) => JSON.parse(line)).map(({ after, verdict }) => [after, verdict]),
  );
}

test('a boundary that is tested is a mutant killed, another one survives', () => {
  const results = join(temporaryFolder(), 'verdicts.jsonl');
  const options = ['--files', `${FIXTURE}/fares.ts`, '--tests', FIXTURE, '--results', results];
  const run = () => execFileSync(process.execPath, [SCRIPT, ...options], { encoding: 'utf8' });
  const output = run();
  expect(Object.fromEntries(verdictsIn(results))).toEqual({
    'export const paysHalf = (age: number): boolean => age <= 12;': 'killed',
    'export const paysHalf = (age: number): boolean => age < 11;': 'killed',
    'export const paysHalf = (age: number): boolean => age < 13;': 'killed',
    'export const isFree = (age: number): boolean => age > 65;': 'survived',
    'export const isFree = (age: number): boolean => age >= 64;': 'survived',
    'export const isFree = (age: number): boolean => age >= 66;': 'survived',
  });
  expect(output).toContain('0.50       3    6  test/support/mutants');
  // Nothing is left to try, and the verdicts stay.
  const written = readFileSync(results, 'utf8');
  run();
  expect(readFileSync(results, 'utf8')).toBe(written);
});
