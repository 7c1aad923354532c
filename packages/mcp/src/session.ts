// The chain that the tools work on: started in this process, or attached by its URL.
import { Sender, type Signer } from '@starkbox/signing';
import type { ConfigInput, Starkbox } from 'starkbox';
import { z } from 'zod';
import { NodeClient } from './node-client.js';

const ACCOUNTS = z.array(
  z.object({
    address: z.string(),
    private_key: z.string(),
    balance: z
      .object({ eth: z.object({ amount: z.string() }), strk: z.object({ amount: z.string() }) })
      .nullish(),
  }),
);
type Account = z.infer<typeof ACCOUNTS>[number];

interface Chain {
  readonly client: NodeClient;
  /** The node, if it runs in this process. */
  readonly own: Starkbox | undefined;
  /** Ids of the node by our names, which stay valid when a snapshot is restored. */
  readonly snapshots: Map<string, string>;
}

export class Session {
  readonly sender: Sender = new Sender();
  #chain: Chain | undefined;
  /** The end of the queue: a chain is closed before another takes its place. */
  #tail: Promise<unknown> = Promise.resolve();
  #count = 0;

  get #open(): Chain {
    if (this.#chain) return this.#chain;
    throw new Error(
      'There is no chain yet. Call start_chain for a new one, or attach_chain with the URL of a node that runs.',
    );
  }

  get client(): NodeClient {
    return this.#open.client;
  }

  /** Starts a chain in this process; one that was started before is closed. */
  start(options: ConfigInput): Promise<NodeClient> {
    return this.#inTurn(async () => {
      const { createLog, createNode } = await import('starkbox');
      const output = process.stderr;
      const log = createLog({ level: 'warn', format: 'pretty' }, output);
      const own = await createNode(options, { log, output });
      const address = await own.listen().catch(async (error: unknown) => {
        await own.close();
        throw error;
      });
      return this.#use(new NodeClient(address.url), own);
    });
  }

  /** Works on a node that runs. */
  attach(url: string): Promise<NodeClient> {
    return this.#inTurn(async () => {
      const client = new NodeClient(url);
      await client.chainId();
      return this.#use(client, undefined);
    });
  }

  async #use(client: NodeClient, own: Starkbox | undefined): Promise<NodeClient> {
    const before = this.#chain;
    this.#chain = { client, own, snapshots: new Map() };
    await before?.own?.close();
    return client;
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#chain?.own?.close();
      this.#chain = undefined;
    });
  }

  accounts(): Promise<Account[]> {
    return this.client.read(ACCOUNTS, 'devnet_getPredeployedAccounts', { with_balance: true });
  }

  /** @param account an index in the list of accounts, or an address in it */
  async signer(account: number | string): Promise<Signer> {
    const accounts = await this.accounts();
    const found =
      typeof account === 'number'
        ? accounts[account]
        : accounts.find(({ address }) => BigInt(address) === BigInt(account));
    if (found) return { address: found.address, privateKey: found.private_key };
    throw new Error(
      `The chain has no account ${account}: give an index from 0 to ${accounts.length - 1}, or an address from list_accounts.`,
    );
  }

  async snapshot(): Promise<string> {
    const { client, snapshots } = this.#open;
    const id = await client.read(z.string(), 'devnet_snapshot');
    this.#count += 1;
    const name = `snapshot-${this.#count}`;
    snapshots.set(name, id);
    return name;
  }

  /** Puts the chain back. The node uses snapshots up, so another is made at once for the next time. */
  async restore(name: string): Promise<void> {
    const { client, snapshots } = this.#open;
    const snapshot_id = snapshots.get(name);
    const isBack =
      snapshot_id !== undefined &&
      (await client.read(z.boolean(), 'devnet_revert', { snapshot_id }));
    if (!isBack) {
      snapshots.delete(name);
      const names = [...snapshots.keys()].join(', ');
      throw new Error(
        `There is no ${name} on this chain${names === '' ? '' : `; there are ${names}`}. Going back to a snapshot drops those made after it; make one with snapshot.`,
      );
    }
    snapshots.set(name, await client.read(z.string(), 'devnet_snapshot'));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(work);
    this.#tail = result.catch(() => undefined);
    return result;
  }
}
