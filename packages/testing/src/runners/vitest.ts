// Tests of vitest with a chain of their own, and matchers of transactions.
import { afterEach, test as base, expect, type TestAPI } from 'vitest';
import { addCommands, keepErrors } from '../client/failures.js';
import type { Fixture, FixtureContext } from '../fixtures/fixture.js';
import { assertFixture, EMPTY } from '../fixtures/fixture.js';
import { type ChainMatchers, matchers } from '../matchers/matchers.js';
import { OpenBranches } from './open-branches.js';

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: an interface is extended with the parameters that it has
  interface Matchers<T = any> extends ChainMatchers {}
}

expect.extend({ ...matchers });

keepErrors();
// Before the chain of the test is closed, which its fixture does later.
afterEach(({ task }) => addCommands(task.result?.errors ?? []));

/** A test receives a branch of the prepared chain, which is closed after the test, and the data of the fixture. */
export interface ChainContext<T> extends FixtureContext<T> {}

/**
 * A `test` whose `chain` begins as a fixture has prepared it.
 *
 * @example
 * const test = withChain(counters);
 * test('counts', async ({ chain, data }) => {
 *   const counter = await chain.contractAt(data.counter);
 *   await counter.invoke('increase', [5]);
 * });
 * @throws TypeError if the argument is not a fixture
 */
export function withChain<T>(prepared: Fixture<T>): TestAPI<ChainContext<T>> {
  assertFixture(
    prepared,
    "withChain of @starkbox/testing/vitest takes a fixture: withChain(fixture('key', prepare)). Without a fixture, import { test }.",
  );
  const branches = new OpenBranches(prepared);
  return base.extend<ChainContext<T>>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from it which fixtures this one needs
    chain: async ({}, use) => branches.use(use),
    data: ({ chain }: Pick<ChainContext<T>, 'chain'>, use: (data: T) => Promise<void>) =>
      use(branches.dataOf(chain)),
  });
}

/** A `test` whose `chain` has the predeployed accounts and nothing else. */
export const test: TestAPI<ChainContext<null>> = withChain(EMPTY);
