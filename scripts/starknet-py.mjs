// Installer of starknet.py for its test: a virtual environment in the user's cache, one for each list of requirements.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REQUIREMENTS = fileURLToPath(
  new URL('../packages/e2e/test/versions/requirements.txt', import.meta.url),
);

/** @returns {string} the environment's folder; it exists only when complete */
function folder() {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const recipe = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex');
  return join(cache, 'starkbox', `starknet-py-${recipe.slice(0, 16)}`);
}

/** @returns {string | undefined} the Python that has starknet.py, undefined before the installation */
export function installedPython() {
  const python = join(folder(), 'bin', 'python');
  return existsSync(python) ? python : undefined;
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) {
    throw new Error(`${[command, ...args].join(' ')} failed: ${error?.message ?? status}`);
  }
}

function install() {
  const target = folder();
  const marker = `${target}.partial`;
  mkdirSync(dirname(target), { recursive: true });
  rmSync(marker, { recursive: true, force: true });
  run('python3', ['-m', 'venv', marker]);
  run(join(marker, 'bin', 'python'), [
    ...['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'],
    ...['--requirement', REQUIREMENTS],
  ]);
  renameSync(marker, target);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    if (installedPython() === undefined) install();
    console.log(`starknet.py is in ${folder()}`);
  } catch (error) {
    console.error(
      `starknet-py: ${error instanceof Error ? error.message : error}\n  What to do: install Python 3.10 or later with its venv module (apt-get install python3-venv), and let this machine reach PyPI.`,
    );
    process.exitCode = 1;
  }
}
