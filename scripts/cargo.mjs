// Cargo flags shared by build and lint: with another target, profile or target folder, each would
// compile the whole sequencer again.
import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const ENGINE = join(ROOT, 'packages', 'engine');

/** Outside of the work tree, so that clones and clean checkouts share compiled crates. */
export const TARGET_DIR =
  process.env['CARGO_TARGET_DIR'] ??
  join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'starkbox', 'target');

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
 */
export function run(command, args, cwd = ROOT) {
  console.log(`$ ${command} ${args.join(' ')}`);
  try {
    execFileSync(command, args, {
      cwd,
      stdio: 'inherit',
      env: { ...process.env, CARGO_TARGET_DIR: TARGET_DIR },
    });
  } catch (error) {
    const status = error instanceof Error && 'status' in error ? error.status : null;
    if (typeof status !== 'number') throw error;
    process.exit(status);
  }
}
