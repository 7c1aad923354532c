// Programs that scripts run, and the folder of those that are installed once.
import { execFile, spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Outside of the work tree, so that clones and clean checkouts share it. */
export const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'starkbox');

/**
 * Runs a program with its output in the terminal; throws if it fails.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 */
export function runVisibly(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { ...options, stdio: 'inherit' });
  if (status === 0) return;
  throw new Error(`${[command, ...args].join(' ')} failed: ${error?.message ?? status}`);
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {string} what it printed
 */
export function runText(command, args, options = {}) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    ...options,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status === 0) return stdout;
  throw new Error(
    `${[command, ...args].join(' ')} failed: ${error?.message ?? `${stdout}${stderr}`}`,
  );
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string }} [options]
 * @returns {Promise<string | undefined>} what it printed if it failed
 */
export function failureOf(command, args, options = {}) {
  return promisify(execFile)(command, args, { ...options, maxBuffer: 2 ** 26 }).then(
    () => undefined,
    (error) => `${error.stdout}${error.stderr}` || error.message,
  );
}

/**
 * @param {string} url of a module
 * @returns {boolean} whether it is the program that Node was started with
 */
export function isMain(url) {
  const [, program] = process.argv;
  return program !== undefined && realpathSync(program) === fileURLToPath(url);
}
