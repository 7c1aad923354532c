#!/usr/bin/env node
// Runs the tests of the examples as a user would: each in a folder outside of the repository, which has only its files
// and what its package.json installs, with our packages as they are published.
//
//   node examples/run.mjs                               all examples, with the Node that runs this
//   node examples/run.mjs token-jest                    only this one
//   node examples/run.mjs --except token-jest           all others; may be given several times
//   node examples/run.mjs --node ~/node-24/bin/node     with another Node; may be given several times
//   node examples/run.mjs --packed FOLDER               with the files that scripts/pack.mjs wrote there
//
// The packages must be built.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../scripts/cargo.mjs';
import { pack, packedIn } from '../scripts/pack.mjs';
import { manifestIn } from '../scripts/packages/workspaces.mjs';
import { npmInstallListed } from '../scripts/rehearsal/installation.mjs';
import { environmentOf } from '../scripts/rehearsal/processes.mjs';
import { installedPython } from '../scripts/starknet-py.mjs';

/** The browser of the system; Playwright would have to download its own. */
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** @returns {string[]} the examples that are packages with tests */
function allExamples() {
  const folder = join(ROOT, 'examples');
  return readdirSync(folder).filter((name) => existsSync(join(folder, name, 'package.json')));
}

/**
 * Copies an example, and installs what it names, with our packages from their packed files.
 *
 * @param {string} folder that does not exist yet
 * @param {string} example
 * @param {ReturnType<typeof pack>} packed
 */
function install(folder, example, packed) {
  const isSource = (/** @type {string} */ path) =>
    !['node_modules', 'dist', 'test-results'].includes(basename(path));
  cpSync(join(ROOT, 'examples', example), folder, { recursive: true, filter: isSource });
  npmInstallListed(folder, process.execPath, packed);
}

/**
 * @param {string} cwd the folder of an example
 * @param {string} node the executable
 * @returns {boolean} whether its tests passed
 */
function test(cwd, node) {
  const { scripts = {} } = manifestIn(cwd);
  // Where the tests of an example belong to what it shows, another script runs all of it.
  const script = 'check' in scripts ? 'check' : 'test';
  const env = { ...environmentOf(node), STARKBOX_PYTHON: installedPython() ?? 'python3', CHROMIUM };
  return spawnSync('npm', ['run', '--silent', script], { cwd, env, stdio: 'inherit' }).status === 0;
}

/** @param {number} start by the clock of `performance` */
function secondsSince(start) {
  return ((performance.now() - start) / 1000).toFixed(1);
}

/** @returns {number} the exit code */
function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      node: { type: 'string', multiple: true, default: [process.execPath] },
      packed: { type: 'string' },
      except: { type: 'string', multiple: true, default: [] },
    },
  });
  const available = allExamples();
  const chosen = positionals.length > 0 ? positionals : available;
  const examples = chosen.filter((name) => !values.except.includes(name));
  const unknown = [...chosen, ...values.except].filter((name) => !available.includes(name));
  if (unknown.length > 0) {
    console.error(`No example ${unknown.join(', ')}. There are: ${available.join(', ')}.`);
    return 2;
  }
  const nodes = values.node.map((path) => resolve(path));
  // Scripts of npm find `node` by its name.
  const unusable = nodes.filter(
    (path) => !/^node(\.exe)?$/.test(basename(path)) || !existsSync(path),
  );
  if (unusable.length > 0) {
    console.error(`--node takes an executable named node, not ${unusable.join(', ')}.`);
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'starkbox-examples-'));
  const failed = [];
  try {
    const packed =
      values.packed === undefined ? pack(join(folder, 'packages')) : packedIn(values.packed);
    for (const example of examples) {
      const installing = performance.now();
      install(join(folder, example), example, packed);
      console.log(`\n${example}: installed in ${secondsSince(installing)} s`);
      for (const node of nodes) {
        console.log(`--> ${example}, ${node}`);
        const start = performance.now();
        if (!test(join(folder, example), node)) failed.push(`${example}, ${node}`);
        console.log(`${example}: ${secondsSince(start)} s`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  for (const run of failed) console.log(`failed: ${run}`);
  const passed = examples.length * nodes.length - failed.length;
  console.log(`examples: ${passed} passed, ${failed.length} failed`);
  return failed.length === 0 ? 0 : 1;
}

process.exitCode = main();
