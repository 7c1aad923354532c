#!/usr/bin/env node
// Rehearses a user's first minutes on another Linux than this one, under emulation if its processor is another, and runs
// tests there with the packed engine.
//
//   npm run rehearse:platform -- linux-arm64-gnu                        all steps
//   npm run rehearse:platform -- linux-arm64-gnu --only 'quick start'   one of them; may be given several times
//   npm run rehearse:platform -- linux-arm64-gnu --packed FOLDER        with what `npm run pack -- FOLDER --cross` wrote
//   npm run rehearse:platform -- linux-arm64-gnu --record               also writes the counts into docs/start
//
// It needs Linux x64, root or sudo, QEMU for arm64, built packages, and what scripts/packages/cross-engine.mjs has built.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { addonFile, PLATFORMS, packageFor } from '../packages/engine/dist/platforms.js';
import { ROOT } from './cargo.mjs';
import { pack, packedIn } from './pack.mjs';
import { builtEngines } from './packages/staging.mjs';
import { manifestIn, published } from './packages/workspaces.mjs';
import { recordRun, testCounts } from './platform-runs.mjs';
import { runText, runVisibly } from './processes.mjs';
import { firstTest, firstTransaction } from './rehearsal/first-minutes.mjs';
import { npmInstall } from './rehearsal/installation.mjs';
import { OTHER_PLATFORMS, withPlatform } from './rehearsal/other-platforms.mjs';
import { environmentOf } from './rehearsal/processes.mjs';
import { copyRepository } from './rehearsal/release-copy.mjs';

/** Not part of the project. */
const SHARED = join(dirname(ROOT.replace(/\/$/, '')), 'shared');

/**
 * @typedef {import('./platform-runs.mjs').Counts} Counts
 *
 * @typedef {object} Installation
 * @property {string} platform
 * @property {string} folder where the packed packages are installed
 * @property {string} node the platform's
 * @property {() => string} copy the repository with the test runner for the platform; made at the first call
 */

/**
 * Installs as the README does, and checks that npm took the engine of the platform alone.
 *
 * @param {Omit<Installation, 'copy'>} installation
 * @param {ReturnType<typeof pack>} packed
 */
function install({ platform, folder, node }, packed) {
  const { starknet } = Object(manifestIn(ROOT)['devDependencies']);
  // npm reads it from a file of this machine's system otherwise.
  process.env['npm_config_libc'] = PLATFORMS[platform]?.libc;
  npmInstall(folder, node, packed, ['starkbox', '@starkbox/testing'], { starknet });
  const scope = join(folder, 'node_modules/@starkbox');
  const engines = readdirSync(scope).filter((name) => name.startsWith('engine-'));
  const expected = packageFor(platform);
  if (engines.map((name) => `@starkbox/${name}`).join() !== expected)
    throw new Error(`npm installed ${engines.join(', ')} instead of ${expected} alone`);
}

/**
 * A copy of the repository, with binaries of the test runner for the platform. npm of this machine installs it, because
 * it unpacks much faster.
 *
 * @param {string} platform
 * @param {string} folder where the copy goes, beside a link to files outside of the project
 * @returns {string}
 */
function copyWithRunner(platform, folder) {
  const copy = join(folder, 'repository');
  copyRepository(copy);
  if (existsSync(SHARED)) symlinkSync(SHARED, join(folder, 'shared'), 'dir');
  const { os, cpu, libc } = PLATFORMS[platform] ?? {};
  const target = [`--os=${os}`, `--cpu=${cpu}`, `--libc=${libc}`];
  const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  runVisibly('npm', ['ci', ...target, ...options], { cwd: copy });
  return copy;
}

/**
 * Runs tests of the copy with the installed addon.
 *
 * @param {Installation} installation
 * @param {readonly string[]} selection
 * @returns {Counts}
 */
function runTests({ platform, folder, node, copy }, selection) {
  const addon = join(folder, 'node_modules', packageFor(platform), addonFile(platform));
  const repository = copy();
  const env = {
    ...environmentOf(node),
    STARKBOX_ENGINE: addon,
    // rolldown reads the C library from a file of this machine's system otherwise.
    NAPI_RS_NATIVE_LIBRARY_PATH: join(
      repository,
      `node_modules/@rolldown/binding-${platform}/rolldown-binding.${platform}.node`,
    ),
  };
  // WebAssembly is the same on each platform, and too slow for its limits under emulation.
  const projects = '--project=!wasm';
  const runner = [node, 'node_modules/vitest/vitest.mjs', 'run', projects, ...selection];
  return testCounts(runner, { cwd: repository, env });
}

/**
 * @param {string} script of package.json
 * @returns {string[]} the files that it selects
 */
function selectionOf(script) {
  const { [script]: command = '' } = Object(manifestIn(ROOT)['scripts']);
  return command.replace(/^vitest run /, '').split(' ');
}

