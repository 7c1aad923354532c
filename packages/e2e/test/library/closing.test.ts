// A chain that is closed: its subscriptions end, and later calls reject.

import { closeAfterTest } from '@starkbox/test-support/closing';
import { temporaryFolder } from '@starkbox/test-support/temporary-folder';
import { createChain, type LocalChain } from 'starkbox';
import { describe, expect, test } from 'vitest';

const BLOCK_NUMBER = '{"jsonrpc":"2.0","id":1,"method":"starknet_blockNumber"}';

/** Chains of each kind; the caller closes them. */
const KINDS: readonly (readonly [kind: string, open: () => Promise<LocalChain>])[] = [
  ['in memory', () => createChain({ seed: 0, accounts: 1 })],
  ['in a data directory', () => createChain({ seed: 0, accounts: 1, dataDir: temporaryFolder() })],
  [
    'of a branch',
    async () => {
      const node = await createChain({ seed: 0, accounts: 1 });
      closeAfterTest(() => node.close());
      return node.branch();
    },
  ],
];

async function numbersOf(heads: AsyncIterable<{ readonly result: object }>): Promise<unknown[]> {
  const numbers: unknown[] = [];
  for await (const { result } of heads) numbers.push(Object(result).block_number);
  return numbers;
}

describe.each(KINDS)('a chain %s', (_kind, open) => {
  test('ends its subscriptions after what happened before', async () => {
    const chain = await open();
    const heads = chain.subscribe('starknet_subscribeNewHeads');
    await heads.ready;
    const reading = numbersOf(heads);
    await chain.mine(2);
    await chain.close();
    expect(await reading).toEqual([1, 2]);
    expect(await heads.next()).toEqual({ done: true, value: undefined });
  });

  test('ends a subscription that has not begun', async () => {
    const chain = await open();
    const heads = chain.subscribe('starknet_subscribeNewHeads');
    await chain.close();
    expect(await numbersOf(heads)).toEqual([]);
  });

  test('rejects every later call, and can be closed again', async () => {
    const chain = await open();
    const snapshot = await chain.snapshot();
    const impersonated = await chain.impersonate('0x123');
    await chain.close();
    const calls: Readonly<Record<string, () => unknown>> = {
      request: () => chain.request('starknet_blockNumber'),
      call: () => chain.requestRaw('starknet_blockNumber'),
      handle: () => chain.handle(BLOCK_NUMBER),
      fetch: () => chain.fetch(chain.rpcUrl, { method: 'POST', body: BLOCK_NUMBER }),
      alive: () => chain.fetch('http://any/is_alive'),
      mine: () => chain.mine(),
      mint: () => chain.mint('0x1', 1n),
      snapshot: () => chain.snapshot(),
      restore: () => snapshot.restore(),
      stop: () => impersonated.stop(),
      listen: () => chain.listen({ port: 0 }),
      branch: async () => chain.branch(),
      subscribe: async () => chain.subscribe('starknet_subscribeNewHeads'),
    };
    for (const [name, call] of Object.entries(calls)) {
      await expect(call(), name).rejects.toThrow(/closed/);
    }
    await chain.close();
  });
});

test('a node that is closed ends the subscriptions of its branches', async () => {
  const node = await createChain({ seed: 0, accounts: 1 });
  const heads = node.branch().subscribe('starknet_subscribeNewHeads');
  await heads.ready;
  const reading = numbersOf(heads);
  await node.close();
  expect(await reading).toEqual([]);
});

test('a restart ends subscriptions to the chain', async () => {
  await using chain = await createChain({ seed: 0, accounts: 1 });
  const heads = chain.subscribe('starknet_subscribeNewHeads');
  await chain.mine();
  const reading = numbersOf(heads);
  await chain.request('devnet_restart');
  expect(await reading).toEqual([1]);
});

test('notifications go to reads in the order of the calls', async () => {
  await using chain = await createChain({ seed: 0, accounts: 1 });
  const heads = chain.subscribe('starknet_subscribeNewHeads');
  const reads = [heads.next(), heads.next(), heads.next(), heads.next()];
  await chain.mine(3);
  await chain.close();
  const values = (await Promise.all(reads)).map(({ value }) => Object(value).result?.block_number);
  expect(values).toEqual([1, 2, 3, undefined]);
});
