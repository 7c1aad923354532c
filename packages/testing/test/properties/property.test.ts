// Properties of values: a branch for each value, and the reports of fast-check.
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestChain, type LocalTestChain } from '../../src/index.js';
import { arbitraryOf, property } from '../../src/properties.js';

const artifact = (name: string): URL =>
  new URL(`../../../../contracts/cairo/${name}.sierra.json`, import.meta.url);

let chain: LocalTestChain;
let counter: Awaited<ReturnType<LocalTestChain['deployContract']>>;

beforeAll(async () => {
  chain = await createTestChain();
  counter = await chain.deployContract(artifact('counter'), [5]);
});
afterAll(() => chain.close());

test('each value begins with the state of the chain', async () => {
  const amounts: bigint[] = [];
  await property(
    chain,
    fc.bigInt({ min: 1n, max: 1000n }),
    async (run, amount) => {
      amounts.push(amount);
      expect(await run.call(counter, 'get')).toBe(5n);
      expect(await run.send(run.actor(0), counter, 'increase', [amount])).toBe(5n + amount);
      return (await run.call(counter, 'get')) === 5n + amount;
    },
    { contracts: [counter], numRuns: 50, seed: 1 },
  );
  expect(amounts).toHaveLength(50);
  expect(BigInt(await counter.call('get').then(String))).toBe(5n);
});

test('the smallest value and the seed are reported', async () => {
  const checked = property(
    chain,
    arbitraryOf(counter.abi, 'core::integer::u128'),
    async (run, amount) => {
      const failure = await run.attempt(run.actor(0), counter, 'increase', [amount]);
      return failure !== 'counter: amount is 0' && (await run.call(counter, 'get')) < 1000n;
    },
    { seed: 42, numRuns: 1000, examples: [[123_456n]] },
  );
  await expect(checked).rejects.toThrow(/seed: 42[\s\S]*Counterexample: \[0n\]/);
});

test('a value above a limit shrinks to the limit', async () => {
  const checked = property(
    chain,
    arbitraryOf(counter.abi, 'core::integer::u128'),
    async (run, amount) => {
      await run.attempt(run.actor(0), counter, 'increase', [amount]);
      return (await run.call(counter, 'get')) < 1000n;
    },
    { seed: 42, numRuns: 1000 },
  );
  await expect(checked).rejects.toThrow('Counterexample: [995n]');
});
