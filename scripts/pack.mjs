// Our packages as npm would publish them: packed files, and a manifest that installs them.
//
//   node scripts/pack.mjs FOLDER                all that are published, and the engine for the platform that is built
//   node scripts/pack.mjs FOLDER starkbox       this one, and those of ours that it depends on
//   node scripts/pack.mjs FOLDER --strict       fails if a binary needs a newer glibc than we support
//   node scripts/pack.mjs FOLDER --cross        also the engines that scripts/packages/cross-engine.mjs has built
//   node scripts/pack.mjs FOLDER --portable     without engines, which differ between platforms
//   node scripts/pack.mjs FOLDER --engines      the engines alone
//
// SHA256SUMS in the folder has their sums. The packages must be built.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import {
  addonFile,
  compilerFile,
  PLATFORMS,
  packageFor,
} from '../packages/engine/dist/platforms.js';
import { ROOT } from './cargo.mjs';
import { areOldEnough } from './packages/glibc.mjs';
import { builtEngines, ENGINE_NAME, npm, stage, withDependencies } from './packages/staging.mjs';
import { published } from './packages/workspaces.mjs';
import { isMain } from './processes.mjs';

/**
 * @typedef {object} Packed
 * @property {string} name of the package
 * @property {string} file the packed file, an absolute path
 */

/**
 * Where the packed files of a folder are; `pack` writes them.
 *
 * @param {string} folder
 * @param {readonly string[]} [names] of our packages; all unless given
 * @returns {Packed[]}
 */
export function packedIn(folder, names = [...published().keys()]) {
  const version = published().get(ENGINE_NAME)?.manifest.version ?? '';
  const ours = names.map((name) => {
    const file = packedFile(folder, name, published().get(name)?.manifest.version ?? '');
    if (!existsSync(file))
      throw new Error(`${file} is missing: run node scripts/pack.mjs ${folder}`);
    return { name, file };
  });
  const platforms = Object.keys(PLATFORMS)
    .map(packageFor)
    .map((name) => ({ name, file: packedFile(folder, name, version) }));
  return [...ours, ...platforms.filter(({ file }) => existsSync(file))];
}

/**
 * @param {string} folder
 * @param {string} name of a package
 * @param {string} version
 * @returns {string} what npm calls the packed file
 */
function packedFile(folder, name, version) {
  return resolve(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
}

/**
 * Packs packages as they are published.
 *
 * @param {string} folder where the packed files go; it is made
 * @param {readonly string[]} [names] of our packages; all unless given
 * @param {ReadonlyMap<string, string>} [engines] folders of those that become packages, by platform; those that are built
 *   for this one unless given
 * @returns {Packed[]}
 */
export function pack(folder, names = [...published().keys()], engines = builtEngines()) {
  const bundle = join(ROOT, 'packages/starkbox/dist/bundle/cli.js');
  if (names.length > 0 && !existsSync(bundle))
    throw new Error(`${bundle} is missing: run npm run build:ts`);
  mkdirSync(folder, { recursive: true });
  const staging = mkdtempSync(join(tmpdir(), 'starkbox-packages-'));
  try {
    const folders = stage(staging, names, engines);
    npm(['pack', '--ignore-scripts', '--pack-destination', resolve(folder), ...folders], ROOT);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return packedIn(folder, names);
}

/**
 * The fields of a package.json that take our packages from their packed files wherever they are named, so that nothing
 * of ours is asked of the registry.
 *
 * @param {readonly Packed[]} packed
 * @param {readonly string[]} [installed] names of those that are installed for themselves; unless given, all but those of
 *   platforms, which npm chooses from
 * @returns {{ dependencies: Record<string, string>, overrides: Record<string, string> }}
 */
export function dependenciesOn(packed, installed = [...published().keys()]) {
  const urls = packed.map(
    ({ name, file }) => /** @type {const} */ ([name, pathToFileURL(file).href]),
  );
  return {
    dependencies: Object.fromEntries(urls.filter(([name]) => installed.includes(name))),
    overrides: Object.fromEntries(
      urls.map(([name, url]) => [name, installed.includes(name) ? `$${name}` : url]),
    ),
  };
}

/**
 * @param {ReadonlyMap<string, string>} engines folders by platform
 * @returns {boolean} whether their binaries run on the oldest system that we support
 */
function isGlibcOldEnough(engines) {
  const chosen = [...engines].filter(([platform]) => PLATFORMS[platform]?.libc === 'glibc');
  const files = chosen.flatMap(([platform, folder]) =>
    [addonFile(platform), compilerFile('linux')].map((file) => join(folder, file)),
  );
  return areOldEnough(files);
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      strict: { type: 'boolean', default: false },
      cross: { type: 'boolean', default: false },
      portable: { type: 'boolean', default: false },
      engines: { type: 'boolean', default: false },
    },
  });
  const [folder, ...names] = positionals;
  const packages = published();
  const unknown = names.filter((name) => !packages.has(name));
  if (folder === undefined || unknown.length > 0) {
    console.error(
      'Usage: node scripts/pack.mjs FOLDER [PACKAGE…] [--strict] [--cross] [--portable | --engines]',
    );
    if (unknown.length > 0)
      console.error(`No package ${unknown.join(', ')}: ${[...packages.keys()].join(', ')}`);
    return 2;
  }
  const requested = names.length > 0 ? names : [...packages.keys()];
  const chosen = values.engines ? [] : withDependencies(requested);
  const hasEngines = values.engines || (chosen.includes(ENGINE_NAME) && !values.portable);
  const engines = hasEngines ? builtEngines(values.cross) : new Map();
  if (hasEngines && engines.size === 0)
    throw new Error('no engine is built: run npm run build:engine');
  const packed = pack(folder, chosen, engines);
  for (const { file } of packed) console.log(file);
  const sums = packed.map(({ file }) => {
    const sum = createHash('sha256').update(readFileSync(file)).digest('hex');
    return `${sum}  ${basename(file)}\n`;
  });
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  return values.strict && !isGlibcOldEnough(engines) ? 1 : 0;
}

if (isMain(import.meta.url)) {
  process.exitCode = main();
}
