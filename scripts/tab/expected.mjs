// What the tour of `starkbox/browser` must return: the results of the native engine for the same calls.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../cargo.mjs';

const RECEIVER = '0x123';
const SOURCE = 'contracts/src/counter.cairo';

/**
 * @typedef {typeof import('../../packages/starkbox/dist/index.js').createChain} CreateChain
 * @typedef {import('../../packages/starkbox/dist/index.js').LocalChain} LocalChain
 */

/**
 * @param {LocalChain} node
 * @returns {Promise<Uint8Array>} its chain
 */
export async function imageOf(node) {
  const dump = await node.request('devnet_dump', { format: 'image', inline: true });
  if (!('image' in dump)) throw new Error('the node has no image');
  return Buffer.from(dump.image, 'base64');
}

/**
 * @param {CreateChain} createChain
 * @param {LocalChain} node that the tour forks, and whose image it loads
 * @returns {Promise<Readonly<Record<string, unknown>>>} results by their names; a pattern stands for a longer string
 */
export async function expectedTour(createChain, node) {
  const chain = await createChain({ seed: 0, accounts: 2, startTime: 1_700_000_000 });
  const { transactionHash } = await chain.mint(RECEIVER, 5n);
  const { classHash } = await chain.declare(join(ROOT, 'contracts/cairo/counter.sierra.json'));
  const { address } = await chain.deploy({ classHash, calldata: [41] });
  await chain.close();
  await node.mint(RECEIVER, 100n);
  const block_id = { block_number: 1 };
  const block = await node.request('starknet_getBlockWithTxHashes', { block_id });
  const hash = 'block_hash' in block ? block.block_hash : undefined;
  const lines = readFileSync(join(ROOT, SOURCE), 'utf8').split('\n');
  const line = lines.findIndex((text) => text.includes('panic_with_felt252')) + 1;
  return {
    loaded: statSync(join(ROOT, 'packages/engine-wasm/engine.wasm')).size,
    minted: transactionHash,
    counter: { classHash, address, count: '41' },
    balance: '0xc',
    heard: 5,
    explanation: /increase panicked with 'counter: amount is 0'/,
    line: { file: SOURCE, line, excerpt: 13 },
    moments: { before: 5, heights: [8, 6], after: 5, instances: 0 },
    image: { isSameHeight: true, accounts: 2, balance: '13' },
    nodeImage: { height: 1, hash, accounts: node.accounts.length },
    isShared: true,
    heads: [6, 7],
    fork: { balance: '101', block: 3, hash },
    unreachable: /the server must run, and allow this site by CORS headers/,
    rejected: /'dataDir' is not an option in a browser.*saveImage/,
    invalid: /a value does not fit the specification of devnet_mint/,
    missing: /missing\.wasm: the server responded with 404\. Install @starkbox\/engine-wasm/,
    closed: /The chain is closed\. Create another chain/,
    globals: [],
    isIsolated: false,
  };
}
