// Chains for tests of node:test, Jest and other runners.

import type { StarknetVersion } from 'starkbox';
import { addCommand } from '../client/failures.js';
import type { Fixture, FixtureContext } from '../fixtures/fixture.js';
import { EMPTY, mustBeFixture } from '../fixtures/fixture.js';
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

/** The body of a test with a new chain, closed after it. */
type Body<T> = (chain: LocalTestChain, data: T) => unknown;

/**
 * A function to hand to `test`, with a new chain.
 *
 * @example
 * test('mints', withChain(async (chain) => {
 *   await chain.mint('0x1', 1000n);
 * }));
 * test('counts', withChain(counters, async (chain, { counter }) => {
 *   await (await chain.contractAt(counter)).invoke('increase', [5]);
 * }));
 * @throws TypeError if an argument is missing or of another kind
 */
export function withChain(body: Body<null>): () => Promise<void>;
export function withChain<T>(prepared: Fixture<T>, body: Body<T>): () => Promise<void>;
export function withChain<T>(...args: [Body<null>] | [Fixture<T>, Body<T>]): () => Promise<void> {
  return args.length === 1 ? bodyOf(EMPTY, args[0]) : bodyOf(args[0], args[1]);
}

function bodyOf<T>(prepared: Fixture<T>, body: Body<T>): () => Promise<void> {
  const advice =
    'withChain of @starkbox/testing/node takes the body of a test, with a fixture before it or not: withChain(async (chain) => { … })';
  mustBeFixture(prepared, advice);
  if (typeof body !== 'function') throw new TypeError(advice);
  // Without parameters: Jest would take one for a callback.
  return async () => {
    const { chain, data } = await prepared.branch();
    try {
      await body(chain, data);
    } catch (error) {
      // Before the chain is closed.
      await addCommand(error);
      throw error;
    } finally {
      await chain.close();
    }
  };
}

/** Hooks of a runner, as node:test and Jest have them. */
export interface Hooks {
  /** Registers a function that runs before each test. */
  beforeEach(run: () => Promise<void>): unknown;
  /** Registers a function that runs after each test. */
  afterEach(run: () => Promise<void>): unknown;
}

/**
 * A new chain before each test, closed after it. Tests read `current.chain` and `current.data`.
 *
 * @example
 * import { afterEach, beforeEach, test } from 'node:test';
 * const current = withChainHooks({ beforeEach, afterEach }, counters);
 * test('counts', async () => {
 *   await (await current.chain.contractAt(current.data.counter)).invoke('increase', [5]);
 * });
 * @throws TypeError if the second argument is not a fixture
 * @throws Error if a test reads `chain` or `data` while none runs
 */
export function withChainHooks(hooks: Hooks): FixtureContext<null>;
export function withChainHooks<T>(hooks: Hooks, prepared: Fixture<T>): FixtureContext<T>;
export function withChainHooks(
  hooks: Hooks,
  prepared: Fixture<unknown> = EMPTY,
): FixtureContext<unknown> {
  mustBeFixture(
    prepared,
    'withChainHooks takes the hooks of the runner, and a fixture or nothing: withChainHooks({ beforeEach, afterEach }, counters)',
  );
  let branch: FixtureContext<unknown> | undefined;
  hooks.beforeEach(async () => {
    branch = await prepared.branch();
  });
  hooks.afterEach(async () => {
    await branch?.chain.close();
    branch = undefined;
  });
  const current = (): FixtureContext<unknown> => {
    if (!branch) throw new Error('The chain exists only while a test runs');
    return branch;
  };
  return {
    get chain() {
      return current().chain;
    },
    get data() {
      return current().data;
    },
  };
}

/** Hooks of a runner, and its functions for suites: in Jest, pass `afterAll` as `after`. */
export interface SuiteHooks extends Hooks {
  /** Registers a suite. */
  describe(name: string, body: () => void): unknown;
  /** Registers a function that runs after all tests of a suite. */
  after(run: () => Promise<void>): unknown;
}

/** The chain of the test that runs, and the version of the suite. */
export interface VersionContext<T> extends FixtureContext<T> {
  /** The version of the chain. */
  readonly version: StarknetVersion;
}

/**
 * Registers a suite once for each version of Starknet, and prints a table of what differs after the last test. Each
 * test reads `current.chain` and `current.data`.
 *
 * @example
 * import { after, afterEach, beforeEach, describe, test } from 'node:test';
 * const hooks = { describe, beforeEach, afterEach, after };
 * describeVersions(hooks, ['0.14.1', '0.14.4'], (current) => {
 *   test('mints', async () => {
 *     await current.chain.mint('0x1', 1000n);
 *   });
 * });
 * @throws TypeError if there are not at least two different versions
 */
export function describeVersions<T>(
  hooks: SuiteHooks,
  versions: ComparedVersions,
  suite: (current: VersionContext<T>) => void,
  options: VersionFixtureOptions<T>,
): void;
export function describeVersions(
  hooks: SuiteHooks,
  versions: ComparedVersions,
  suite: (current: VersionContext<null>) => void,
  options?: VersionSuiteOptions,
): void;
export function describeVersions<T>(
  hooks: SuiteHooks,
  versions: ComparedVersions,
  suite: ((current: VersionContext<null>) => void) | ((current: VersionContext<T>) => void),
  options: VersionSuiteOptions | VersionFixtureOptions<T> = {},
): void {
  const described = [suite, options] as const;
  if (isPrepared<VersionContext<null>, VersionContext<T>, T>(described)) {
    const [body, { fixture, onReport }] = described;
    register(hooks, new VersionSuite(versions, fixture, onReport), body);
  } else if (isUnprepared<VersionContext<null>, VersionContext<T>, T>(described)) {
    const [body, { chain, onReport }] = described;
    register(hooks, new VersionSuite(versions, emptyFixtures(chain), onReport), body);
  }
}

function register<T>(
  hooks: SuiteHooks,
  suite: VersionSuite<T>,
  body: (current: VersionContext<T>) => void,
): void {
  hooks.describe(suite.title, () => {
    for (const version of suite.versions) {
      hooks.describe(`Starknet ${version}`, () => {
        const current = openHooks(hooks, (name) => suite.open(version, name));
        body({
          version,
          get chain() {
            return current().chain;
          },
          get data() {
            return current().data;
          },
        });
      });
    }
    hooks.after(() => suite.end());
  });
}

/** Opens a chain before each test, and finishes it after the test. */
function openHooks<T extends { readonly finish: () => Promise<void> }>(
  hooks: Hooks,
  open: (test: string) => Promise<T>,
): () => T {
  let running: T | undefined;
  let count = 0;
  // Rest parameters count for none: Jest would take one for a callback.
  hooks.beforeEach(async (...[context]: readonly unknown[]) => {
    count += 1;
    const { name } = Object(context);
    running = await open(typeof name === 'string' ? name : `test ${count}`);
  });
  hooks.afterEach(async () => {
    await running?.finish();
    running = undefined;
  });
  return () => {
    if (!running) throw new Error('The chain exists only while a test runs');
    return running;
  };
}
