// What a user does in the first minutes: the quick start, the library, a test, the explorer, a coding agent.
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../cargo.mjs';
import { manifestIn } from '../packages/workspaces.mjs';
import { runText } from '../processes.mjs';
import { npmInstall } from './installation.mjs';
import { projectByCreate, projectByInit } from './new-project.mjs';
import { environmentOf, linesOf, startCommand, stop } from './processes.mjs';

/** @typedef {Parameters<typeof npmInstall>[2]} Packed */

const LIBRARY = `
import { createChain } from 'starkbox';
const chain = await createChain({ seed: 0 });
const { balance } = await chain.mint('0xabc', 1000n);
if (balance !== 1000n) throw new Error('minted ' + balance);
await chain.close();
`;

/**
 * Starts the installed command, and ends it after its use.
 *
 * @template T
 * @param {string} folder
 * @param {string} node
 * @param {(url: string) => Promise<T>} use
 * @returns {Promise<T>}
 */
async function withNode(folder, node, use) {
  const child = startCommand(folder, node, ['--seed', '0', '--port', '0', '--ui']);
  try {
    const line = await linesOf(child.stdout)((text) => /listening on /i.test(text));
    return await use(`http://${/(?:http:\/\/)?([\w.:[\]]+:\d+)/.exec(line)?.[1]}`);
  } finally {
    await stop(child);
  }
}

/**
 * @param {string} url
 * @param {string} method
 * @param {object} params
 */
async function call(url, method, params) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = JSON.parse(await response.text());
  if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}

/**
 * Runs the first test of the README.
 *
 * @param {string} folder of an installation
 * @param {string} node
 * @returns {{ passed: number, failed: number }}
 */
export function firstTest(folder, node) {
  const page = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, file = '', code] = /^```js file: (\S+)\n([\s\S]*?)^```$/m.exec(page) ?? [];
  if (code === undefined) throw new Error('README.md has no test');
  writeFileSync(join(folder, file), code);
  const args = ['--test', '--test-reporter=tap', file];
  const { stdout } = spawnSync(node, args, { cwd: folder, encoding: 'utf8' });
  process.stdout.write(stdout);
  const count = (/** @type {string} */ name) =>
    Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(stdout)?.[1]);
  return { passed: count('pass'), failed: count('fail') };
}

/**
 * Starts a node and has a transaction accepted.
 *
 * @param {string} folder where starkbox is installed
 * @param {string} node
 * @returns {Promise<number>} the seconds until then
 */
export async function firstTransaction(folder, node) {
  const start = performance.now();
  let seconds = 0;
  await withNode(folder, node, async (url) => {
    const mint = { address: '0xabc', amount: 1000, unit: 'FRI' };
    const { tx_hash: transaction_hash } = await call(url, 'devnet_mint', mint);
    const status = await call(url, 'starknet_getTransactionStatus', { transaction_hash });
    if (status.finality_status !== 'ACCEPTED_ON_L2') throw new Error(JSON.stringify(status));
    seconds = (performance.now() - start) / 1000;
  });
  return seconds;
}

/**
 * Runs the tests of an example below an installation, whose packages it finds.
 *
 * @param {string} name
 * @param {string} folder of the installation
 * @param {string} node
 */
async function runExample(name, folder, node) {
  const cwd = join(folder, name);
  const isSource = (/** @type {string} */ path) =>
    !['node_modules', 'package-lock.json'].includes(basename(path));
  cpSync(join(ROOT, 'examples', name), cwd, { recursive: true, filter: isSource });
  runText('npm', ['test'], { cwd, env: environmentOf(node) });
}

/**
 * Further ways to use what is installed, by name.
 *
 * @type {Record<string, (folder: string, node: string, packed: Packed) => Promise<void>>}
 */
export const tries = {
  'starkbox init': projectByInit,
  'npm create starkbox': projectByCreate,
  library: async (folder, node) => {
    writeFileSync(join(folder, 'library.mjs'), LIBRARY);
    runText(node, ['library.mjs'], { cwd: folder });
  },
  explorer: (folder, node) =>
    withNode(folder, node, async (url) => {
      const page = await fetch(`${url}/ui`);
      const text = await page.text();
      const script = /src="([^"]+\.js)"/.exec(text)?.[1];
      if (!page.ok || script === undefined) throw new Error(`/ui answered ${page.status}: ${text}`);
      const code = await fetch(new URL(script, page.url));
      if (!code.ok) throw new Error(`${script} answered ${code.status}`);
    }),
  mcp: async (folder, node) => {
    const child = startCommand(folder, node, ['mcp']);
    try {
      const line = linesOf(child.stdout);
      const ask = async (
        /** @type {number} */ id,
        /** @type {string} */ method,
        /** @type {object} */ params,
      ) => {
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
        return JSON.parse(await line((text) => JSON.parse(text).id === id)).result;
      };
      const clientInfo = { name: 'rehearsal', version: '1.0.0' };
      await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
      child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
      const started = await ask(2, 'tools/call', { name: 'start_chain', arguments: {} });
      if (started.isError) throw new Error(JSON.stringify(started));
      const docs = await ask(3, 'tools/call', { name: 'read_docs', arguments: {} });
      if (docs.isError) throw new Error(JSON.stringify(docs));
    } finally {
      await stop(child);
    }
  },
  'test with a fixture': async (folder, node, packed) => {
    const { starknet = '' } = manifestIn(ROOT).devDependencies ?? {};
    npmInstall(folder, node, packed, ['starkbox', '@starkbox/testing'], { starknet });
    await runExample('token-node-test', folder, node);
  },
};

/** @type {Record<string, (folder: string, node: string) => Promise<void>>} */
export const wasmTries = {
  'first test of the README': async (folder, node) => {
    const { passed, failed } = firstTest(folder, node);
    if (passed === 0 || failed > 0) throw new Error(`${passed} passed, ${failed} failed`);
  },
  'example of vitest': (folder, node) => runExample('token-vitest', folder, node),
  'example of node:test': (folder, node) => runExample('token-node-test', folder, node),
};
