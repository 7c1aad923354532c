// The chain that the tools work on: started in this process, or attached by its URL.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memberOf } from '@starkbox/abi/basics';
import { Sender, type Signer } from '@starkbox/signing';
import type { ConfigInput, LocalChain } from 'starkbox';
import { z } from 'zod';
import type { AllowedHosts } from './hosts.js';
import { FELT_TEXT, NodeClient } from './node-client.js';
import { ServerError } from './results.js';

const AMOUNT = z.object({ amount: z.string().regex(/^(0x[0-9a-fA-F]+|\d+)$/, 'not an amount') });
const ACCOUNTS = z.array(
  z.object({
    address: FELT_TEXT,
    private_key: FELT_TEXT,
    balance: z.object({ eth: AMOUNT, strk: AMOUNT }).nullish(),
  }),
);
type Account = z.infer<typeof ACCOUNTS>[number];

/** The chain itself, or a branch of it: an instance of its node. */
interface Branch {
  readonly client: NodeClient;
  /** Undefined for the chain itself. */
  readonly id: string | undefined;
  /** Ids of the node by our names, which stay valid when a snapshot is restored. */
  readonly snapshots: Map<string, string>;
}

interface Chain {
  /** The node, if it runs in this process. */
  readonly node: LocalChain | undefined;
  readonly main: Branch;
  /** By our names. */
  readonly branches: Map<string, Branch>;
  current: string;
}

const MAIN = 'main';
const MAX_BRANCHES = 8;
const INSTANCE = z.object({ instance_id: z.string().regex(/^[\w-]{1,100}$/, 'not an id') });

/** Methods that read or write a file of the node, whose path is their first parameter. */
const WITH_FILES: ReadonlySet<string> = new Set(['devnet_dump', 'devnet_load']);

