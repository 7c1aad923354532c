// How our scripts call cargo. With another target, profile or target folder, each would compile the whole sequencer
// again.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writePatchedCrates } from './engine-changes.mjs';
import { CACHE } from './processes.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const ENGINE = join(ROOT, 'packages', 'engine');
export const ENGINE_WASM = join(ROOT, 'packages', 'engine-wasm');
/** By name, because the patched crate in the work tree is not ours to format or to lint. */
export const OUR_CRATES = ['--package', 'starkbox-engine', '--package', 'starkbox-engine-core'];

/** Outside of the work tree, so that clones and clean checkouts share compiled crates. */
export const TARGET_DIR = process.env['CARGO_TARGET_DIR'] ?? join(CACHE, 'target');

/** @returns {string} the host's target triple */
export function hostTriple() {
  const host = /^host: (.+)$/m.exec(execFileSync('rustc', ['-vV'], { encoding: 'utf8' }))?.[1];
  if (host === undefined) throw new Error('rustc -vV names no host');
  return host;
}

/**
 * Runs a command with our target folder and ends this process with its status if it fails.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 * @param {Readonly<Record<string, string>>} variables of the environment
 */
export function run(command, args, cwd = ROOT, variables = {}) {
  console.log(`$ ${command} ${args.join(' ')}`);
  try {
    execFileSync(command, args, {
      cwd,
      stdio: 'inherit',
      env: { ...process.env, ...variables, CARGO_TARGET_DIR: TARGET_DIR },
    });
  } catch (error) {
    const status = error instanceof Error && 'status' in error ? error.status : null;
    if (typeof status !== 'number') throw error;
    process.exit(status);
  }
}

/**
 * Runs cargo, or a command that calls it, after the patched crates were written.
 *
 * @type {typeof run}
 */
export function runCargo(command, args, cwd, variables) {
  writePatchedCrates();
  run(command, args, cwd, variables);
}
