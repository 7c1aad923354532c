// The glibc that binaries need, by their dynamic symbols.
//
//   node scripts/packages/glibc.mjs FILE…              fails if one needs more than the oldest system that we support
//   objdump -T FILE | node scripts/packages/glibc.mjs  the same, with the table of one
//   node scripts/packages/glibc.mjs --oldest 2.34 FILE…
//
// A binary needs what the machine has that it was linked on, unless the linker gets another target, as
// scripts/packages/cross-engine.mjs does.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isMain } from '../processes.mjs';

/** Node itself needs it; Debian 10 and RHEL 8 have it. */
export const OLDEST = '2.28';

/**
 * @param {string} table what `objdump -T` prints
 * @returns {Map<string, string[]>} the symbols that other files have to provide, by version
 */
function neededVersions(table) {
  /** @type {Map<string, string[]>} */
  const versions = new Map();
  const symbols = table.matchAll(/\*UND\*.*\bGLIBC_([\d.]+)\)?\s+(\S+)$/gm);
  for (const [, version = '', symbol = ''] of symbols) {
    versions.set(version, [...(versions.get(version) ?? []), symbol]);
  }
  return versions;
}

/**
 * @param {string} a
 * @param {string} b
 * @returns {number} negative if the first is older
 */
function compare(a, b) {
  return a.localeCompare(b, 'en', { numeric: true });
}

/**
 * @param {string} name of the file
 * @param {string} table of its symbols
 * @param {string} oldest
 * @returns {boolean} whether the oldest system has all; prints what it lacks
 */
function report(name, table, oldest) {
  const versions = neededVersions(table);
  const sorted = [...versions.keys()].sort(compare);
  const newer = sorted.filter((version) => compare(version, oldest) > 0);
  const symbols = newer.flatMap((version) =>
    (versions.get(version) ?? []).map((symbol) => `${symbol}@${version}`),
  );
  const lacking = symbols.length === 0 ? '' : `, more than ${oldest}: ${symbols.join(', ')}`;
  console.log(`${name} needs glibc ${sorted.at(-1) ?? 'of any version'}${lacking}`);
  return symbols.length === 0;
}

/**
 * @param {readonly string[]} files
 * @param {string} [oldest]
 * @returns {boolean} whether the oldest system that we support runs them all
 */
export function areOldEnough(files, oldest = OLDEST) {
  const table = (/** @type {string} */ file) =>
    execFileSync('objdump', ['-T', file], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  return files.map((file) => report(file, table(file), oldest)).every(Boolean);
}

if (isMain(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { oldest: { type: 'string', default: OLDEST } },
  });
  const isFine =
    positionals.length > 0
      ? areOldEnough(positionals, values.oldest)
      : report('it', readFileSync(0, 'utf8'), values.oldest);
  process.exitCode = isFine ? 0 : 1;
}
