// Notice of the crates that the binaries of the engine contain, with their licences.
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { licencesIn, noticeOf, titleOf } from '../bundle/third-party.mjs';
import { ENGINE } from '../cargo.mjs';
import { writePatchedCrates } from '../engine-changes.mjs';

/** @import { Part } from '../bundle/third-party.mjs' */

/**
 * @typedef {object} Metadata of the packages, from cargo
 * @property {{ id: string, name: string, version: string, license: string | null, manifest_path: string }[]} packages
 * @property {string[]} workspace_members
 * @property {{ root: string, nodes: { id: string, deps: { pkg: string, dep_kinds: { kind: string | null }[] }[] }[] }} resolve
 */

/**
 * The crates that the binaries for a platform contain.
 *
 * @param {string} target what Rust calls the platform
 * @returns {(Part & { folder: string })[]}
 */
export function cratesOf(target) {
  const args = ['metadata', '--format-version', '1', '--locked', '--filter-platform', target];
  writePatchedCrates();
  /** @type {Metadata} */
  const {
    packages,
    resolve,
    workspace_members: ours,
  } = JSON.parse(
    execFileSync('cargo', args, { cwd: ENGINE, encoding: 'utf8', maxBuffer: 2 ** 28 }),
  );
  const dependencies = new Map(resolve.nodes.map(({ id, deps }) => [id, deps]));
  const linked = new Set([resolve.root]);
  // A set goes on to what is added while it is read. Crates of builds and tests are not part of the result.
  for (const id of linked) {
    for (const { pkg, dep_kinds } of dependencies.get(id) ?? []) {
      if (dep_kinds.some(({ kind }) => kind === null)) linked.add(pkg);
    }
  }
  const crates = packages.filter(({ id }) => linked.has(id) && !ours.includes(id));
  return crates.map(({ name, version, license, manifest_path }) => {
    const folder = dirname(manifest_path);
    return { name, version, licence: license?.split(OR).join(' OR ') ?? namedBy(folder), folder };
  });
}

/** An old form of OR in the licence of a crate. */
const OR = / *\/ */;

/**
 * @param {string} folder of a crate whose manifest names a file in place of a licence
 * @returns {string} the licence by the first words of its text
 */
function namedBy(folder) {
  const isApache = /^\s*Apache License\s+Version 2\.0,/.test(licencesIn(folder));
  return isApache ? 'Apache-2.0' : 'no licence named';
}

/**
 * @param {ReturnType<typeof cratesOf>} crates
 * @returns {string} the text of the notice
 */
export function cratesNotice(crates) {
  return noticeOf(
    crates.map((crate) => ({ title: titleOf(crate), texts: licencesIn(crate.folder) })),
  );
}
