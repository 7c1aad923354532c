// A project that a user makes with one version of the packages and continues with the next.
import assert from 'node:assert/strict';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../cargo.mjs';
import { manifestIn } from '../packages/workspaces.mjs';
import { call, withNode } from './first-minutes.mjs';

const EXAMPLE = join(ROOT, 'examples/token-node-test');
const ADDRESS = '0xabc';
const NODE = process.execPath;

/**
 * What a chain is like at one moment.
 *
 * @typedef {{ number: unknown, hash: unknown, balance: unknown }} Facts
 */

/**
 * @param {string} url
 * @returns {Promise<Facts>}
 */
async function factsOf(url) {
  const block = await call(url, 'starknet_blockHashAndNumber', {});
  const { amount } = await call(url, 'devnet_getAccountBalance', { address: ADDRESS, unit: 'FRI' });
  return { number: block.block_number, hash: block.block_hash, balance: amount };
}

/**
 * Writes the example with node:test into a folder, with no dependencies yet.
 *
 * @param {string} folder
 * @returns {string} the package of starknet.js that the example uses, with its version
 */
export function writeProject(folder) {
  for (const file of ['contracts', 'token.test.js']) {
    cpSync(join(EXAMPLE, file), join(folder, file), { recursive: true });
  }
  const manifest = { name: 'project', version: '1.0.0', private: true, type: 'module' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const { starknet } = Object(manifestIn(EXAMPLE)['devDependencies']);
  return `starknet@${starknet}`;
}

/**
 * Makes a data directory with three blocks, an image and a journal of it, by the installed version.
 *
 * @param {string} folder of the project
 * @returns {Promise<Facts>}
 */
export async function makeChain(folder) {
  const facts = await withNode(
    folder,
    NODE,
    async (url) => {
      for (const amount of [1, 20, 300]) {
        await call(url, 'devnet_mint', { address: ADDRESS, amount, unit: 'FRI' });
      }
      for (const format of ['image', 'journal']) {
        await call(url, 'devnet_dump', { path: join(folder, `chain.${format}`), format });
      }
      return factsOf(url);
    },
    ['--data-dir', join(folder, 'data')],
  );
  assert.equal(facts.balance, '321');
  return facts;
}

/**
 * Continues with the data directory, the image and the journal of another version.
 *
 * @param {string} folder of the project
 * @param {Facts} facts what the other version has left
 */
export async function continueChain(folder, facts) {
  const isSame = async (/** @type {string} */ url) => {
    assert.deepEqual(await factsOf(url), facts);
    const mint = { address: ADDRESS, amount: 1, unit: 'FRI' };
    assert.equal((await call(url, 'devnet_mint', mint)).new_balance, '322');
  };
  await withNode(folder, NODE, isSame, ['--data-dir', join(folder, 'data')]);
  for (const format of ['image', 'journal']) {
    await withNode(folder, NODE, async (url) => {
      await call(url, 'devnet_load', { path: join(folder, `chain.${format}`) });
      await isSame(url);
    });
  }
}

/**
 * @param {string} folder of the project
 * @returns {string[]} the images of its prepared fixtures
 */
export function fixtureImages(folder) {
  const cache = join(folder, 'node_modules/.cache/starkbox');
  return readdirSync(cache).filter((name) => name.endsWith('.image'));
}
