// Starkbox: a chain as a program holds it, with typed calls, branches, snapshots and controls.
import type { EXPLAINED } from '@starkbox/spec';
import type { Account } from '../chain/genesis/accounts.js';
import type { PredeployedContract } from '../chain/genesis/deployed.js';
import type { Genesis } from '../chain/genesis/genesis.js';
import type { Config } from '../config/options.js';
import { mustBeOptions, readSources, sourceOf } from '../config/source.js';
import type { L1Facts } from '../l1/l1-facts.js';
import type { ChainService } from '../service/chain-service.js';
import {
  Contracts,
  type DeclaredClass,
  type DeployedContract,
  type DeployRequest,
} from './contracts.js';
import { type BigNumberish, ContractStorage, feltOf, TimeControls } from '../client/controls.js';
import { inProcessFetch } from './in-process-fetch.js';
import {
  type AllMethods,
  type AnyMethodName,
  type ParamsArgument,
  resultOf,
  type SubscribeMethodName,
} from '../client/methods.js';
import { type ChainSnapshot, storedSnapshot, worldSnapshot } from './snapshot.js';
import { type ChainSubscription, subscribeInProcess } from './subscription.js';

/** Where a chain listens. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** The URL of the metrics page, if there is one. */
  readonly metricsUrl?: string | undefined;
}

export interface ListenOptions {
  /** 0 takes a free one. */
  readonly port?: number;
  readonly host?: string;
}

const LISTEN_OPTIONS: readonly (keyof ListenOptions)[] = ['port', 'host'];

function readListenOptions(options: ListenOptions): ListenOptions {
  mustBeOptions(options, 'listen', '{ port: 0 }', LISTEN_OPTIONS);
  const { values } = readSources([sourceOf(options, 'the options of listen')]);
  const { port, host } = values;
  return { ...(port === undefined ? {} : { port }), ...(host === undefined ? {} : { host }) };
}

/** What opens the servers of a chain and closes what belongs to it. */
export interface Host {
  listen(options: ListenOptions): Promise<ServerAddress>;
  close(): Promise<void>;
}

/** Where clients may send requests that `chain.fetch` answers: nothing is resolved or connected. */
const IN_PROCESS_URL = 'http://starkbox.invalid/rpc';

const IN_PROCESS = { transport: 'in-process' } as const;

export interface MintResult {
  readonly balance: bigint;
  readonly transactionHash: string;
}

export interface DealOptions {
  /** Name of the token's map of balances; the usual names are tried by default. */
  readonly variable?: string;
  /** Whether the total supply changes by the same amount. */
  readonly adjustSupply?: boolean;
}

/** An account whose transactions need no valid signature. */
export interface ImpersonatedAccount extends AsyncDisposable {
  readonly address: string;
  /** Signatures of the account are checked again. */
  stop(): Promise<void>;
}

/** A running chain, and the ways to call it. */
export class LocalChain implements AsyncDisposable {
  readonly time: TimeControls;
  /** A `fetch` that this chain answers in the process: for clients that take one, with `rpcUrl`. */
  readonly fetch: typeof fetch;
  readonly rpcUrl: string = IN_PROCESS_URL;
  /** The L1 that it was started with. */
  readonly l1: L1Facts | undefined;
  readonly #service: ChainService;
  readonly #hostOf: (service: ChainService) => Host;
  readonly #host: Host;
  #contracts: Contracts | undefined;

  /** @internal `createChain` and `branch` create chains. */
  constructor(
    service: ChainService,
    hostOf: (service: ChainService) => Host,
    start: { readonly host?: Host; readonly l1?: L1Facts | undefined } = {},
  ) {
    this.#service = service;
    this.#hostOf = hostOf;
    this.#host = start.host ?? hostOf(service);
    this.l1 = start.l1;
    this.fetch = inProcessFetch(() => this.#opened());
    this.time = new TimeControls(this.request);
  }

  /** Throws once the chain is closed. */
  #opened(): ChainService {
    if (this.#service.isClosed) {
      throw new Error(
        'The chain is closed: create another with createChain, or branch an open one',
      );
    }
    return this.#service;
  }

  get config(): Config {
    return this.#service.current.config;
  }

  /** The accounts that exist from the start, with their keys. */
  get accounts(): readonly Account[] {
    return this.#genesis.accounts;
  }

  get accountClassHash(): string {
    return this.#genesis.accountClass.hash;
  }

  get tokens(): { readonly eth: PredeployedContract; readonly strk: PredeployedContract } {
    const { eth, strk } = this.#genesis;
    return { eth, strk };
  }

  /** The universal deployer. */
  get udc(): PredeployedContract {
    return this.#genesis.udc;
  }

  /** Class hashes of the wallets that are declared on request. */
  get argent(): { readonly regular: string; readonly multisig: string } | undefined {
    return this.#genesis.argent;
  }

