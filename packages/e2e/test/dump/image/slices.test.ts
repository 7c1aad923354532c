// While an image of thousands of blocks is loaded or written, other calls are answered.
import { join } from 'node:path';
import { imageOf } from '@starkbox/test-support/fixture';
import { temporaryFolderOfFile } from '@starkbox/test-support/temporary-folder';
import { threadMilliseconds } from '@starkbox/test-support/thread-time';
import { createChain, type LocalChain } from 'starkbox';
import { afterAll, beforeAll, expect, test } from 'vitest';

const folder = temporaryFolderOfFile();
const path = join(folder, 'chain.image');
const BLOCKS = 2000;
let node: LocalChain;
let inline: string;

beforeAll(async () => {
  node = await createChain({ seed: 0, accounts: 1, blockGenerationOn: 'transaction' });
  // Most blocks are empty, because executing takes far longer than all that is tested here.
  for (let count = 0; count < BLOCKS; count += 1) {
    if (count % 5 > 0) await node.request('devnet_createBlock');
    else await node.request('devnet_mint', { address: '0x1', amount: 1 });
  }
  await node.request('devnet_dump', { path, format: 'image' });
  inline = await imageOf(node);
}, 240_000);
afterAll(() => node.close());

/** How a task went by, for another who calls all the time. */
interface Meanwhile {
  /** Calls that were answered in turns of the event loop of their own. */
  readonly answers: number;
  /** Of what this thread computed meanwhile, the part of the longest wait for an answer. */
  readonly longest: number;
}

async function during(task: () => Promise<unknown>): Promise<Meanwhile> {
  let isDone = false;
  const begin = threadMilliseconds();
  const doing = task().finally(() => {
    isDone = true;
  });
  let [answers, longest, last] = [0, 0, begin];
  while (!isDone) {
    await node.request('starknet_blockNumber');
    await new Promise((resolve) => setImmediate(resolve));
    const now = threadMilliseconds();
    longest = Math.max(longest, now - last);
    last = now;
    answers += 1;
  }
  await doing;
  return { answers, longest: longest / (threadMilliseconds() - begin) };
}

test.each([
  ['loading a file', () => node.request('devnet_load', { path })],
  ['loading an image in the call', () => node.request('devnet_load', { image: inline })],
  ['writing an image into the answer', () => node.request('devnet_dump', { format: 'image' })],
  ['writing a file', () => node.request('devnet_dump', { path: `${path}.2`, format: 'image' })],
])('%s answers others', { timeout: 120_000 }, async (_, task) => {
  const { answers, longest } = await during(task);
  expect(answers).toBeGreaterThan(5);
  expect(longest).toBeLessThan(0.5);
  expect(await node.request('starknet_blockNumber')).toBe(BLOCKS);
});
