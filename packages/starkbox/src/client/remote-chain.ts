// A chain of a running node, reached at its URL.
import type { INSTANCE_ROW, Methods } from '@starkbox/spec';
import { ERRORS } from '@starkbox/spec';
import { RpcError } from '../errors.js';
import {
  ETH,
  type PredeployedAccount,
  type PredeployedContract,
  STRK,
  UDC,
} from '../predeployed.js';
import { type Chain, ChainControls, type ChainSnapshot, snapshotBy } from './chain.js';
import { Connection, ConnectionError, type ConnectOptions, type Platform } from './connection.js';
import type { Request } from './controls.js';
import { resultOf } from './methods.js';

/** An instance of a node, as the node lists it. */
export type InstanceRow = INSTANCE_ROW;

/** Options of `instances.create`. */
export interface InstanceOptions {
  /** A name for people. */
  readonly name?: string;
  /** The id of an instance to begin from, or `root` for the node's own chain; this chain by default. */
  readonly from?: string;
  /** Seconds without a request after which the node deletes the instance; 0 for never. */
  readonly ttl?: number;
  /** Options of accounts and blocks: the instance then begins at its own genesis. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** What a node reports once, and changes only with a restart or a load. */
export interface Facts {
  readonly accounts: readonly PredeployedAccount[];
  readonly accountClassHash: string;
  readonly tokens: { readonly eth: PredeployedContract; readonly strk: PredeployedContract };
  readonly udc: PredeployedContract;
}

/** Methods after which a chain may have other accounts. */
const REPLACING = /^(devnet|sandbox)_(load|restart)$/;

/** The instances of a node: further chains that each begin as another one is at that moment. */
export class Instances {
  readonly #chain: RemoteChain;
  readonly #open: (id: string) => Promise<RemoteChain>;

  /** @internal */
  constructor(chain: RemoteChain, open: (id: string) => Promise<RemoteChain>) {
    this.#chain = chain;
    this.#open = open;
  }

  /**
   * Creates an instance and connects to it. It stays when the connection is closed.
   *
   * @throws RpcError if the node has too many instances, or rejects the options
   */
  async create({ name, from, ttl, options }: InstanceOptions = {}): Promise<RemoteChain> {
    const { instance_id } = await this.#chain.request('devnet_createInstance', {
      ...(name === undefined ? {} : { name }),
      ...(from === undefined ? {} : { from }),
      ...(ttl === undefined ? {} : { ttl }),
      ...(options === undefined ? {} : { options }),
    });
    return this.#open(instance_id);
  }

  /**
   * Connects to an instance.
   *
   * @throws ConnectionError if the node has no such instance
   */
  connect(id: string): Promise<RemoteChain> {
    return this.#open(id);
  }

  /**
   * Lists the instances of the node, oldest first.
   *
   * @throws RpcError if the node rejects the call
   */
  async list(): Promise<readonly InstanceRow[]> {
    const rows: InstanceRow[] = [];
    let cursor: string | undefined;
    do {
      const page: Methods['devnet_listInstances']['result'] = await this.#chain.request(
        'devnet_listInstances',
        cursor === undefined ? {} : { cursor },
      );
      rows.push(...page.instances);
      cursor = page.next;
    } while (cursor !== undefined);
    return rows;
  }

  /**
   * Deletes an instance with its chain.
   *
   * @throws RpcError if the node has no such instance
   */
  async delete(id: string): Promise<void> {
    await this.#chain.request('devnet_deleteInstance', { instance_id: id });
  }
}

/** A chain of a running node. `connect` creates it. */
export class RemoteChain extends ChainControls {
  readonly rpcUrl: string;
  readonly fetch: typeof fetch;
  /** The instances of the node. */
  readonly instances: Instances;
  readonly #connection: Connection;
  #facts: Facts;
  /** Runs before the connection is closed. */
  readonly #beforeClose: () => Promise<void>;
  #closing: Promise<void> | undefined;