  get #genesis(): Genesis {
    return this.#service.current.genesis;
  }

  // Calls.

  /** Calls a method in this process; throws an `RpcError` where the wire would carry one. */
  readonly request = async <M extends AnyMethodName>(
    method: M,
    ...[params]: ParamsArgument<M>
  ): Promise<AllMethods[M]['result']> =>
    resultOf(method, await this.#opened().dispatcher.call(method, params, IN_PROCESS));

  /** As `request`, for names and values that come from elsewhere. */
  readonly requestRaw = async (method: string, params?: unknown): Promise<unknown> =>
    this.#opened().dispatcher.call(method, params, IN_PROCESS);

  /** Answers JSON-RPC text; undefined for notifications, which have no answer. */
  readonly handle = async (text: string): Promise<string | undefined> =>
    this.#opened().dispatcher.handle(text, IN_PROCESS);

  /**
   * Notifications as an async iterable, from now on. It ends when the chain is closed, restarted or loaded; on
   * a closed chain it throws.
   *
   * @example
   * for await (const { name, result } of chain.subscribe('starknet_subscribeNewHeads')) {
   *   if (name === 'starknet_subscriptionNewHeads') console.log(result.block_number);
   * }
   */
  subscribe<M extends SubscribeMethodName>(
    method: M,
    ...[params]: ParamsArgument<M>
  ): ChainSubscription<M> {
    return subscribeInProcess(this.#opened(), method, params, this.config.maximumQueuedMessages);
  }

  // The whole chain.

  /**
   * A chain of its own that begins as this one is now. Neither sees what the other does afterwards. It is kept
   * in memory, has no L1 and listens only if asked to.
   */
  branch(): LocalChain {
    const service = this.#opened().branch();
    return new LocalChain(service, this.#hostOf);
  }

  /** The chain as it is now, to return to any number of times. */
  async snapshot(): Promise<ChainSnapshot> {
    const service = this.#opened();
    const isPlain = !service.isStored && service.chain.world.messages.l1 === undefined;
    const snapshot = isPlain ? worldSnapshot(service.chain) : await storedSnapshot(service.l1);
    return {
      restore: async () => {
        this.#opened();
        await snapshot.restore();
      },
    };
  }

  /** Opens the HTTP server. Options that the command would refuse throw a `UsageError`. */
  async listen(options: ListenOptions = {}): Promise<ServerAddress> {
    return this.#host.listen(readListenOptions(options));
  }

  /** Answers the requests under way, ends subscriptions and closes everything. Later calls reject. */
  close(): Promise<void> {
    return this.#host.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  // Controls.

  /** Gives STRK (`FRI`) or ETH (`WEI`) to an address, by a transaction. */
  async mint(
    address: BigNumberish,
    amount: bigint | number,
    unit: 'FRI' | 'WEI' = 'FRI',
  ): Promise<MintResult> {
    const minted = await this.request('devnet_mint', { address: feltOf(address), amount, unit });
    return { balance: BigInt(minted.new_balance), transactionHash: minted.tx_hash };
  }

  /** Sets the balance of an address in any ERC-20 contract, by writing its storage. */
  async deal(
    token: BigNumberish,
    to: BigNumberish,
    amount: bigint | number,
    { variable, adjustSupply }: DealOptions = {},
  ): Promise<void> {
    await this.request('devnet_deal', {
      token: feltOf(token),
      address: feltOf(to),
      amount,
      ...(variable === undefined ? {} : { variable }),
      ...(adjustSupply === undefined ? {} : { adjust_supply: adjustSupply }),
    });
  }

  /**
   * Why a transaction failed: its calls decoded, the panic in words, and what to do.
   *
   * @example
   * const { summary, hint, text } = await chain.explain(transaction_hash);
   */
  explain(transactionHash: BigNumberish): Promise<EXPLAINED> {
    return this.request('devnet_explainTransaction', { transaction_hash: feltOf(transactionHash) });
  }

  /** Closes the block under construction and further empty ones, with seconds between them. */
  async mine(count: number = 1, { interval }: { readonly interval?: number } = {}): Promise<void> {
    await this.request('devnet_createBlock', {
      count,
      ...(interval === undefined ? {} : { interval }),
    });
  }

  /** Storage of a contract, by the names of its variables. */
  storage(contract: BigNumberish): ContractStorage {
    return new ContractStorage(this.request, feltOf(contract));
  }

  /** Accepts transactions of an account whatever their signatures. */
  async impersonate(address: BigNumberish): Promise<ImpersonatedAccount> {
    const account_address = feltOf(address);
    await this.request('devnet_impersonateAccount', { account_address });
    const stop = async (): Promise<void> => {
      await this.request('devnet_stopImpersonateAccount', { account_address });
    };
    return { address: account_address, stop, [Symbol.asyncDispose]: stop };
  }

  /**
   * Declares a class; its hashes are computed by the engine.
   *
   * @param artifact the path of a Sierra class as a compiler writes it, or its content
   */
  declare(artifact: string | URL | object): Promise<DeclaredClass> {
    return this.#contractsOf().declare(artifact);
  }

  /** Deploys a contract; throws an `RpcError` with the reason if its constructor fails. */
  deploy(deployment: DeployRequest): Promise<DeployedContract> {
    return this.#contractsOf().deploy(deployment);
  }

  #contractsOf(): Contracts {
    this.#contracts ??= new Contracts(this.#service.chain, this.request, this.udc.address);
    return this.#contracts;
  }
}
