// Steps of the builder that streams, one at a time.
import { trust } from '@starkbox/abi/basics';
import { invokeRequest, STRK } from '@starkbox/test-support/signing';
import { expect, test } from 'vitest';
import { streamBlocks } from '../../src/chain/block-builder.js';
import { countSelected } from '../../src/chain/mempool/mempool.js';
import { latestHeader } from '../../src/chain/world/find-block.js';
import { bareChain } from '../support/bare-chain.js';

const TRANSFER = { to: STRK, name: 'transfer', calldata: ['0x77', '0x1', '0x0'] };

/** A chain on which so many transactions wait, its builder's next step, and what became of them. */
async function builderOf(count: number, interval: number) {
  const chain = await bareChain('demand', { blockGeneration: 'mempool' });
  const [account] = chain.options.genesis.accounts;
  if (!account) throw new Error('there is no account');
  for (let nonce = 0; nonce < count; nonce += 1) {
    // The helper builds requests of every kind, whose type is that of any object.
    await chain.submit(trust(invokeRequest(account, [TRANSFER], nonce)));
  }
  const { step } = streamBlocks(chain, interval);
  return {
    chain,
    async next(isActive = true) {
      await step(() => isActive);
      const { world } = chain;
      return {
        candidates: countSelected(world.mempool),
        waiting: world.mempool.waiting.size,
        blocks: latestHeader(world).number,
      };
    },
  };
}

test('as many transactions as it selects at once are a backlog: more are executed in the same step', async () => {
  const { chain, next } = await builderOf(120, 3600);
  expect(await next()).toEqual({ candidates: 50, waiting: 120, blocks: 0 });
  expect(await next()).toEqual({ candidates: 0, waiting: 0, blocks: 0 });
  expect(await next()).toEqual({ candidates: 0, waiting: 0, blocks: 0 });
  expect(await next()).toEqual({ candidates: 0, waiting: 0, blocks: 1 });
  await chain.close();
});

test.each([1, 49])(
  'what comes later waits for the next block once all %i candidates are executed',
  async (count) => {
    const { chain, next } = await builderOf(count, 3600);
    expect(await next()).toMatchObject({ candidates: count, waiting: count });
    expect(await next()).toMatchObject({ candidates: 0, waiting: 0 });
    await chain.close();
  },
);

test('in a short interval one step closes the block and executes what it selected', async () => {
  const { chain, next } = await builderOf(3, 0.03);
  expect(await next()).toEqual({ candidates: 3, waiting: 3, blocks: 1 });
  expect(await next()).toEqual({ candidates: 0, waiting: 0, blocks: 2 });
  await chain.close();
});

test('an interval that has ended changes nothing more', async () => {
  const { chain, next } = await builderOf(3, 0.03);
  expect(await next(false)).toEqual({ candidates: 0, waiting: 3, blocks: 0 });
  await chain.close();
});
