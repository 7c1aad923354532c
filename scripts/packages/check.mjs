// Checks the packages as they are published: facts, types, weight, and an installation that runs.
//
//   npm run check:packages                            after the build and the bundle
//   node scripts/packages/check.mjs --packed FOLDER   of the files that scripts/pack.mjs wrote there
//   node scripts/packages/check.mjs --shipped         also the weight and the paths of engines built for publishing
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { ROOT } from '../cargo.mjs';
import { dependenciesOn, pack, packedIn } from '../pack.mjs';
import { failureOf } from '../processes.mjs';
import { bytesIn, packagesIn } from '../rehearsal/installation.mjs';
import { browserEntry } from './browser-entry.mjs';
import { pathsOfBuilder, wrongFiles } from './contents.mjs';
import { undeclaredTypes } from './declarations.mjs';
import { npm } from './staging.mjs';
import { INTERNAL_ENTRIES } from './workspaces.mjs';

/**
 * Most kilobytes packed and unpacked, by package: a tenth to a quarter above what each was when it was last looked at.
 *
 * @type {Readonly<Record<string, readonly [packed: number, unpacked: number]>>}
 */
const LIMITS = {
  starkbox: [2_950, 9_200],
  '@starkbox/abi': [110, 380],
  '@starkbox/argent-classes': [1_600, 1_600],
  '@starkbox/debugger': [55, 205],
  '@starkbox/engine': [900, 1_000],
  '@starkbox/engine-wasm': [6_500, 25_000],
  '@starkbox/signing': [12, 40],
  '@starkbox/starknet-devnet': [5, 10],
  '@starkbox/testing': [130, 420],
  '@starkbox/wallet': [30, 90],
  'create-starkbox': [70, 100],
};

/** The same of the engine for a platform. Engines built for daily work are heavier. */
const ENGINE_LIMITS = [10_000, 25_000];

/** The same of packages that are not in the table. */
const OTHER_LIMITS = [100, 400];

/** Most kilobytes of `starkbox/client` for browsers, minified. */
const BROWSER_LIMIT = 30;

/** What `npm install starkbox` adds; megabytes without the engine for the platform. */
const INSTALLED = { megabytes: 27, packages: 8 };

/** Entries that pages load by their URLs, and no program imports. */
const FILE_ENTRIES = ['./engine.wasm', './worker.js'];

/** A program of CommonJS, which every Node that we support lets require an ES module. */
const REQUIRE = `
  const { createChain } = require('starkbox');
  createChain({ seed: 0 }).then((chain) => chain.close());
`;

const { values } = parseArgs({
  options: { packed: { type: 'string' }, shipped: { type: 'boolean', default: false } },
});

/** @type {string[]} */
const faults = [];

/**
 * @param {string} name of a package
 * @returns {boolean} whether it has the engine for a platform
 */
function isPlatform(name) {
  return name.startsWith('@starkbox/engine-') && name !== '@starkbox/engine-wasm';
}

/**
 * @param {string} name
 * @param {string} file
 * @param {string} folder
 */
function checkWeight(name, file, folder) {
  const figures = [statSync(file).size, bytesIn(folder)].map((bytes) => Math.ceil(bytes / 1000));
  const limits = LIMITS[name] ?? (isPlatform(name) ? ENGINE_LIMITS : OTHER_LIMITS);
  console.log(`${name}: ${figures.join(' kB packed, ')} kB unpacked`);
  const hasEngine = isPlatform(name) || name === '@starkbox/engine-wasm';
  if (hasEngine && !values.shipped) return;
  if (figures.some((figure, at) => figure > (limits[at] ?? 0))) {
    faults.push(`${name} is heavier than ${limits.join(' kB packed, ')} kB unpacked`);
  }
}

/** @param {string} folder of starkbox as it is published */
function checkBrowserEntry(folder) {
  const entry = browserEntry(join(folder, 'dist', 'bundle', 'client.js'));
  const kilobytes = Math.ceil(entry.bytes / 1000);
  console.log(
    `starkbox/client in browsers: ${kilobytes} kB, ${Math.ceil(entry.compressed / 1000)} kB compressed`,
  );
  faults.push(...entry.faults);
  if (kilobytes > BROWSER_LIMIT) {
    faults.push(`starkbox/client is heavier than ${BROWSER_LIMIT} kB in browsers`);
  }
}

/**
 * The same sources give the same engine on every machine if it holds no path of its builder.
 *
 * @param {string} folder of @starkbox/engine-wasm as it is published
 */
function checkPortable(folder) {
  if (!values.shipped) return;
  const paths = pathsOfBuilder(readFileSync(join(folder, 'engine.wasm'), 'latin1'));
  if (paths.length > 0) {
    faults.push(`engine.wasm has ${paths.length} paths of its builder, such as ${paths[0]}`);
  }
}

