// Runs of tests on platforms, recorded in docs/start/platforms.json, from which `npm run gen:docs` writes the table of
// platforms.
//
//   node scripts/platform-runs.mjs linux-x64-gnu native 'all tests' -- npx vitest run
//   STARKBOX_ENGINE=wasm node scripts/platform-runs.mjs wasm WebAssembly 'golden conversations' -- npx vitest run packages/e2e/test/golden
//   node scripts/platform-runs.mjs firefox WebAssembly 'chain in a tab' --runtime 'Firefox 140' -- npx vitest run --project browser …
//
// The command is one of vitest; the counts of its report are recorded, also of failed tests.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { addonFile, PLATFORMS } from '../packages/engine/dist/platforms.js';
import { ENGINE, ROOT } from './cargo.mjs';
import { isMain } from './processes.mjs';

const FILE = join(ROOT, 'docs/start/platforms.json');

/** Where the engine runs as WebAssembly. */
export const WEBASSEMBLY_HOSTS = { wasm: 'Node', chromium: 'Chromium', firefox: 'Firefox' };

/** How the engine ran: on the processor itself, by QEMU, or as WebAssembly. */
const KINDS = /** @type {const} */ (['native', 'emulated', 'WebAssembly']);

/**
 * @typedef {{ passed: number, failed: number }} Counts
 *
 * @typedef {object} Run
 * @property {typeof KINDS[number]} kind
 * @property {string} runtime with its version
 * @property {string} date the day of the last check
 * @property {Record<string, Counts>} checks by name
 */

/**
 * @param {string} [file]
 * @returns {Record<string, Run>} by platform
 */
export function recordedRuns(file = FILE) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/**
 * Adds checks to the record of a platform. Another kind or runtime begins a new record.
 *
 * @param {string} platform one of the engine's, or a host of WebAssembly
 * @param {Omit<Run, 'date'>} run
 * @param {string} [file]
 */
export function recordRun(platform, { kind, runtime, checks }, file = FILE) {
  const runs = recordedRuns(file);
  const previous = runs[platform];
  const isSame = previous?.kind === kind && previous.runtime === runtime;
  runs[platform] = {
    kind,
    runtime,
    date: new Date().toISOString().slice(0, 10),
    checks: { ...(isSame ? previous.checks : {}), ...checks },
  };
  const sorted = Object.fromEntries(Object.entries(runs).sort(([a], [b]) => a.localeCompare(b)));
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
}

/**
 * Records a check by the engine that is built in this work tree.
 *
 * @param {string} check
 * @param {Counts} counts
 */
export function recordNativeRun(check, counts) {
  const platform = Object.keys(PLATFORMS).find((name) => existsSync(join(ENGINE, addonFile(name))));
  if (platform === undefined) throw new Error('no engine is built: run npm run build:engine');
  const runtime = `Node ${process.versions.node}`;
  recordRun(platform, { kind: 'native', runtime, checks: { [check]: counts } });
}

/**
 * Runs tests, and counts them by the report of vitest.
 *
 * @param {readonly string[]} command of vitest
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Counts} a run that ends without a report, or fails by no test, counts as one failure
 */
export function testCounts([program = '', ...args], options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'starkbox-run-'));
  const output = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${output}`];
    const { status } = spawnSync(program, [...args, ...reporters], {
      ...options,
      stdio: 'inherit',
    });
    const report = existsSync(output) ? Object(JSON.parse(readFileSync(output, 'utf8'))) : {};
    const { numPassedTests: passed = 0, numFailedTests: failed = 0 } = report;
    return { passed, failed: status !== 0 && failed === 0 ? 1 : failed };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function main() {
  const end = process.argv.indexOf('--');
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2, end < 0 ? undefined : end),
    allowPositionals: true,
    options: { runtime: { type: 'string', default: `Node ${process.versions.node}` } },
  });
  const [platform = '', kindName, name] = positionals;
  const command = process.argv.slice(end + 1);
  const platforms = [...Object.keys(PLATFORMS), ...Object.keys(WEBASSEMBLY_HOSTS)];
  const kind = KINDS.find((name) => name === kindName);
  if (!platforms.includes(platform) || kind === undefined || name === undefined || end < 0) {
    console.error(
      'Usage: node scripts/platform-runs.mjs PLATFORM KIND NAME [--runtime TEXT] -- COMMAND OF VITEST…',
    );
    console.error(`Platforms: ${platforms.join(', ')}; kinds: ${KINDS.join(', ')}`);
    return 2;
  }
  const counts = testCounts(command);
  recordRun(platform, { kind, runtime: values.runtime, checks: { [name]: counts } });
  console.log(`${platform}, ${name}: ${counts.passed} passed, ${counts.failed} failed`);
  return counts.failed === 0 ? 0 : 1;
}

if (isMain(import.meta.url)) {
  process.exitCode = main();
}
