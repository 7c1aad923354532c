// Fixtures of Playwright: each test has a chain of its own that listens on a free port.

import type { Fixture } from '../fixtures/fixture.js';
import { assertFixture } from '../fixtures/fixture.js';
import type { LocalTestChain } from '../test-chain.js';
import { OpenBranches } from './open-branches.js';

/** The fixtures of a page test. */
export interface PageChain<T> {
  /** A branch of the prepared chain, closed after the test. */
  chain: LocalTestChain;
  /** Where the page reaches it. */
  chainUrl: string;
  /** The return value of the fixture's function. */
  chainData: T;
}

type Use<V> = (value: V) => Promise<void>;

/** The functions that `test.extend` of Playwright takes. */
export interface PageChainFixtures<T> {
  /**
   * Opens a branch for a test.
   *
   * @throws Error of the function that prepares the chain
   */
  // biome-ignore lint/complexity/noBannedTypes: Playwright hands over an object and reads its pattern
  chain(needs: {}, use: Use<LocalTestChain>): Promise<void>;
  /**
   * Opens the port of the branch.
   *
   * @throws Error if no port is free
   */
  chainUrl(needs: Pick<PageChain<T>, 'chain'>, use: Use<string>): Promise<void>;
  /**
   * Hands over the data of the fixture.
   *
   * @throws Error if the chain is no branch of the fixture
   */
  chainData(needs: Pick<PageChain<T>, 'chain'>, use: Use<T>): Promise<void>;
}

/**
 * Fixtures for `test.extend`.
 *
 * @example
 * import { test as base } from '@playwright/test';
 * const test = base.extend<PageChain<{ counter: string }>>(withChain(counters));
 * test('counts', async ({ page, chain, chainUrl }) => {
 *   await page.goto(`http://localhost:3000/?rpc=${chainUrl}`);
 * });
 * @throws TypeError if the argument is not a fixture
 */
export function withChain<T>(prepared: Fixture<T>): PageChainFixtures<T> {
  assertFixture(
    prepared,
    "withChain of @starkbox/testing/playwright takes a fixture: withChain(fixture('key', prepare))",
  );
  const branches = new OpenBranches(prepared);
  return {
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from it which fixtures this one needs
    chain: async ({}, use) => branches.use(use),
    chainUrl: async ({ chain }, use) => use((await chain.listen()).url),
    chainData: ({ chain }, use) => use(branches.dataOf(chain)),
  };
}
