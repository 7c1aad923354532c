// Packages of this repository: those that are published, and those that are bundled or only for development.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../cargo.mjs';

/**
 * @typedef {{ types?: string, default?: string }} Conditions
 * @typedef {Record<string, string>} Versions
 * @typedef {Record<string, unknown> & {
 *   name: string,
 *   version: string,
 *   license: string,
 *   exports?: Record<string, string | Conditions>,
 *   scripts?: Record<string, string>,
 *   dependencies?: Versions,
 *   devDependencies?: Versions,
 *   peerDependencies?: Versions,
 * }} Manifest
 * @typedef {{ folder: string, manifest: Manifest }} Workspace
 */

/**
 * @param {string} folder
 * @returns {Manifest}
 */
export function manifestIn(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/**
 * @param {boolean} isPrivate
 * @returns {ReadonlyMap<string, Workspace>}
 */
function workspaces(isPrivate) {
  const folders = readdirSync(join(ROOT, 'packages')).map((name) => join(ROOT, 'packages', name));
  return new Map(
    folders
      .filter((folder) => existsSync(join(folder, 'package.json')))
      .map((folder) => ({ folder, manifest: manifestIn(folder) }))
      .filter(({ manifest }) => (manifest['private'] === true) === isPrivate)
      .map((workspace) => [workspace.manifest.name, workspace]),
  );
}

/** @returns {ReadonlyMap<string, Workspace>} the packages that are published, by name */
export function published() {
  return workspaces(false);
}

/** @returns {ReadonlyMap<string, Workspace>} the packages that are not published, by name */
export function unpublished() {
  return workspaces(true);
}

/**
 * Entries for packages of ours alone, which are compiled in this repository: they are published without types.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const INTERNAL_ENTRIES = {
  '@starkbox/abi': ['./internal', './basics'],
  '@starkbox/engine-wasm': ['./node'],
};

/**
 * @param {Manifest} manifest
 * @returns {[entry: string, conditions: Conditions][]} its entries; a single file has no conditions
 */
export function entriesOf({ exports = {} }) {
  return Object.entries(exports).map(([entry, conditions]) => [
    entry,
    typeof conditions === 'string' ? {} : conditions,
  ]);
}

/**
 * @param {Manifest} manifest
 * @returns {(readonly [entry: string, types: string])[]} the entries of a package that users import, and their
 *   declarations
 */
export function typedEntries(manifest) {
  const internal = INTERNAL_ENTRIES[manifest.name] ?? [];
  return entriesOf(manifest).flatMap(([entry, { types }]) =>
    types === undefined || internal.includes(entry) ? [] : [/** @type {const} */ ([entry, types])],
  );
}
