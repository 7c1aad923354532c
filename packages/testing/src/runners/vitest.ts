// Tests of vitest with a chain of their own, and matchers of transactions.
import { test as base, expect, type TestAPI } from 'vitest';
import { EMPTY } from '../fixtures/empty.js';
import type { Fixture, Prepared } from '../fixtures/fixture.js';
import { type ChainMatchers, matchers } from '../matchers/matchers.js';

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: an interface is extended with the parameters that it has
  interface Matchers<T = any> extends ChainMatchers {}
}

expect.extend({ ...matchers });

/** What a test gets: a branch of the prepared chain, closed after it, and the data of the fixture. */
export interface ChainContext<T> extends Prepared<T> {
  /** @internal */
  readonly ownBranch: Prepared<T>;
}

/**
 * A `test` whose `chain` begins as a fixture has prepared it.
 *
 * @example
 * const test = testWith(counters);
 * test('counts', async ({ chain, data }) => {
 *   const counter = await chain.contractAt(data.counter);
 *   await counter.invoke('increase', [5]);
 * });
 */
export function testWith<T>(prepared: Fixture<T>): TestAPI<ChainContext<T>> {
  return base.extend<ChainContext<T>>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from it which fixtures this one needs
    ownBranch: async ({}, use) => {
      const branch = await prepared.branch();
      await use(branch);
      await branch.chain.close();
    },
    chain: ({ ownBranch }, use) => use(ownBranch.chain),
    data: ({ ownBranch }: Pick<ChainContext<T>, 'ownBranch'>, use: (data: T) => Promise<void>) =>
      use(ownBranch.data),
  });
}

/** A `test` whose `chain` has the predeployed accounts and nothing else. */
export const test: TestAPI<ChainContext<null>> = testWith(EMPTY);
