// A new project, as its user makes and uses it: created, installed, tested, checked, and deployed to a running node.
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ROOT } from '../cargo.mjs';
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
  const cwd = join(folder, 'by-init');
  runText('npx', ['--no-install', 'starkbox', 'init', 'by-init', '--runner', 'node'], {
    cwd: folder,
    env,
  });
  const start = performance.now();
  npmInstallListed(cwd, node, packed);
  runText('npm', ['test'], { cwd, env });
  const seconds = (performance.now() - start) / 1000;
  console.log(`npm install and npm test of a new project: ${seconds.toFixed(1)} s`);
  await use(cwd, node);
}

/**
 * Creates a project by the commands of the documentation, beside a folder with all packed files.
 *
 * @param {string} _folder not used, because npm finds files from the project around a folder
 * @param {string} node
 * @param {Packed} packed
 */
export async function projectByCreate(_folder, node, packed) {
  const file = packed.find(({ name }) => name === 'create-starkbox')?.file;
  if (file === undefined) throw new Error('create-starkbox is not packed');
  const cwd = mkdtempSync(join(tmpdir(), 'starkbox-new-project-'));
  try {
    symlinkSync(resolve(dirname(file)), join(cwd, 'packed'));
    const options = { npm_config_prefer_offline: 'true', npm_config_audit: 'false' };
    runText('sh', ['-e', '-c', packedCommands()], {
      cwd,
      env: { ...environmentOf(node), ...options },
    });
    await use(join(cwd, 'my-vault'), node);
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

/** The commands that a reader types before the packages are published. */
function packedCommands() {
  const page = readFileSync(join(ROOT, 'docs/start/new-project.md'), 'utf8');
  const [, commands] = /^### From packed files$.*?^```sh .*?$\n(.*?)^```$/ms.exec(page) ?? [];
  if (commands === undefined) throw new Error('the page has no commands for packed files');
  return commands;
}

/**
 * Checks a project that is installed, and deploys it.
 *
 * @param {string} cwd the project
 * @param {string} node
 */
async function use(cwd, node) {
  const env = environmentOf(node);
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