/**
 * What publint says of the facts in a manifest.
 *
 * @param {string} name
 * @param {string} folder
 */
async function checkFacts(name, folder) {
  const { messages, pkg } = await publint({ pkgDir: folder, pack: false, strict: true });
  for (const message of messages) faults.push(`${name}: ${formatMessage(message, pkg)}`);
}

/**
 * Whether the types of a packed file are found by every way of resolving that can load ES modules.
 *
 * @param {string} name
 * @param {string} file
 */
async function checkTypes(name, file) {
  const command = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  const options = ['--profile', 'esm-only', '--format', 'ascii', '--no-emoji'];
  const entries = [...(INTERNAL_ENTRIES[name] ?? []), ...FILE_ENTRIES];
  const untyped = ['--exclude-entrypoints', ...entries];
  const failure = await failureOf(process.execPath, [command, file, ...options, ...untyped]);
  if (failure !== undefined) faults.push(`${name}: ${failure}`);
}

/**
 * Installs starkbox into an empty folder, weighs it and runs it.
 *
 * @param {string} folder
 * @param {ReturnType<typeof packedIn>} packed
 */
async function checkInstallation(folder, packed) {
  mkdirSync(folder);
  const manifest = { private: true, ...dependenciesOn(packed, ['starkbox']) };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const start = performance.now();
  npm(['install', '--prefer-offline', '--no-audit', '--no-fund'], folder);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const modules = join(folder, 'node_modules');
  const engines = packed
    .map(({ name }) => join(modules, name))
    .filter((path, at) => isPlatform(packed[at]?.name ?? '') && existsSync(path));
  const engine = engines.reduce((sum, path) => sum + bytesIn(path), 0) / 1e6;
  const megabytes = bytesIn(modules) / 1e6 - engine;
  const installed = packagesIn(modules);
  const paths = Object.keys(installed);
  const scripts = paths.filter((path) => installed[path]?.hasInstallScript);
  const count = paths.length;
  const weights = `${megabytes.toFixed(1)} MB and ${engine.toFixed(1)} MB of the engine`;
  console.log(`an installation: ${weights}, ${count} packages, ${seconds} s`);
  if (megabytes > INSTALLED.megabytes || count > INSTALLED.packages) {
    faults.push(
      `an installation has more than ${INSTALLED.megabytes} MB or ${INSTALLED.packages} packages`,
    );
  }
  if (scripts.length > 0) faults.push(`packages with install scripts: ${scripts.join(', ')}`);
  writeFileSync(join(folder, 'use.mjs'), readFileSync(join(ROOT, 'scripts/packages/use.mjs')));
  // Anvil is looked for in the folder where a node is started.
  const failure = await failureOf(process.execPath, [join(folder, 'use.mjs')], { cwd: ROOT });
  if (failure !== undefined) faults.push(`the installed packages do not work: ${failure}`);
  const required = await failureOf(process.execPath, ['--eval', REQUIRE], { cwd: folder });
  if (required !== undefined) faults.push(`CommonJS cannot require starkbox: ${required}`);
}

/**
 * @param {string} folder
 * @returns {string[]} the files in it
 */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

const folder = mkdtempSync(join(tmpdir(), 'starkbox-check-'));
try {
  const packed =
    values.packed === undefined ? pack(join(folder, 'packed')) : packedIn(values.packed);
  const unpacked = new Map(
    packed.map(({ name, file }) => {
      const target = join(folder, 'unpacked', name);
      mkdirSync(target, { recursive: true });
      execFileSync('tar', ['-xzf', file, '-C', target, '--strip-components', '1']);
      return [name, target];
    }),
  );
  const folderOf = (/** @type {string} */ name) => unpacked.get(name) ?? '';
  const typed = packed.filter(({ name }) => existsSync(join(folderOf(name), 'dist')));
  // They run beside the installation, which mostly waits.
  const types = typed.map(({ name, file }) => checkTypes(name, file));
  for (const { name, file } of packed) {
    checkWeight(name, file, folderOf(name));
    await checkFacts(name, folderOf(name));
    faults.push(...wrongFiles(name, filesIn(folderOf(name))));
  }
  for (const { name } of typed) {
    faults.push(...undeclaredTypes(folderOf(name)).map((fault) => `${name}: ${fault}`));
  }
  checkBrowserEntry(folderOf('starkbox'));
  checkPortable(folderOf('@starkbox/engine-wasm'));
  await checkInstallation(join(folder, 'installed'), packed);
  await Promise.all(types);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const fault of faults) console.error(fault);
console.log(`${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
