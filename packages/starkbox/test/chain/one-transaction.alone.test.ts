// Reading one transaction costs the same in a small block and in a large one.
import { startNode } from '@starkbox/test-support';
import { expect, onTestFinished, test, vi } from 'vitest';
import { packNow } from '../../src/chain/history/packed-texts.js';

const unpacked = vi.hoisted(() => ({ bytes: 0 }));

vi.mock('node:zlib', async (original) => {
  const zlib = await original<typeof import('node:zlib')>();
  return {
    ...zlib,
    inflateRawSync: (...args: Parameters<typeof zlib.inflateRawSync>) => {
      const bytes = zlib.inflateRawSync(...args);
      unpacked.bytes += bytes.length;
      return bytes;
    },
  };
});

interface FilledBlock {
  readonly block_number: number;
  readonly hashes: readonly string[];
}

const SIZES = [20, 200] as const;

test('no more of a large block is unpacked for one transaction than of a small one', async () => {
  const { client, node, close } = await startNode({ blockGenerationOn: 'demand' });
  onTestFinished(close);
  const blocks: FilledBlock[] = [];
  for (const size of SIZES) {
    const hashes: string[] = [];
    for (let at = 0; at < size; at += 1) {
      hashes.push((await client.call('devnet_mint', { address: '0x1', amount: 1 })).tx_hash);
    }
    await client.call('devnet_createBlock');
    blocks.push({ block_number: await client.call('starknet_blockNumber'), hashes });
  }
  packNow();
  const [small, large] = blocks;
  if (!small || !large) throw new Error('no blocks');

  const cost = async (ask: () => Promise<unknown>, other: () => Promise<unknown>) => {
    // What was read last is at hand, so something else is read before.
    await other();
    unpacked.bytes = 0;
    await ask();
    return unpacked.bytes;
  };
  const methods = [
    ['starknet_getTransactionByHash', ({ hashes }, at) => ({ transaction_hash: hashes[at] })],
    ['starknet_getTransactionReceipt', ({ hashes }, at) => ({ transaction_hash: hashes[at] })],
    ['starknet_getTransactionStatus', ({ hashes }, at) => ({ transaction_hash: hashes[at] })],
    ['starknet_traceTransaction', ({ hashes }, at) => ({ transaction_hash: hashes[at] })],
    [
      'starknet_getTransactionByBlockIdAndIndex',
      ({ block_number }, index) => ({ block_id: { block_number }, index }),
    ],
  ] satisfies [string, (block: FilledBlock, at: number) => object][];
  for (const [method, params] of methods) {
    const ask = (block: FilledBlock, at: number) => () =>
      node.requestRaw(method, params(block, at));
    const ofSmall = await cost(ask(small, 3), ask(small, 17));
    const ofLarge = await cost(ask(large, 100), ask(large, 190));
    expect(ofSmall, method).toBeGreaterThan(0);
    expect(ofLarge, method).toBeGreaterThan(0);
    expect(ofLarge / ofSmall, method).toBeLessThan(2);
  }
});
