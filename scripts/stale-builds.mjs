// Names built files that are older than their sources. Tests of the command, of pages and of the engine use built files,
// and fail oddly if these are stale.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINE_SOURCES } from './built-engine.mjs';
import { ENGINE, ROOT } from './cargo.mjs';

/**
 * A later output stands for an earlier one: the bundle is made of what tsc has written.
 *
 * @type {readonly { name: string, outputs: readonly string[], sources: readonly string[], command: string }[]}
 */
const BUILDS = [
  {
    name: 'the engine',
    outputs: readdirSync(ENGINE)
      .filter((name) => name.endsWith('.node'))
      .map((name) => `packages/engine/${name}`),
    sources: ENGINE_SOURCES,
    command: 'build:engine',
  },
  {
    name: 'the bundle of starkbox',
    outputs: [
      'packages/starkbox/dist/tsconfig.tsbuildinfo',
      'packages/starkbox/dist/bundle/cli.js',
    ],
    sources: ['starkbox/src', 'abi/src', 'engine/js', 'spec/src'].map((path) => `packages/${path}`),
    command: 'build:ts',
  },
  {
    name: 'the explorer',
    outputs: ['packages/starkbox/dist/explorer/index.html'],
    sources: ['explorer/src', 'abi/src', 'debugger/src'].map((path) => `packages/${path}`),
    command: 'build:explorer',
  },
  {
    name: 'the wallet',
    outputs: ['packages/starkbox/dist/wallet/wallet.js'],
    sources: ['wallet/src', 'signing/src'].map((path) => `packages/${path}`),
    command: 'build:wallet',
  },
  {
    name: 'the playground',
    outputs: ['packages/playground/dist/index.html'],
    sources: ['packages/playground/src'],
    command: 'build:playground',
  },
];

/** Builds write fonts and types among the sources. */
const WRITTEN_BY_HAND = /\.(css|html|patch|rs|toml|tsx?)$/;
const KEY = Symbol.for('starkbox.stale-builds');

/** Vitest reads its configuration once for each project. */
export function warnOfStaleBuilds() {
  if (Reflect.has(globalThis, KEY)) return;
  Reflect.set(globalThis, KEY, true);
  for (const sentence of staleBuilds()) console.warn(`Built files: ${sentence}`);
}

/**
 * @param {string} path of a file or folder
 * @returns {number} when it, or the newest file in it, was written
 */
function writtenAt(path) {
  const facts = statSync(path);
  if (facts.isFile()) return facts.mtimeMs;
  const files = readdirSync(path, { recursive: true, withFileTypes: true });
  return Math.max(
    ...files
      .filter((file) => file.isFile() && WRITTEN_BY_HAND.test(file.name))
      .map((file) => statSync(join(file.parentPath, file.name)).mtimeMs),
  );
}

/** @returns {string[]} a sentence for each build that is older than one of its sources */
export function staleBuilds(root = ROOT) {
  return BUILDS.flatMap(({ name, outputs, sources, command }) => {
    const built = outputs.map((path) => join(root, path)).filter((path) => existsSync(path));
    if (built.length === 0) return [];
    const builtAt = Math.max(...built.map(writtenAt));
    const changed = sources.find((path) => writtenAt(join(root, path)) > builtAt);
    if (changed === undefined) return [];
    return [`${name} is older than ${changed}: npm run ${command}`];
  });
}
