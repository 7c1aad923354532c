// Bills of materials of the published packages, in the form of CycloneDX 1.6.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../cargo.mjs';
import { changedCrates } from '../engine-changes.mjs';

/** @import { Part } from '../bundle/third-party.mjs' */

/** The name of the file in the folder of a staged package. It is not packed. */
export const BILL = 'sbom.cdx.json';

/**
 * @typedef {object} Materials of a package
 * @property {readonly Part[]} packages whose code is bundled
 * @property {readonly Part[]} crates that the binaries contain
 * @property {readonly Part[]} classes of other authors
 */

/**
 * @param {import('./workspaces.mjs').Manifest} manifest
 * @param {Materials} materials
 */
export function billOf(manifest, { packages, crates, classes }) {
  const { name, version, license: licence = 'MIT' } = manifest;
  const sums = lockSums();
  const declared = [
    ...Object.entries(manifest.dependencies ?? {}).map((dependency) => [...dependency, 'required']),
    ...Object.entries(Object(manifest['optionalDependencies'])).map((dependency) => [
      ...dependency,
      'optional',
    ]),
  ];
  const components = [
    ...packages.map((part) => component(npmUrl(part.name, part.version), part, sums)),
    ...crates.map((part) => component(`pkg:cargo/${part.name}@${part.version}`, part, sums)),
    ...classes.map((part) => ({
      type: 'file',
      'bom-ref': `class:${part.name}`,
      name: part.name,
      version: part.version,
      licenses: [{ expression: part.licence }],
    })),
    ...declared.map(([dependency = '', of = '', scope]) => ({
      type: 'library',
      'bom-ref': npmUrl(dependency, of),
      name: dependency,
      version: of,
      purl: npmUrl(dependency, of),
      scope,
    })),
  ];
  const self = npmUrl(name, version);
  const licenses = [{ expression: licence }];
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: { type: 'library', 'bom-ref': self, name, version, purl: self, licenses },
    },
    components: [...new Map(components.map((part) => [part['bom-ref'], part])).values()],
  };
}

/**
 * @param {string} url
 * @param {Part} part
 * @param {ReadonlyMap<string, { alg: string, content: string }>} sums by URL
 */
function component(url, { name, version, licence }, sums) {
  const sum = sums.get(url);
  return {
    type: 'library',
    'bom-ref': url,
    name,
    version,
    purl: url,
    licenses: [{ expression: licence }],
    ...(sum === undefined ? {} : { hashes: [sum] }),
  };
}

/** @param {string} name @param {string} version */
function npmUrl(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/**
 * @typedef {readonly [url: string, sum: { alg: string, content: string }]} Sum
 */

/** @type {ReadonlyMap<Sum[0], Sum[1]> | undefined} */
let readSums;

/** Checksums of both lock files by URL, which are read once for all packages. */
function lockSums() {
  readSums ??= new Map([...npmSums(), ...crateSums()]);
  return readSums;
}

/** @returns {Sum[]} checksums of the lock file of npm */
function npmSums() {
  /** @type {{ packages: Record<string, { version?: string, integrity?: string }> }} */
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return Object.entries(packages).flatMap(([path, { version, integrity }]) => {
    const [algorithm, sum] = (integrity ?? '').split('-');
    if (version === undefined || algorithm !== 'sha512' || sum === undefined) return [];
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const content = Buffer.from(sum, 'base64').toString('hex');
    return [/** @type {Sum} */ ([npmUrl(name, version), { alg: 'SHA-512', content }])];
  });
}

/** @returns {Sum[]} checksums of the lock file of cargo, and of the crates that we change */
function crateSums() {
  const lock = readFileSync(join(ROOT, 'Cargo.lock'), 'utf8');
  const entry = /^name = "(.+)"\nversion = "(.+)"\nsource = ".+"\nchecksum = "(.+)"$/gm;
  const locked = [...lock.matchAll(entry)].map(([, name, version, content = '']) => {
    return /** @type {Sum} */ ([`pkg:cargo/${name}@${version}`, { alg: 'SHA-256', content }]);
  });
  const changed = changedCrates().map(({ name, version, sha256 }) => {
    return /** @type {Sum} */ ([
      `pkg:cargo/${name}@${version}`,
      { alg: 'SHA-256', content: sha256 },
    ]);
  });
  return [...locked, ...changed];
}

/**
 * Classes of other authors in a package.
 *
 * @param {string} folder of the package
 * @returns {Part[]}
 */
export function classesIn(folder) {
  const index = join(folder, 'classes', 'index.json');
  if (!existsSync(index)) return [];
  /** @type {{ classes: { name: string, class_hash: string, licence: string }[] }} */
  const { classes } = JSON.parse(readFileSync(index, 'utf8'));
  return classes.map(({ name, class_hash, licence }) => ({ name, version: class_hash, licence }));
}
