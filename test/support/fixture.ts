// Nodes in this process that are closed after the tests of the file.
import { type Client, checkedClient } from '@starkbox/test-support';
import { type Config, createChain, type LocalChain } from 'starkbox';
import { closeAfterFile } from './closing.js';
import { type Account, Sender } from './signing.js';

export const INITIAL_BALANCE = 5n * 10n ** 20n;
/** Three accounts of seed 42 with 500 tokens of each kind. */
export const FIXTURE = { seed: 42, accounts: 3, initialBalance: INITIAL_BALANCE, port: 0 } as const;

export interface Fixture {
  readonly node: LocalChain;
  /** Asks in this process, and lets no answer pass that breaks the specification. */
  readonly client: Client;
  /** Sends from the first account; throws if there is none. */
  readonly sender: Sender;
  /** One of the accounts; throws if there are not so many. */
  account(index?: number): Account;
}

export async function openNode(...options: Parameters<typeof createChain>): Promise<LocalChain> {
  const node = await createChain(...options);
  closeAfterFile(() => node.close());
  return node;
}

export async function startFixture(changes: Partial<Config> = {}): Promise<Fixture> {
  const node = await openNode({ ...FIXTURE, ...changes });
  const client = checkedClient(node.handle);
  return {
    node,
    client,
    get sender() {
      return new Sender(client, node.accounts[0]);
    },
    account(index = 0) {
      const account = node.accounts[index];
      if (!account) throw new Error('there is no such account');
      return account;
    },
  };
}

/** The image of a chain, in base64. */
export async function imageOf(node: Pick<LocalChain, 'request'>): Promise<string> {
  const dump = await node.request('devnet_dump', { format: 'image', inline: true });
  if (!('image' in dump)) throw new Error('the node returned no image');
  return dump.image;
}
