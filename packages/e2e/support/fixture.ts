// The node of the compatibility tests: three accounts of seed 42 with 500 tokens of each kind.
import { type Client, checkedClient } from '@starkbox/conformance';
import { type Config, createNode, type Starkbox } from 'starkbox';
import { closeAfterFile } from './closing.js';
import type { Account } from './signing.js';

export const INITIAL_BALANCE = 5n * 10n ** 20n;
export const FIXTURE = { seed: 42, accounts: 3, initialBalance: INITIAL_BALANCE, port: 0 } as const;

export interface Fixture {
  readonly node: Starkbox;
  /** Asks in this process, and lets no answer pass that breaks the specification. */
  readonly client: Client;
  /** One of the accounts; throws if there are not so many. */
  account(index?: number): Account;
}

/** Closed after the tests of the file. */
export async function startFixture(changes: Partial<Config> = {}): Promise<Fixture> {
  const node = await createNode({ ...FIXTURE, ...changes });
  closeAfterFile(() => node.close());
  return {
    node,
    client: checkedClient(node.handle),
    account(index = 0) {
      const found = node.accounts[index];
      if (!found) throw new Error('there is no such account');
      return found;
    },
  };
}
