#!/usr/bin/env node
// Rehearses a user's first minutes: installs our packed packages in an empty folder, and tries each way to use them.
//
//   npm run rehearse                        on every Node that we support, from packages that are packed for it
//   npm run rehearse -- --quick             on the Node that runs this
//   npm run rehearse -- --packed FOLDER     with the files that scripts/pack.mjs wrote there
//   npm run rehearse -- --wasm              with the WebAssembly engine, as on a platform without a native package
//
// The packages must be built. The last line is one JSON object. Times count as good with a warm cache of npm; a slow
// machine does not fail the rehearsal.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pack, packedIn } from './pack.mjs';
import { runText } from './processes.mjs';
import { firstTransaction, tries, wasmTries } from './rehearsal/first-minutes.mjs';
import { installed, npmInstall, npmInstallWasm } from './rehearsal/installation.mjs';

const VERSIONS = ['20.19', '22', '24', '26'];
const GOAL_SECONDS = 15;

/**
 * @param {string} version as npm names it
 * @returns {string} its executable
 */
function nodeOf(version) {
  const code = 'node -p process.execPath';
  return runText('npx', ['--yes', `--package=node@${version}`, '-c', code]).trim();
}

/**
 * @param {string} node the executable
 * @param {ReturnType<typeof pack>} packed
 * @param {boolean} isWasm
 */
async function rehearse(node, packed, isWasm) {
  const folder = mkdtempSync(join(tmpdir(), 'starkbox-rehearsal-'));
  try {
    const version = runText(node, ['--version']).trim();
    console.log(`\n--> Node ${version}`);
    const start = performance.now();
    if (isWasm) npmInstallWasm(folder, node, packed);
    else npmInstall(folder, node, packed, ['starkbox']);
    const seconds = (performance.now() - start) / 1000;
    const untilAccepted = await firstTransaction(folder, node);
    const figures = {
      node: version,
      install_seconds: rounded(seconds),
      first_transaction_seconds: rounded(seconds + untilAccepted),
      ...installed(folder),
    };
    console.log(
      `first accepted transaction after ${figures.first_transaction_seconds} s (npm install ${figures.install_seconds} s), ${figures.megabytes} MB, ${figures.packages} packages`,
    );
    const failed = [];
    for (const [name, attempt] of Object.entries(isWasm ? wasmTries : tries)) {
      try {
        await attempt(folder, node, packed);
        console.log(`${name}: works`);
      } catch (error) {
        failed.push(name);
        console.log(`${name}: FAILED: ${error instanceof Error ? error.message : error}`);
      }
    }
    return { ...figures, failed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {number} seconds */
function rounded(seconds) {
  return Math.round(seconds * 10) / 10;
}

async function main() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      wasm: { type: 'boolean', default: false },
      packed: { type: 'string' },
    },
  });
  const temporary = mkdtempSync(join(tmpdir(), 'starkbox-packed-'));
  try {
    const packed = values.packed === undefined ? pack(temporary) : packedIn(values.packed);
    const nodes = values.quick || values.wasm ? [process.execPath] : VERSIONS.map(nodeOf);
    const results = [];
    for (const node of nodes) results.push(await rehearse(node, packed, values.wasm));
    const isFast = results.every((rehearsal) => rehearsal.first_transaction_seconds < GOAL_SECONDS);
    console.log(`\nfirst transaction within ${GOAL_SECONDS} s: ${isFast ? 'yes' : 'no'}`);
    const hasPassed = results.every(({ failed }) => failed.length === 0);
    console.log(JSON.stringify({ passed: hasPassed, goal_seconds: GOAL_SECONDS, results }));
    return hasPassed ? 0 : 1;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

process.exitCode = await main();
