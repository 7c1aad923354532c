// Chains for tests of node:test, Jest and other runners.
import { addCommand } from '../client/failures.js';
import type { Fixture, FixtureContext } from '../fixtures/fixture.js';
import { assertFixture, EMPTY } from '../fixtures/fixture.js';
import type { LocalTestChain } from '../test-chain.js';

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
  assertFixture(prepared, advice);
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
  assertFixture(
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
