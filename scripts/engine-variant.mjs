// Builds of the addon for tests and comparisons. They lie in cargo's target folder, so that no package can hold them.
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { hostTriple, runCargo, TARGET_DIR } from './cargo.mjs';
import { changedCrates, PATCHED, writePatchedCrates } from './engine-changes.mjs';

/** What the library is called on Linux, macOS and Windows. */
const LIBRARIES = ['libstarkbox_engine.so', 'libstarkbox_engine.dylib', 'starkbox_engine.dll'];

/**
 * @param {string} name of the variant
 * @param {object} options
 * @param {readonly string[]} [options.features] of the engine's crates
 * @param {import('./engine-changes.mjs').Executor} [options.executor]
 * @param {string} [options.profile] of cargo
 * @returns {string} the file of the addon
 */
export function buildVariant(name, { features = [], executor = 'optimized', profile = 'release' }) {
  const target = hostTriple();
  runCargo('cargo', [
    'build',
    '--locked',
    ...['--package', 'starkbox-engine'],
    ...['--profile', profile],
    ...['--target', target],
    '--lib',
    ...features.flatMap((feature) => ['--features', feature]),
    ...(executor === 'published' ? publishedCrates() : []),
  ]);
  const libraries = LIBRARIES.map((file) => join(TARGET_DIR, target, profile, file));
  const library = libraries.find((file) => existsSync(file));
  if (library === undefined) throw new Error(`cargo built none of ${libraries.join(', ')}`);
  const folder = join(TARGET_DIR, 'variants', name);
  const addon = join(folder, 'starkbox-engine.node');
  mkdirSync(folder, { recursive: true });
  copyFileSync(library, addon);
  return addon;
}

/** @returns {string[]} options of cargo that put crates without our optimizations in place of ours */
function publishedCrates() {
  writePatchedCrates('published');
  return changedCrates().flatMap(({ name }) => [
    '--config',
    `patch.crates-io.${name}.path=${JSON.stringify(join(PATCHED.published, name))}`,
  ]);
}
