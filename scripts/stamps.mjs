// Parts of CI that passed on this machine are not repeated until a file changes that they depend on.
//
//   node scripts/stamps.mjs documentation npm run build:docs      runs the command unless the part passed before
//
// `CI_FRESH=1` repeats them. The engine's own checks do the same: scripts/built-engine.mjs.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './cargo.mjs';
import { CACHE, isMain } from './processes.mjs';
import { filesOf } from './sources.mjs';

/**
 * @typedef {object} Part
 * @property {readonly string[]} inputs files and folders that it depends on
 * @property {boolean} [dependsOnNames] whether it also depends on which files there are anywhere
 * @property {readonly string[]} [tests] the test files that it has
 */

/** What every part depends on, beside the version of Node. */
const ALWAYS = [
  '.ci',
  'contracts',
  'package-lock.json',
  'package.json',
  'scripts',
  'test/support',
  'tsconfig*.json',
  'vitest.config.ts',
];
const ENGINE = [
  'Cargo.lock',
  'Cargo.toml',
  'rust-toolchain.toml',
  ...['argent-classes', 'engine', 'engine-wasm', 'spec'].map((name) => `packages/${name}`),
];

/** What decides how the packages are packed and installed. */
const PACKAGING = [
  'LICENSE',
  'examples',
  'packages/*/package.json',
  'packages/create-starkbox',
  'packages/*/README.md',
];

/** @type {Readonly<Record<string, Part>>} */
export const PARTS = {
  architecture: {
    inputs: ['.'],
    tests: [
      'test/architecture/**',
      ...['architecture', 'sizes', 'recipes', 'workflow-permissions'].map(
        (name) => `test/${name}.test.ts`,
      ),
    ],
  },
  'other examples': { inputs: PACKAGING },
  'install rehearsal': { inputs: PACKAGING },
  documentation: { inputs: ['docs', 'packages/mcp/src'], dependsOnNames: true },
  'tests of the engine': {
    inputs: ENGINE,
    tests: ['packages/engine/test/**', 'packages/engine-wasm/test/**'],
  },
  'tests of pages': {
    inputs: [
      ...ENGINE,
      ...['abi', 'debugger', 'explorer', 'playground', 'signing', 'starkbox', 'wallet'].map(
        (name) => `packages/${name}`,
      ),
      'packages/e2e/test/browser',
      'packages/e2e/test/library',
    ],
    tests: ['packages/*/test/**/*.browser.test.ts'],
  },
};

const FOLDER = join(CACHE, 'passed');

/** @param {string} name */
function stampOf(name) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`no part ${name}; there are: ${Object.keys(PARTS)}`);
  const hash = createHash('sha256');
  const browser = spawnSync(process.env['CHROMIUM'] ?? 'chromium', ['--version']).stdout;
  hash.update(`${name} ${process.version} ${process.platform} ${process.arch} ${browser}\n`);
  if (part.dependsOnNames) hash.update(filesOf().join('\n'));
  for (const path of filesOf(...ALWAYS, ...part.inputs)) {
    const content = readFileSync(join(ROOT, path));
    hash.update(`\n${path} ${content.length}\n`).update(content);
  }
  return join(FOLDER, `${name.replaceAll(' ', '-')}-${hash.digest('hex').slice(0, 32)}`);
}

/**
 * A part with the files as they are.
 *
 * @param {string} name
 */
export function partNow(name) {
  const stamp = stampOf(name);
  const isKept = process.env['CI_FRESH'] !== '1' && existsSync(stamp);
  return {
    name,
    /** When it passed, if it did. */
    passedAt: isKept ? readFileSync(stamp, 'utf8') : undefined,
    notePassed() {
      // A file that was edited meanwhile may or may not have been read.
      if (stampOf(name) !== stamp) return;
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(stamp, new Date().toISOString());
    },
  };
}

if (isMain(import.meta.url)) {
  const [name = '', command = '', ...args] = process.argv.slice(2);
  const { passedAt, notePassed } = partNow(name);
  if (passedAt !== undefined) {
    console.log(`nothing has changed since the ${name} passed at ${passedAt}`);
  } else {
    process.exitCode = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
    if (process.exitCode === 0) notePassed();
  }
}
