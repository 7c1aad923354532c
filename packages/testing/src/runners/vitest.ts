// Tests of vitest with a chain of their own, and matchers of transactions.
import type { StarknetVersion } from 'starkbox';
import { afterAll, afterEach, test as base, describe, expect, type TestAPI } from 'vitest';
import { addCommands, keepErrors } from '../client/failures.js';
import type { Fixture, FixtureContext } from '../fixtures/fixture.js';
import { EMPTY, mustBeFixture } from '../fixtures/fixture.js';
import { type ChainMatchers, matchers } from '../matchers/matchers.js';
import type { LocalTestChain } from '../test-chain.js';
import type { ComparedVersions } from '../versions/compare.js';
import {
  emptyFixtures,
  isPrepared,
  isUnprepared,
  type VersionFixtureOptions,
  VersionSuite,
  type VersionSuiteOptions,
} from '../versions/suite.js';
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
  mustBeFixture(
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

/** A `test` whose `chain` runs under one version of Starknet. */
export interface VersionContext<T> {
  /** Registers a test. */
  readonly test: TestAPI<ChainContext<T>>;
  /** The version of the chain. */
  readonly version: StarknetVersion;
}

/**
 * Registers a suite once for each version of Starknet, and prints a table of what differs after the last test.
 *
 * @example
 * describeVersions(['0.14.1', '0.14.4'], ({ test }) => {
 *   test('mints', async ({ chain }) => {
 *     await chain.mint('0x1', 1000n);
 *   });
 * });
 * @throws TypeError if there are not at least two different versions
 */
export function describeVersions<T>(
  versions: ComparedVersions,
  suite: (context: VersionContext<T>) => void,
  options: VersionFixtureOptions<T>,
): void;
export function describeVersions(
  versions: ComparedVersions,
  suite: (context: VersionContext<null>) => void,
  options?: VersionSuiteOptions,
): void;
export function describeVersions<T>(
  versions: ComparedVersions,
  suite: ((context: VersionContext<null>) => void) | ((context: VersionContext<T>) => void),
  options: VersionSuiteOptions | VersionFixtureOptions<T> = {},
): void {
  const described = [suite, options] as const;
  if (isPrepared<VersionContext<null>, VersionContext<T>, T>(described)) {
    const [body, { fixture, onReport }] = described;
    register(new VersionSuite(versions, fixture, onReport), body);
  } else if (isUnprepared<VersionContext<null>, VersionContext<T>, T>(described)) {
    const [body, { chain, onReport }] = described;
    register(new VersionSuite(versions, emptyFixtures(chain), onReport), body);
  }
}

function register<T>(suite: VersionSuite<T>, body: (context: VersionContext<T>) => void): void {
  describe(suite.title, () => {
    for (const version of suite.versions) {
      describe(`Starknet ${version}`, () => body({ version, test: testUnder(suite, version) }));
    }
    afterAll(() => suite.end());
  });
}

function testUnder<T>(suite: VersionSuite<T>, version: StarknetVersion): TestAPI<ChainContext<T>> {
  const contexts = new WeakMap<LocalTestChain, { readonly data: T }>();
  const dataOf = (chain: LocalTestChain): T => {
    const context = contexts.get(chain);
    if (!context) throw new Error('The chain is not a chain of this suite');
    return context.data;
  };
  return base.extend<ChainContext<T>>({
    chain: async ({ task }, use) => {
      const opened = await suite.open(version, task.name);
      contexts.set(opened.chain, opened);
      await use(opened.chain);
      await opened.finish();
    },
    data: ({ chain }: Pick<ChainContext<T>, 'chain'>, use: (data: T) => Promise<void>) =>
      use(dataOf(chain)),
  });
}
