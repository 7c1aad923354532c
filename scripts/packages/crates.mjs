// Notice of the crates that the binaries of the engine contain, with their licences.
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { licencesIn, noticeOf } from '../bundle/third-party.mjs';
import { ENGINE } from '../cargo.mjs';

/**
 * @typedef {object} Metadata what cargo says of the packages
 * @property {{ id: string, name: string, version: string, license: string | null, manifest_path: string, source: string | null }[]} packages
 * @property {{ root: string, nodes: { id: string, deps: { pkg: string, dep_kinds: { kind: string | null }[] }[] }[] }} resolve
 */

/**
 * @param {string} target what Rust calls the platform
 * @returns {string} the text of the notice
 */
export function cratesNotice(target) {
  const args = ['metadata', '--format-version', '1', '--locked', '--filter-platform', target];
  /** @type {Metadata} */
  const { packages, resolve } = JSON.parse(
    execFileSync('cargo', args, { cwd: ENGINE, encoding: 'utf8', maxBuffer: 2 ** 28 }),
  );
  const dependencies = new Map(resolve.nodes.map(({ id, deps }) => [id, deps]));
  const found = new Set([resolve.root]);
  // A set goes on to what is added while it is read. Crates of builds and tests are not part of the result.
  for (const id of found) {
    for (const { pkg, dep_kinds } of dependencies.get(id) ?? []) {
      if (dep_kinds.some(({ kind }) => kind === null)) found.add(pkg);
    }
  }
  const crates = packages.filter(({ id, source }) => found.has(id) && source !== null);
  return noticeOf(
    crates.map(({ name, version, license, manifest_path }) => ({
      title: `${name} ${version} (${license ?? 'no licence named'})`,
      texts: licencesIn(dirname(manifest_path)),
    })),
  );
}