export class Session {
  readonly sender: Sender = new Sender();
  readonly #hosts: AllowedHosts;
  /** By origins of nodes that require one. */
  readonly #tokens = new Map<string, string>();
  /** Where the chains of this process write dumps; removed with the session. */
  #folder: string | undefined;
  #chain: Chain | undefined;
  /** The end of the queue: a chain is closed before another takes its place. */
  #tail: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor(hosts: AllowedHosts) {
    this.#hosts = hosts;
  }

  get #open(): Chain {
    if (this.#chain) return this.#chain;
    throw new ServerError(
      'There is no chain yet. Call start_chain for a new one, or attach_chain with the URL of a node that runs.',
    );
  }

  get #branch(): Branch {
    const { branches, current, main } = this.#open;
    return branches.get(current) ?? main;
  }

  /** Of the branch in use. */
  get client(): NodeClient {
    return this.#branch.client;
  }

  /** The branch in use, and all of them. */
  get branches(): { readonly branch: string; readonly branches: readonly string[] } {
    const { current, branches } = this.#open;
    return { branch: current, branches: [MAIN, ...branches.keys()] };
  }

  /** Creates a branch that begins as the one in use is now, and uses it. */
  async createBranch(name: string): Promise<void> {
    const chain = this.#open;
    if (name === MAIN || chain.branches.has(name)) {
      throw new ServerError(`There is a branch ${name} already: give another name.`);
    }
    if (chain.branches.size >= MAX_BRANCHES) {
      throw new ServerError(`There are ${MAX_BRANCHES} branches: drop one first.`);
    }
    const { id } = this.#branch;
    const params = { name, ...(id === undefined ? {} : { from: id }) };
    const created = await chain.main.client.read(INSTANCE, 'devnet_createInstance', params);
    const url = `${chain.main.client.url.replace(/\/+$/, '')}/instances/${created.instance_id}`;
    const client = new NodeClient(url, chain.main.client.token);
    chain.branches.set(name, { client, id: created.instance_id, snapshots: new Map() });
    chain.current = name;
  }

  useBranch(name: string): void {
    this.#assertHas(name);
    this.#open.current = name;
  }

  /** Deletes a branch; the chain itself is used if it was in use. */
  async dropBranch(name: string): Promise<void> {
    const chain = this.#open;
    this.#assertHas(name);
    const dropped = chain.branches.get(name);
    if (!dropped) throw new ServerError(`${MAIN} is the chain itself, which is no branch.`);
    chain.branches.delete(name);
    if (chain.current === name) chain.current = MAIN;
    await chain.main.client.call('devnet_deleteInstance', { instance_id: dropped.id });
  }

  #assertHas(name: string): void {
    const { branches } = this.branches;
    if (branches.includes(name)) return;
    throw new ServerError(`There is no branch ${name}; there are ${branches.join(', ')}.`);
  }

  /** Starts a chain in this process; one that was started before is closed. */
  start(options: ConfigInput): Promise<NodeClient> {
    return this.#inTurn(async () => {
      // It may hold several URLs, separated by commas.
      this.#hosts.checkParams(options.forkNetwork);
      const { createLog, createChain } = await import('starkbox');
      const output = process.stderr;
      const log = createLog({ level: 'warn', format: 'pretty' }, output);
      this.#folder ??= await mkdtemp(join(tmpdir(), 'starkbox-mcp-'));
      const node = await createChain({ ...options, dumpDir: this.#folder }, { log, output });
      const client = await waitForNode(node).catch(async (error: unknown) => {
        await node.close();
        throw error;
      });
      return this.#use(client, node);
    });
  }

  /**
   * Works on a node that runs.
   *
   * @param token of the node; by default the one that the same server was attached with
   */
  attach(url: string, token?: string): Promise<NodeClient> {
    return this.#inTurn(async () => {
      this.#hosts.check(url);
      const { origin } = new URL(url);
      if (token !== undefined) this.#tokens.set(origin, token);
      const client = new NodeClient(url, this.#tokens.get(origin));
      await client.chainId();
      return this.#use(client, undefined);
    });
  }

  async #use(client: NodeClient, node: LocalChain | undefined): Promise<NodeClient> {
    const before = this.#chain;
    const main = { client, id: undefined, snapshots: new Map<string, string>() };
    this.#chain = { node, main, branches: new Map(), current: MAIN };
    await before?.node?.close();
    return client;
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#chain?.node?.close();
      this.#chain = undefined;
      if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
      this.#folder = undefined;
    });
  }

  /** Calls any method, within what an agent may have a node do. */
  async call(method: string, params: Readonly<Record<string, unknown>> | readonly unknown[]) {
    const { node } = this.#open;
    const { client } = this;
    this.#hosts.checkParams(params);
    const name = method.replace(/^sandbox_/, 'devnet_');
    const path = Array.isArray(params) ? params[0] : memberOf(params, 'path');
    if (!node && WITH_FILES.has(name) && typeof path === 'string') {
      throw new ServerError(
        `${name} would use a file of the node at ${client.url}. Give it content instead (inline for a dump, events or image for a load), or work on a chain of start_chain.`,
      );
    }
    return client.call(method, params);
  }

  accounts(): Promise<Account[]> {
    return this.client.read(ACCOUNTS, 'devnet_getPredeployedAccounts', { with_balance: true });
  }

  /** @param account an index in the list of accounts, or an address in it */
  async signer(account: number | string): Promise<Signer> {
    const accounts = await this.accounts();
    const match =
      typeof account === 'number'
        ? accounts[account]
        : accounts.find(({ address }) => BigInt(address) === BigInt(account));
    if (match) return { address: match.address, privateKey: match.private_key };
    throw new ServerError(
      `The chain has no account ${account}: give an index from 0 to ${accounts.length - 1}, or an address from list_accounts.`,
    );
  }

  /** @param account an index in the list of accounts, or any address */
  async addressOf(account: number | string): Promise<string> {
    return typeof account === 'number' ? (await this.signer(account)).address : account;
  }

  async snapshot(): Promise<string> {
    const { client, snapshots } = this.#branch;
    const id = await client.read(z.string(), 'devnet_snapshot');
    this.#count += 1;
    const name = `snapshot-${this.#count}`;
    snapshots.set(name, id);
    return name;
  }

  /** Puts the chain back. The node uses snapshots up, so another is made at once for the next time. */
  async restore(name: string): Promise<void> {
    const { client, snapshots } = this.#branch;
    const snapshot_id = snapshots.get(name);
    const isBack =
      snapshot_id !== undefined &&
      (await client.read(z.boolean(), 'devnet_revert', { snapshot_id }));
    if (!isBack) {
      snapshots.delete(name);
      const names = [...snapshots.keys()].join(', ');
      throw new ServerError(
        `This chain has no snapshot ${name}${names === '' ? '' : `; it has ${names}`}. Going back to a snapshot drops those made after it; make one with snapshot.`,
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

/** Opens the port of a node, and makes sure that clients reach it: they block the ports of some other protocols. */
async function waitForNode(node: LocalChain): Promise<NodeClient> {
  const { url } = await node.listen();
  const client = new NodeClient(url);
  await client.chainId();
  return client;
}
