#!/usr/bin/env node
// Runs the tests of the examples as a user would: outside of the repository, with our packages as they are published.
//
//   node examples/run.mjs                               all examples, with the Node that runs this
//   node examples/run.mjs token-jest                    only this one
//   node examples/run.mjs --node ~/node-24/bin/node     with another Node; may be given several times
//   node examples/run.mjs --packed FOLDER               with the files that scripts/pack.mjs wrote there
//
// The packages must be built. One installation serves all examples: they are the workspaces of a temporary folder.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../scripts/cargo.mjs';
import { dependenciesOn, pack, packedIn } from '../scripts/pack.mjs';
import { manifestIn } from '../scripts/packages/workspaces.mjs';
import { runText } from '../scripts/processes.mjs';
import { environmentOf } from '../scripts/rehearsal/processes.mjs';
import { installedPython } from '../scripts/starknet-py.mjs';

/** The compiled contracts that examples use. */
const CONTRACTS = ['token.sierra.json', 'counter.sierra.json', 'counter.casm.json'];

/** @returns {string[]} the examples that are packages with tests */
function allExamples() {
  const folder = join(ROOT, 'examples');
  return readdirSync(folder).filter((name) => existsSync(join(folder, name, 'package.json')));
}

/**
 * Copies the examples, and installs.
 *
 * @param {string} folder an empty folder
 * @param {readonly string[]} examples
 * @param {ReturnType<typeof pack>} packed
 */
function install(folder, examples, packed) {
  const root = { private: true, workspaces: ['examples/*'], ...dependenciesOn(packed) };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(root, null, 2));
  for (const name of examples) {
    const isSource = (/** @type {string} */ path) =>
      !['node_modules', 'dist', 'test-results'].includes(basename(path));
    cpSync(join(ROOT, 'examples', name), join(folder, 'examples', name), {
      recursive: true,
      filter: isSource,
    });
  }
  mkdirSync(join(folder, 'contracts/cairo'), { recursive: true });
  for (const name of CONTRACTS) {
    cpSync(join(ROOT, 'contracts/cairo', name), join(folder, 'contracts/cairo', name));
  }
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock'];
  runText('npm', ['install', ...options], { cwd: folder });
}

/**
 * @param {string} folder
 * @param {string} example
 * @param {string} node the executable
 * @returns {boolean} whether its tests passed
 */
function test(folder, example, node) {
  const cwd = join(folder, 'examples', example);
  const { scripts } = Object(manifestIn(cwd));
  // Where the tests of an example belong to what it shows, another script runs all of it.
  const script = 'check' in scripts ? 'check' : 'test';
  const env = { ...environmentOf(node), STARKBOX_PYTHON: installedPython() ?? 'python3' };
  return spawnSync('npm', ['run', '--silent', script], { cwd, env, stdio: 'inherit' }).status === 0;
}

/** @returns {number} the exit code */
function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      node: { type: 'string', multiple: true, default: [process.execPath] },
      packed: { type: 'string' },
    },
  });
  const available = allExamples();
  const examples = positionals.length > 0 ? positionals : available;
  const unknown = examples.filter((name) => !available.includes(name));
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
    install(folder, examples, packed);
    for (const node of nodes) {
      for (const example of examples) {
        console.log(`\n--> ${example}, ${node}`);
        const start = performance.now();
        if (!test(folder, example, node)) failed.push(`${example}, ${node}`);
        console.log(`${example}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
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
