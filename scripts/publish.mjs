#!/usr/bin/env node
// Publishes the packed packages of a folder to a registry, each after the packages of ours that it needs.
//
//   node scripts/publish.mjs FOLDER --registry URL
//   node scripts/publish.mjs FOLDER --registry URL --provenance        signed by the CI system that runs it
//   node scripts/publish.mjs FOLDER --registry URL --some-platforms    without engines that FOLDER does not have
//
// `node scripts/pack.mjs FOLDER` writes the files, and npm must be logged in to the registry. A run that was interrupted
// can be repeated: a version that the registry has with the same content is skipped, and one with other content
// ends the run before anything is published. The release workflow checks out this file alone: it imports only modules
// of Node.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * @typedef {object} Tarball
 * @property {string} file
 * @property {string} name
 * @property {string} version
 * @property {string} integrity as npm writes it
 * @property {Readonly<Record<string, string>>} dependencies of ours, with their versions
 * @property {Readonly<Record<string, string>>} optionalDependencies of ours: the engines of platforms
 */

const USAGE =
  'Usage: node scripts/publish.mjs FOLDER --registry URL [--provenance] [--some-platforms]';

/**
 * @param {string} folder
 * @returns {Tarball[]} the packed packages in it
 */
function tarballsIn(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  if (files.length === 0) {
    throw new Error(`${folder} has no packed packages: run node scripts/pack.mjs ${folder}`);
  }
  return files.map((name) => readTarball(resolve(folder, name)));
}

/**
 * @param {string} file
 * @returns {Tarball}
 */
function readTarball(file) {
  const { status, stdout, stderr } = spawnSync('tar', ['-xOzf', file, 'package/package.json'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${file} is no packed package: ${stderr.trim()}`);
  const { name, version, dependencies, optionalDependencies } = Object(JSON.parse(stdout));
  const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  return {
    file,
    name,
    version,
    integrity,
    dependencies: ours(dependencies),
    optionalDependencies: ours(optionalDependencies),
  };
}

/**
 * @param {Readonly<Record<string, string>>} [dependencies]
 * @returns {Record<string, string>} those that this repository publishes
 */
function ours(dependencies = {}) {
  return Object.fromEntries(
    Object.entries(dependencies).filter(
      ([name]) => name === 'starkbox' || name.startsWith('@starkbox/'),
    ),
  );
}

/**
 * @param {readonly Tarball[]} tarballs
 * @returns {Tarball[]} each after those that it depends on
 */
function inOrder(tarballs) {
  const byName = new Map(tarballs.map((tarball) => [tarball.name, tarball]));
  /** @type {Set<Tarball>} */
  const ordered = new Set();
  const add = (/** @type {Tarball | undefined} */ tarball, /** @type {string[]} */ path) => {
    if (tarball === undefined || ordered.has(tarball)) return;
    if (path.includes(tarball.name)) {
      throw new Error(`packages depend on each other: ${[...path, tarball.name].join(' → ')}`);
    }
    const needed = { ...tarball.optionalDependencies, ...tarball.dependencies };
    for (const name of Object.keys(needed)) add(byName.get(name), [...path, tarball.name]);
    ordered.add(tarball);
  };
  for (const tarball of tarballs) add(tarball, []);
  return [...ordered];
}

/**
 * @param {URL} registry
 * @param {string} name
 * @param {string} version
 * @returns {Promise<string | undefined>} the integrity of a published version; undefined if the registry has none
 */
async function publishedIntegrity(registry, name, version) {
  const response = await fetch(new URL(name.replace('/', '%2f'), registry), {
    headers: { accept: 'application/vnd.npm.install-v1+json' },
  });
  if (response.status === 404) return undefined;
  if (!response.ok) {
    throw new Error(
      `${registry} returned ${response.status} for ${name}: ${await response.text()}`,
    );
  }
  const { versions } = Object(await response.json());
  return Object(versions)[version]?.dist?.integrity;
}

/**
 * @param {readonly Tarball[]} tarballs
 * @param {URL} registry
 * @param {boolean} allowsMissingPlatforms
 * @returns {Promise<{ missing: Tarball[], present: Tarball[], faults: string[] }>}
 */
async function compare(tarballs, registry, allowsMissingPlatforms) {
  const faults = [];
  const missing = [];
  const present = [];
  for (const tarball of tarballs) {
    const { name, version, integrity } = tarball;
    const existing = await publishedIntegrity(registry, name, version);
    if (existing === undefined) missing.push(tarball);
    else if (existing === integrity) present.push(tarball);
    else faults.push(`${name}@${version} is published with other content: raise the version`);
  }
  const versions = new Map(tarballs.map(({ name, version }) => [name, version]));
  for (const tarball of tarballs) {
    const optional = allowsMissingPlatforms ? {} : tarball.optionalDependencies;
    for (const [name, version] of Object.entries({ ...tarball.dependencies, ...optional })) {
      if (versions.get(name) === version) continue;
      if ((await publishedIntegrity(registry, name, version)) !== undefined) continue;
      faults.push(
        `${tarball.name} needs ${name}@${version}, which is neither packed nor published`,
      );
    }
  }
  return { missing, present, faults };
}

/**
 * @param {Tarball} tarball
 * @param {URL} registry
 * @param {boolean} hasProvenance
 */
function publish({ file, name, version }, registry, hasProvenance) {
  const options = [
    '--ignore-scripts',
    '--access=public',
    `--registry=${registry}`,
    // The manifests ask for provenance, which npm makes on a few CI systems only.
    ...(hasProvenance ? ['--provenance'] : ['--no-provenance', '--loglevel=warn']),
  ];
  const { status, error } = spawnSync('npm', ['publish', file, ...options], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0)
    throw new Error(`${name}@${version}: ${error?.message ?? 'npm publish failed'}`);
  console.log(`${name}@${version}: published`);
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      registry: { type: 'string' },
      provenance: { type: 'boolean', default: false },
      'some-platforms': { type: 'boolean', default: false },
    },
  });
  const [folder] = positionals;
  if (folder === undefined || positionals.length > 1 || values.registry === undefined) {
    console.error(USAGE);
    return 2;
  }
  const registry = new URL(values.registry.replace(/\/*$/, '/'));
  const tarballs = inOrder(tarballsIn(folder));
  const { missing, present, faults } = await compare(tarballs, registry, values['some-platforms']);
  for (const { name, version } of present) {
    console.log(`${name}@${version}: skipped, the registry has the same content`);
  }
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) {
    console.error(`Nothing was published: ${faults.length} of the packages cannot be.`);
    return 1;
  }
  for (const [at, tarball] of missing.entries()) {
    try {
      publish(tarball, registry, values.provenance);
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      console.error(`${at} of ${missing.length} were published. Run this again to continue.`);
      return 1;
    }
  }
  console.log(`${missing.length} published, ${present.length} skipped`);
  return 0;
}

process.exitCode = await main();
