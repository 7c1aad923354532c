// A new project, as its user makes and uses it: created, installed, tested, checked, and deployed to a running node.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runText } from '../processes.mjs';
import { npmInstallListed } from './installation.mjs';
import { environmentOf, linesOf, startGroup, stop } from './processes.mjs';

/** @typedef {Parameters<typeof npmInstallListed>[2]} Packed */

/**
 * Creates a project with `starkbox init`, where starkbox is installed.
 *
 * @param {string} folder where starkbox is installed
 * @param {string} node
 * @param {Packed} packed
 */
export async function projectByInit(folder, node, packed) {
  const env = environmentOf(node);
  runText('npx', ['--no-install', 'starkbox', 'init', 'by-init', '--runner', 'vitest'], {
    cwd: folder,
    env,
  });
  await use(join(folder, 'by-init'), node, packed);
}

/**
 * Creates a project with the package that `npm create starkbox` runs, in an empty folder.
 *
 * @param {string} folder
 * @param {string} node
 * @param {Packed} packed
 */
export async function projectByCreate(folder, node, packed) {
  const file = packed.find(({ name }) => name === 'create-starkbox')?.file;
  if (file === undefined) throw new Error('create-starkbox is not packed');
  const cwd = join(folder, 'by-create');
  mkdirSync(cwd);
  const command = ['exec', '--yes', `--package=${file}`, '--', 'create-starkbox'];
  runText('npm', [...command, '--runner', 'node', '--yes'], { cwd, env: environmentOf(node) });
  await use(cwd, node, packed);
}

/**
 * @param {string} cwd the project
 * @param {string} node
 * @param {Packed} packed
 */
async function use(cwd, node, packed) {
  const env = environmentOf(node);
  const start = performance.now();
  npmInstallListed(cwd, node, packed);
  runText('npm', ['test'], { cwd, env });
  const seconds = (performance.now() - start) / 1000;
  console.log(`npm install and npm test of a new project: ${seconds.toFixed(1)} s`);
  runText('npm', ['run', 'typecheck'], { cwd, env });
  const child = startGroup('npm', ['start', '--', '--port', '0'], { cwd, env });
  try {
    const line = await linesOf(child.stdout)((text) => /listening on /i.test(text));
    const url = /http:\/\/[\w.:[\]]+:\d+/.exec(line)?.[0] ?? '';
    const printed = runText('npm', ['run', '--silent', 'deploy', '--', url], { cwd, env });
    if (!/0x[0-9a-f]{60,}/.test(printed)) throw new Error(`npm run deploy printed ${printed}`);
  } finally {
    await stop(child);
  }
}