/** @type {Record<string, (installation: Installation) => Promise<Counts | undefined>>} */
const STEPS = {
  'first test of the README': async ({ folder, node }) => firstTest(folder, node),
  'quick start': async ({ folder, node }) => {
    const seconds = await firstTransaction(folder, node);
    console.log(`npx starkbox accepted a transaction after ${seconds.toFixed(1)} s`);
    return { passed: 1, failed: 0 };
  },
  'acceptance statements': async ({ folder, node }) => {
    const script = join(SHARED, 'acceptance/seed.mjs');
    if (!existsSync(script)) {
      console.log('the acceptance statements are not part of the project and were not run');
      return undefined;
    }
    const options = {
      cwd: folder,
      env: environmentOf(node),
      encoding: /** @type {const} */ ('utf8'),
    };
    const run = () => {
      const { stdout } = spawnSync(node, [script], options);
      process.stdout.write(stdout);
      const [, passed, all] = /^(\d+) of (\d+) statements/m.exec(stdout) ?? [];
      return { passed: Number(passed), failed: Number(all) - Number(passed) };
    };
    const counts = run();
    if (counts.failed === 0) return counts;
    // It starts a node on the port of a previous one that may still be ending, which takes long under emulation.
    console.log('acceptance statements failed, and run again');
    return run();
  },
  'quick tests': async (installation) => runTests(installation, selectionOf('test:quick')),
  'golden conversations': async (installation) => runTests(installation, selectionOf('golden')),
};

/**
 * @param {string} platform
 * @param {ReturnType<typeof pack>} packed
 * @param {readonly string[]} names of steps
 * @returns {Promise<{ runtime: string, checks: Record<string, Counts> }>}
 */
async function rehearse(platform, packed, names) {
  const folder = mkdtempSync(join(tmpdir(), 'starkbox-rehearsal-'));
  const repository = mkdtempSync(join(tmpdir(), 'starkbox-rehearsal-'));
  try {
    return await withPlatform(platform, async (node) => {
      const runtime = `Node ${runText(node, ['-p', 'process.versions.node']).trim()}`;
      const start = performance.now();
      install({ platform, folder, node }, packed);
      console.log(`${platform}, ${runtime}: installed in ${secondsSince(start)} s`);
      /** @type {string | undefined} */
      let copied;
      const copy = () => {
        copied ??= copyWithRunner(platform, repository);
        return copied;
      };
      /** @type {Record<string, Counts>} */
      const checks = { installation: { passed: 1, failed: 0 } };
      for (const name of names) {
        const counts = await attempt(name, { platform, folder, node, copy });
        if (counts !== undefined) checks[name] = counts;
      }
      return { runtime, checks };
    });
  } finally {
    for (const each of [folder, repository]) rmSync(each, { recursive: true, force: true });
  }
}

/**
 * @param {string} name of a step
 * @param {Installation} installation
 * @returns {Promise<Counts | undefined>} nothing for a step that could not be tried
 */
async function attempt(name, installation) {
  console.log(`\n--> ${name}`);
  const start = performance.now();
  try {
    const counts = await STEPS[name]?.(installation);
    if (counts === undefined) return undefined;
    const { passed, failed } = counts;
    if (Number.isNaN(passed + failed)) throw new Error('it printed no counts');
    console.log(`${name}: ${passed} passed, ${failed} failed, ${secondsSince(start)} s`);
    return counts;
  } catch (error) {
    console.log(`${name}: FAILED: ${error instanceof Error ? error.message : error}`);
    return { passed: 0, failed: 1 };
  }
}

/** @param {number} start by the clock of `performance` */
function secondsSince(start) {
  return ((performance.now() - start) / 1000).toFixed(1);
}

async function main() {
  const all = Object.keys(STEPS);
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: 'string', multiple: true, default: all },
      packed: { type: 'string' },
      record: { type: 'boolean', default: false },
    },
  });
  const [platform = '', ...others] = positionals;
  const unknown = values.only.filter((name) => !all.includes(name));
  if (!OTHER_PLATFORMS.includes(platform) || others.length + unknown.length > 0) {
    console.error(
      'Usage: npm run rehearse:platform -- PLATFORM [--only STEP…] [--packed FOLDER] [--record]',
    );
    console.error(`Platforms: ${OTHER_PLATFORMS.join(', ')}; steps: ${all.join(', ')}`);
    return 2;
  }
  const temporary = mkdtempSync(join(tmpdir(), 'starkbox-packed-'));
  try {
    const names = [...published().keys()];
    const packed =
      values.packed === undefined
        ? pack(temporary, names, builtEngines(true))
        : packedIn(values.packed);
    if (!packed.some(({ name }) => name === packageFor(platform)))
      throw new Error(`no engine is built: run npm run build:engine:cross -- ${platform}`);
    const { runtime, checks } = await rehearse(platform, packed, values.only);
    const kind = PLATFORMS[platform]?.cpu === process.arch ? 'native' : 'emulated';
    if (values.record) recordRun(platform, { kind, runtime, checks });
    const hasPassed = Object.values(checks).every(({ failed }) => failed === 0);
    console.log(JSON.stringify({ passed: hasPassed, platform, runtime, checks }));
    return hasPassed ? 0 : 1;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

process.exitCode = await main();
