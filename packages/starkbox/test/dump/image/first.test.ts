// An image of format 1, kept as a file, loads as the same chain: a change of the format needs another number.
//
// The chain has
// a contract of ours instead of the usual accounts and tokens: a deposit from L1 and one that reverted in
// block 2, ten empty blocks, a third deposit in the block under construction, new prices and a set time.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { readImage } from '../../../src/dump/image/read.js';
import { sourceOfBytes } from '../../../src/dump/image/source.js';
import { createChain } from '../../../src/index.js';
import { imageOf, smallWorld } from './small.js';

interface Question {
  readonly method: string;
  readonly params: object;
  readonly result: unknown;
}

const IMAGE = fileURLToPath(new URL('./first.image', import.meta.url));
const questions: readonly Question[] = JSON.parse(
  readFileSync(new URL('./first.json', import.meta.url), 'utf8'),
);

const node = await createChain({ seed: 0, dumpOn: 'request' });
await node.request('devnet_load', { path: IMAGE });
afterAll(() => node.close());

/** The protocol that blocks are said to follow is the one of the node. */
function settled(result: unknown): unknown {
  return JSON.parse(JSON.stringify(result).replaceAll(/"starknet_version":"[^"]*"/g, '"":""'));
}

test.each(questions)('$method $params', async ({ method, params, result }) => {
  expect(settled(await node.requestRaw(method, params))).toEqual(settled(result));
});

test('the calls that made it are there', async () => {
  expect(await node.request('devnet_dump', { inline: true })).toEqual([
    { jsonrpc: '2.0', method: 'devnet_createBlock', params: null, id: 'made by hand' },
  ]);
});

test('prices beyond 2^53 are exact', async () => {
  expect(await node.request('devnet_setGasPrice', {})).toMatchObject({
    l2_gas_price_wei: 1_000_000_000,
    l2_gas_price_fri: 2n ** 70n + 1n,
  });
});

test('the chain continues', async () => {
  const { block_hash } = Object(await node.request('devnet_createBlock'));
  const block = await node.request('starknet_getBlockWithTxHashes', { block_id: { block_hash } });
  expect(block).toMatchObject({ block_number: 13, timestamp: 1_700_001_000 });
  await node.request('devnet_abortBlocks', { starting_block_id: { block_number: 2 } });
  const params = { contract_address: '0x3e55', block_id: 'latest' };
  expect(await node.requestRaw('starknet_getNonce', params)).toBe('0x5');
});

test('an image without history has what the blocks of a state with history changed', async () => {
  const old = await smallWorld();
  const { world } = await readImage(sourceOfBytes(await imageOf({ ...old, keepsHistory: false })));
  expect([0, 1].map((number) => old.history.carriesDiff(number))).toEqual([false, false]);
  expect([0, 1].map((number) => world.history.stateDiff(number))).toEqual([
    old.pendingState.diffTextOf(0),
    old.pendingState.diffTextOf(1),
  ]);
});
