// Installations of our packed packages, and what they weigh.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PLATFORMS, packageFor, WASM_PACKAGE } from '../../packages/engine/dist/platforms.js';
import { ROOT } from '../cargo.mjs';
import { dependenciesOn } from '../pack.mjs';
import { manifestIn } from '../packages/workspaces.mjs';
import { runText } from '../processes.mjs';
import { environmentOf } from './processes.mjs';

const OPTIONS = ['--prefer-offline', '--no-audit', '--no-fund'];

/**
 * @param {string} folder
 * @param {string} node
 * @param {Parameters<typeof dependenciesOn>[0]} packed
 * @param {readonly string[]} names of our packages
 * @param {Record<string, string>} [others] further packages with their versions
 */
export function npmInstall(folder, node, packed, names, others = {}) {
  const { dependencies, overrides } = dependenciesOn(packed, names);
  const manifest = {
    name: 'rehearsal',
    version: '1.0.0',
    private: true,
    type: 'module',
    dependencies: { ...dependencies, ...others },
    overrides,
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  runText('npm', ['install', ...OPTIONS], { cwd: folder, env: environmentOf(node) });
}

/**
 * Installs ours with the WebAssembly engine. Without their files, packages of platforms are not installed.
 *
 * @param {string} folder
 * @param {string} node
 * @param {Parameters<typeof dependenciesOn>[0]} packed
 */
export function npmInstallWasm(folder, node, packed) {
  const native = Object.keys(PLATFORMS).map(packageFor);
  const portable = packed.filter(({ name }) => !native.includes(name));
  const { starknet = '', vitest = '' } = manifestIn(ROOT).devDependencies ?? {};
  const names = ['starkbox', '@starkbox/testing', WASM_PACKAGE];
  npmInstall(folder, node, portable, names, { starknet, vitest });
  const ours = readdirSync(join(folder, 'node_modules/@starkbox'));
  const engines = ours.filter((name) => name.startsWith('engine-'));
  if (engines.join() !== basename(WASM_PACKAGE))
    throw new Error(`installed: ${engines.join(', ')}`);
}

/**
 * Installs the packages that the package.json of a folder lists, ours from their packed files.
 *
 * @param {string} folder
 * @param {string} node
 * @param {Parameters<typeof dependenciesOn>[0]} packed
 */
export function npmInstallListed(folder, node, packed) {
  const manifest = manifestIn(folder);
  const listed = { ...manifest.dependencies, ...manifest.devDependencies };
  const ours = Object.keys(listed).filter((name) => packed.some((each) => each.name === name));
  const others = Object.entries(listed).filter(([name]) => !ours.includes(name));
  const { dependencies, overrides } = dependenciesOn(packed, ours);
  const installed = {
    ...manifest,
    dependencies: { ...Object.fromEntries(others), ...dependencies },
    devDependencies: {},
    overrides,
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(installed, null, 2)}\n`);
  runText('npm', ['install', ...OPTIONS], { cwd: folder, env: environmentOf(node) });
}

/**
 * @param {string} folder
 * @returns {number} bytes of its files; linked ones count where they are
 */
export function bytesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/**
 * @param {string} modules a folder where npm has installed packages
 * @returns {Readonly<Record<string, { hasInstallScript?: boolean }>>} the packages by their paths
 */
export function packagesIn(modules) {
  return JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages;
}

/**
 * @param {string} folder
 * @returns {{ megabytes: number, packages: number }} what npm has installed there
 */
export function installed(folder) {
  const modules = join(folder, 'node_modules');
  return {
    megabytes: Math.round(bytesIn(modules) / 1e5) / 10,
    packages: Object.keys(packagesIn(modules)).length,
  };
}