  /** @internal */
  constructor(connection: Connection, facts: Facts, beforeClose?: () => Promise<void>) {
    super({
      slotOf: connection.slotOf,
      readArtifact: (location) => connection.readArtifact(location),
      subscribe: (method, params) => connection.subscribe(method, params),
      call: async (method, params) => {
        const result = await connection.call(method, params);
        if (REPLACING.test(method)) this.#facts = await readFacts(connection);
        return result;
      },
    });
    this.#connection = connection;
    this.#facts = facts;
    this.#beforeClose = beforeClose ?? (async () => {});
    this.rpcUrl = connection.url;
    this.fetch = connection.fetch;
    this.instances = new Instances(this, (id) => this.#openInstance(id));
  }

  get accounts(): readonly PredeployedAccount[] {
    return this.#facts.accounts;
  }

  get accountClassHash(): string {
    return this.#facts.accountClassHash;
  }

  get tokens(): Chain['tokens'] {
    return this.#facts.tokens;
  }

  get udc(): PredeployedContract {
    return this.#facts.udc;
  }

  snapshot(): Promise<ChainSnapshot> {
    return snapshotBy(this.request);
  }

  /**
   * Returns an instance that begins as this chain is now. `close` deletes it.
   *
   * @throws RpcError if the node has too many instances
   */
  async branch(): Promise<RemoteChain> {
    const { instance_id } = await this.request('devnet_createInstance');
    return this.#openInstance(instance_id, () => this.instances.delete(instance_id));
  }

  /**
   * Ends the subscriptions of this connection. The node goes on.
   *
   * @throws RpcError if the node does not delete the instance of a `branch`
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#connection.close();
    await this.#beforeClose();
  }

  #openInstance(id: string, beforeClose?: () => Promise<void>): Promise<RemoteChain> {
    const { url, options, platform } = this.#connection;
    const node = url.replace(/(\/instances\/[^/]+)?\/rpc$/, '');
    return openChain(`${node}/instances/${id}/rpc`, options, platform, beforeClose);
  }
}

/**
 * Connects to a chain, and checks that a Starkbox node serves it.
 *
 * @throws ConnectionError if no Starkbox node responds at the URL
 */
export async function openChain(
  url: string,
  options: ConnectOptions,
  platform: Platform,
  beforeClose?: () => Promise<void>,
): Promise<RemoteChain> {
  const connection = new Connection(url, options, platform);
  return new RemoteChain(connection, await factsAt(connection), beforeClose);
}

/** Checks that a Starkbox node responds, and reads its facts. */
export async function factsAt(connection: Connection): Promise<Facts> {
  const { url } = connection;
  await connection.call('devnet_getStatus', {}).catch((error: unknown) => {
    if (!(error instanceof RpcError) || error.code !== ERRORS.METHOD_NOT_FOUND.code) throw error;
    throw new ConnectionError(
      url,
      `${url} is not a Starkbox node: it has no method devnet_getStatus. Start one with \`npx starkbox\`, or use the RpcProvider of starknet.js for other nodes.`,
    );
  });
  return readFacts(connection);
}

async function readFacts(connection: Connection): Promise<Facts> {
  const request: Request = async (method, ...[params]) =>
    resultOf(method, await connection.call(method, params));
  const [config, accounts, udcClass] = await Promise.all([
    request('devnet_getConfig'),
    readAccounts(request),
    request('starknet_getClassHashAt', { block_id: 'latest', contract_address: UDC }),
  ]);
  return {
    accounts,
    accountClassHash: config.account_contract_class_hash,
    tokens: {
      eth: { address: ETH, classHash: config.eth_erc20_class_hash },
      strk: { address: STRK, classHash: config.strk_erc20_class_hash },
    },
    udc: { address: UDC, classHash: udcClass },
  };
}

/** A restricted node keeps its accounts to itself. */
async function readAccounts(request: Request): Promise<readonly PredeployedAccount[]> {
  try {
    const rows = await request('devnet_getPredeployedAccounts');
    return rows.map(({ address, private_key, public_key, class_hash }) => ({
      address,
      privateKey: private_key,
      publicKey: public_key,
      ...(class_hash !== undefined && { classHash: class_hash }),
    }));
  } catch (error) {
    if (error instanceof RpcError && error.code === ERRORS.METHOD_FORBIDDEN.code) return [];
    throw error;
  }
}
