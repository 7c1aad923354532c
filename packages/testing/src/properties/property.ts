// Properties of values: each value is checked on a branch of its own.
import * as fc from 'fast-check';
import type { LocalTestChain } from '../test-chain.js';
import { openRun, type Run, type RunOptions } from './run.js';

/** Options of `property`: of the run, and of fast-check. */
export interface PropertyOptions<V> extends RunOptions<undefined>, fc.Parameters<[V]> {}

/**
 * Checks a property for many values. Each value gets a run that begins as the chain is now. fast-check draws the
 * values, and shrinks a value for which the property does not hold.
 *
 * @param check returns false or throws if the property does not hold
 * @throws Error of fast-check with the seed and the smallest value
 * @example
 * await property(chain, arbitraryOf(vault.abi, 'core::integer::u256'), async (run, amount) => {
 *   const shares = await run.send(alice, vault, 'deposit', [amount]);
 *   return shares <= amount;
 * });
 */
export async function property<V>(
  chain: LocalTestChain,
  arbitrary: fc.Arbitrary<V>,
  check: (run: Run<undefined>, value: V) => unknown,
  { contracts, actors, actions, invariants, ...parameters }: PropertyOptions<V> = {},
): Promise<void> {
  const run = await openRun(chain, {
    ...(contracts === undefined ? {} : { contracts }),
    ...(actors === undefined ? {} : { actors }),
    ...(actions === undefined ? {} : { actions }),
    ...(invariants === undefined ? {} : { invariants }),
  });
  const holds = fc.asyncProperty(arbitrary, async (value) => {
    run.restart();
    return (await check(run, value)) !== false;
  });
  await fc.assert(holds, parameters);
}
