// The time of a start: it begins when clients can connect, unless something happened before.

import { createChain, type LocalChain } from 'starkbox';
import { afterEach, expect, test, vi } from 'vitest';

const START = 1_600_000_000;

afterEach(() => {
  vi.useRealTimers();
});

const pending = async (chain: LocalChain): Promise<number> => {
  const block = await chain.request('starknet_getBlockWithTxHashes', { block_id: 'pre_confirmed' });
  return block.timestamp;
};

/** A node that takes ten seconds from its chain to its port. */
async function slowStart(before: (chain: LocalChain) => Promise<unknown>): Promise<LocalChain> {
  vi.useFakeTimers({ toFake: ['Date'] });
  const chain = await createChain({ seed: 0, port: 0, startTime: START });
  await before(chain);
  vi.setSystemTime(Date.now() + 10_000);
  await chain.listen();
  return chain;
}

test('the time that a node is given begins when it listens', async () => {
  await using chain = await slowStart(async () => {});
  expect(await pending(chain)).toBe(START);
  vi.setSystemTime(Date.now() + 3_000);
  expect(await pending(chain)).toBe(START + 3);
});

test.each<[string, (chain: LocalChain) => Promise<unknown>]>([
  ['a block', (chain) => chain.mine()],
  ['another time', (chain) => chain.time.setNextBlockTimestamp(START + 100)],
])('after %s it goes on', async (_, before) => {
  await using chain = await slowStart(before);
  expect(await pending(chain)).toBeGreaterThanOrEqual(START + 10);
});
