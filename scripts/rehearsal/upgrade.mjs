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
 * Makes a data directory with three blocks and an image of it, and a journal of another chain, by the installed version.
 *
 * @param {string} folder of the project
 * @returns {Promise<{ image: Facts, journal: Facts }>}
 */
export async function makeChains(folder) {
  const make = (/** @type {string} */ format, /** @type {string[]} */ options) =>
    withNode(
      folder,
      NODE,
      async (url) => {
        for (const amount of [1, 20, 300]) {
          await call(url, 'devnet_mint', { address: ADDRESS, amount, unit: 'FRI' });
        }
        await call(url, 'devnet_dump', { path: join(folder, `chain.${format}`), format });
        const facts = await factsOf(url);
        assert.equal(facts.balance, '321');
        return facts;
      },
      options,
    );
  return {
    image: await make('image', ['--data-dir', join(folder, 'data')]),
    journal: await make('journal', ['--dump-on', 'request']),
  };
}

/**
 * Continues with the data directory, the image and the journal of another version.
 *
 * @param {string} folder of the project
 * @param {{ image: Facts, journal: Facts }} chains as the other version has left them
 */
export async function continueChains(folder, { image, journal }) {
  const isSame = async (/** @type {string} */ url, /** @type {Facts} */ facts) => {
    const { hash, ...others } = await factsOf(url);
    // A journal is executed again, in blocks of another time.
    assert.deepEqual({ ...others, hash: facts === journal ? facts.hash : hash }, facts);
    const mint = { address: ADDRESS, amount: 1, unit: 'FRI' };
    assert.equal((await call(url, 'devnet_mint', mint)).new_balance, '322');
  };
  await withNode(folder, NODE, (url) => isSame(url, image), ['--data-dir', join(folder, 'data')]);
  for (const [format, facts] of Object.entries({ image, journal })) {
    await withNode(folder, NODE, async (url) => {
      await call(url, 'devnet_load', { path: join(folder, `chain.${format}`) });
      await isSame(url, facts);
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
