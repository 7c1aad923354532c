// Notice of the packages whose code is part of the bundles, with their licences.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { manifestIn } from '../packages/workspaces.mjs';

const LICENCE = /^(un)?licen[cs]e|^copying|^notice/i;

/**
 * The folder of the installed package that a file belongs to. Packages have further manifests without a name, which
 * say how files are loaded.
 *
 * @param {string} file
 * @returns {string | undefined} undefined for a file of ours
 */
export function packageOf(file) {
  if (!file.includes('/node_modules/')) return undefined;
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json')) && manifestIn(folder).name) return folder;
  }
  return undefined;
}

/**
 * The packages that a package of ours depends on, with those that they depend on. Ours are followed, not listed.
 *
 * @param {string} folder
 * @param {Set<string>} [folders]
 * @returns {Set<string>} their folders
 */
export function dependenciesOf(folder, folders = new Set()) {
  for (const name of Object.keys(manifestIn(folder).dependencies ?? {})) {
    const places = createRequire(join(folder, 'package.json')).resolve.paths(name) ?? [];
    const dependency = places.map((path) => join(path, name)).find((path) => existsSync(path));
    if (dependency === undefined)
      throw new Error(`${name}, a dependency of ${folder}, is not installed`);
    if (folders.has(dependency)) continue;
    if (!name.startsWith('@starkbox/')) folders.add(dependency);
    dependenciesOf(dependency, folders);
  }
  return folders;
}

/**
 * @param {string} folder
 * @returns {string} the texts of the licences that it has
 */
export function licencesIn(folder) {
  const files = readdirSync(folder).filter(
    (file) => LICENCE.test(file) && isFile(join(folder, file)),
  );
  return files
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
    .join('\n\n');
}

/**
 * @param {string} path
 * @returns {boolean}
 */
function isFile(path) {
  return statSync(path).isFile();
}

/**
 * A notice of parts by others. Those with the same texts stand together.
 *
 * @param {Iterable<{ title: string, texts: string }>} parts
 * @returns {string}
 */
export function noticeOf(parts) {
  /** @type {Map<string, Set<string>>} */
  const titles = new Map();
  for (const { title, texts } of parts) {
    titles.set(texts, (titles.get(texts) ?? new Set()).add(title));
  }
  const sections = [...titles].map(
    ([texts, of]) =>
      `${[...of].sort().join('\n')}\n\n${texts || 'It holds no text of its licence.'}\n`,
  );
  return ['Starkbox contains code of these projects.\n', ...sections.sort()].join(
    `\n${'-'.repeat(80)}\n\n`,
  );
}

/** What the notice is called in packages. */
export const NOTICE = 'THIRD-PARTY-NOTICES.txt';

/** The list of the same parts, for the bill of materials. It is not published. */
const PARTS = 'third-party.json';

/**
 * A package or crate whose code is part of ours.
 *
 * @typedef {object} Part
 * @property {string} name
 * @property {string} version
 * @property {string} licence an SPDX expression
 */

/**
 * Writes the notice of the packages whose code a bundle has, and their list.
 *
 * @param {string} bundle its folder
 * @param {readonly string[]} modules files that it is made of
 * @param {readonly string[]} [others] folders of further packages
 */
export function writeParts(bundle, modules, others = []) {
  const folders = new Set([...modules.flatMap((id) => packageOf(id) ?? []), ...others]);
  const parts = [...folders].map((folder) => {
    const { name, version, license: licence = 'no licence named' } = manifestIn(folder);
    return { name, version, licence, texts: licencesIn(folder) };
  });
  const titled = parts.map(({ texts, ...part }) => ({ title: titleOf(part), texts }));
  writeFileSync(join(bundle, NOTICE), noticeOf(titled));
  const listed = parts.map(({ name, version, licence }) => ({ name, version, licence }));
  writeFileSync(join(bundle, PARTS), JSON.stringify(listed));
}

/**
 * @param {Part} part
 * @returns {string}
 */
export function titleOf({ name, version, licence }) {
  return `${name} ${version} (${licence})`;
}

/**
 * @param {string} bundle its folder
 * @returns {Part[]} none where nothing is bundled
 */
export function readParts(bundle) {
  const path = join(bundle, PARTS);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [];
}
