// Our packages as npm would publish them: packed files, and a manifest that installs them.
//
//   node scripts/pack.mjs FOLDER
//
// The packages must be built.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/**
 * @typedef {object} Packed
 * @property {string} name of the package
 * @property {string} file the packed file, an absolute path
 */

/** @returns {{ folder: string, name: string, version: string }[]} the packages that are published */
function published() {
  return readdirSync(join(ROOT, 'packages')).flatMap((folder) => {
    const file = join(ROOT, 'packages', folder, 'package.json');
    if (!existsSync(file)) return [];
    const { name, version, private: isPrivate } = Object(JSON.parse(readFileSync(file, 'utf8')));
    return isPrivate === true ? [] : [{ folder, name: String(name), version: String(version) }];
  });
}

/**
 * Where the packed files of a folder are; `pack` writes them.
 *
 * @param {string} folder
 * @returns {Packed[]}
 */
export function packedIn(folder) {
  return published().map(({ name, version }) => {
    const file = resolve(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
    if (!existsSync(file))
      throw new Error(`${file} is missing: run node scripts/pack.mjs ${folder}`);
    return { name, file };
  });
}

/**
 * Packs every published package.
 *
 * @param {string} folder where the packed files go; it is made
 * @returns {Packed[]}
 */
export function pack(folder) {
  const bundle = join(ROOT, 'packages/starkbox/dist/bundle/cli.js');
  if (!existsSync(bundle)) throw new Error(`${bundle} is missing: run npm run build:ts`);
  mkdirSync(folder, { recursive: true });
  const workspaces = published().flatMap((one) => ['--workspace', `packages/${one.folder}`]);
  const args = ['pack', '--ignore-scripts', '--pack-destination', resolve(folder), ...workspaces];
  const { status, error, stdout, stderr } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm pack failed: ${error?.message ?? `${stdout}${stderr}`}`);
  return packedIn(folder);
}

/**
 * The fields of a package.json that take our packages from their packed files wherever they are named, so that nothing
 * of ours is asked of the registry.
 *
 * @param {readonly Packed[]} packed
 * @param {readonly string[]} [installed] names of those that are installed for themselves; all unless given
 * @returns {{ dependencies: Record<string, string>, overrides: Record<string, string> }}
 */
export function dependenciesOn(packed, installed = packed.map(({ name }) => name)) {
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

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  if (folder === undefined) {
    console.error('Usage: node scripts/pack.mjs FOLDER');
    process.exitCode = 2;
  } else {
    for (const { file } of pack(folder)) console.log(file);
  }
}
