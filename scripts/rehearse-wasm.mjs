#!/usr/bin/env node
// Rehearses a user's first minutes on a platform without a native package: installs the packed packages with the
// WebAssembly engine alone, and runs the README's first test, the quick start, and examples.
//
//   npm run rehearse:wasm                       after the build
//   npm run rehearse:wasm -- --packed FOLDER    with what `npm run pack -- FOLDER` wrote
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { PLATFORMS, packageFor, WASM_PACKAGE } from '../packages/engine/dist/platforms.js';
import { ROOT } from './cargo.mjs';
import { pack, packedIn } from './pack.mjs';
import { manifestIn } from './packages/workspaces.mjs';
import { firstTest, firstTransaction } from './rehearsal/first-minutes.mjs';
import { npmInstall } from './rehearsal/installation.mjs';
import { environmentOf } from './rehearsal/processes.mjs';

/** By their runners of tests. */
const EXAMPLES = { 'example of vitest': 'token-vitest', 'example of node:test': 'token-node-test' };

const { values } = parseArgs({ options: { packed: { type: 'string' } } });
const node = process.execPath;
const temporary = mkdtempSync(join(tmpdir(), 'starkbox-wasm-'));

/**
 * Installs ours with the WebAssembly engine. Without their files, packages of platforms are not installed.
 *
 * @param {string} folder
 * @param {Record<string, string>} others
 */
function install(folder, others) {
  const native = Object.keys(PLATFORMS).map(packageFor);
  const packed =
    values.packed === undefined ? pack(join(temporary, 'packed')) : packedIn(values.packed);
  const portable = packed.filter(({ name }) => !native.includes(name));
  npmInstall(folder, node, portable, ['starkbox', '@starkbox/testing', WASM_PACKAGE], others);
  const engines = readdirSync(join(folder, 'node_modules/@starkbox')).filter((name) =>
    name.startsWith('engine-'),
  );
  if (engines.join() !== basename(WASM_PACKAGE))
    throw new Error(`installed: ${engines.join(', ')}`);
}

/**
 * @param {string} example
 * @param {string} folder of the installation
 */
function runExample(example, folder) {
  const source = join(ROOT, 'examples', example);
  const isSource = (/** @type {string} */ path) =>
    !['node_modules', 'package-lock.json'].includes(basename(path));
  // Below the installation, whose packages it finds.
  const cwd = join(folder, example);
  cpSync(source, cwd, { recursive: true, filter: isSource });
  const { test } = Object(manifestIn(source)['scripts']);
  const { PATH, ...env } = environmentOf(node);
  const path = `${join(folder, 'node_modules/.bin')}:${PATH}`;
  const options = { cwd, env: { ...env, PATH: path }, shell: true };
  const { status } = spawnSync(test, { ...options, stdio: 'inherit' });
  return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

try {
  const { starknet } = Object(manifestIn(ROOT)['devDependencies']);
  const { vitest } = Object(manifestIn(ROOT)['devDependencies']);
  install(temporary, { starknet, vitest });
  /** @type {Record<string, { passed: number, failed: number }>} */
  const checks = { installation: { passed: 1, failed: 0 } };
  checks['first test of the README'] = firstTest(temporary, node);
  const seconds = await firstTransaction(temporary, node);
  console.log(`npx starkbox accepted a transaction after ${seconds.toFixed(1)} s`);
  checks['quick start'] = { passed: 1, failed: 0 };
  for (const [name, example] of Object.entries(EXAMPLES)) {
    checks[name] = runExample(example, temporary);
  }
  const hasPassed = Object.values(checks).every(({ passed, failed }) => passed > 0 && failed === 0);
  console.log(JSON.stringify({ passed: hasPassed, checks }));
  process.exitCode = hasPassed ? 0 : 1;
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
