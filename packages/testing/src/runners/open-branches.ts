// Branches of a fixture while the tests that use them run.
import type { Fixture } from '../fixtures/fixture.js';
import type { LocalTestChain } from '../test-chain.js';

export class OpenBranches<T> {
  readonly #fixture: Fixture<T>;
  readonly #data = new WeakMap<LocalTestChain, { readonly data: T }>();

  constructor(fixture: Fixture<T>) {
    this.#fixture = fixture;
  }

  /** Opens a branch, and closes it when the test is over. */
  async use(run: (chain: LocalTestChain) => Promise<void>): Promise<void> {
    const { chain, data } = await this.#fixture.branch();
    this.#data.set(chain, { data });
    await run(chain);
    await chain.close();
  }

  dataOf(chain: LocalTestChain): T {
    const entry = this.#data.get(chain);
    if (!entry) throw new Error('The chain is not a branch of this fixture');
    return entry.data;
  }
}
