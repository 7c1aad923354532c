// Installer of starknet.py for its test: a virtual environment in the user's cache, one for each list of requirements.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './cargo.mjs';
import { CACHE, isMain, runVisibly } from './processes.mjs';

const REQUIREMENTS = join(ROOT, 'packages/e2e/test/versions/requirements.txt');

/** @returns {string} the environment's folder; it exists only when complete */
function folder() {
  const recipe = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex');
  return join(CACHE, `starknet-py-${recipe.slice(0, 16)}`);
}

/** @returns {string | undefined} the Python that has starknet.py, undefined before the installation */
export function installedPython() {
  const python = join(folder(), 'bin', 'python');
  return existsSync(python) ? python : undefined;
}

/** Makes the environment as a whole or not at all. */
function install() {
  const partial = `${folder()}.partial`;
  mkdirSync(CACHE, { recursive: true });
  rmSync(partial, { recursive: true, force: true });
  runVisibly('python3', ['-m', 'venv', partial]);
  runVisibly(join(partial, 'bin', 'python'), [
    ...['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'],
    ...['--requirement', REQUIREMENTS],
  ]);
  renameSync(partial, folder());
}

if (isMain(import.meta.url)) {
  try {
    if (installedPython() === undefined) install();
    console.log(`starknet.py is in ${folder()}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    console.error(
      `starknet-py: ${reason}\n  What to do: install Python 3.10 or later with its venv module (apt-get install python3-venv), and let this machine reach PyPI.`,
    );
    process.exitCode = 1;
  }
}
