// Fixtures of Playwright: each test has a chain of its own that listens on a free port.
import { EMPTY } from '../fixtures/empty.js';
import type { Fixture, Prepared } from '../fixtures/fixture.js';
import type { TestChain } from '../test-chain.js';

/** What a test of a page gets. */
export interface PageChain<T> {
  /** A branch of the prepared chain, closed after the test. */
  chain: TestChain;
  /** Where the page reaches it. */
  chainUrl: string;
  /** What the function of the fixture has returned. */
  chainData: T;
  /** @internal */
  ownBranch: Prepared<T>;
}

type Use<V> = (value: V) => Promise<void>;

/** The functions that `test.extend` of Playwright takes. */
export interface PageChainFixtures<T> {
  // biome-ignore lint/complexity/noBannedTypes: Playwright hands over an object and reads its pattern
  ownBranch(needs: {}, use: Use<Prepared<T>>): Promise<void>;
  chain(needs: Pick<PageChain<T>, 'ownBranch'>, use: Use<TestChain>): Promise<void>;
  chainUrl(needs: Pick<PageChain<T>, 'chain'>, use: Use<string>): Promise<void>;
  chainData(needs: Pick<PageChain<T>, 'ownBranch'>, use: Use<T>): Promise<void>;
}

/**
 * Fixtures for `test.extend`.
 *
 * @example
 * import { test as base } from '@playwright/test';
 * const test = base.extend<PageChain<{ counter: string }>>(chainFixtures(counters));
 * test('counts', async ({ page, chain, chainUrl }) => {
 *   await page.goto(`http://localhost:3000/?rpc=${chainUrl}`);
 * });
 */
export function chainFixtures(): PageChainFixtures<null>;
export function chainFixtures<T>(prepared: Fixture<T>): PageChainFixtures<T>;
export function chainFixtures(prepared: Fixture<unknown> = EMPTY): PageChainFixtures<unknown> {
  return {
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from it which fixtures this one needs
    ownBranch: async ({}, use) => {
      const branch = await prepared.branch();
      await use(branch);
      await branch.chain.close();
    },
    chain: ({ ownBranch }, use) => use(ownBranch.chain),
    chainUrl: async ({ chain }, use) => use((await chain.listen()).url),
    chainData: ({ ownBranch }, use) => use(ownBranch.data),
  };
}
