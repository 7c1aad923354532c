// A chain as a program holds it, in the process or at a URL: typed calls, controls, snapshots and subscriptions.
import type { EXPLAINED, NETWORK_CONDITIONS, NETWORK_STATUS } from '@starkbox/spec';
import { RpcError } from '../errors.js';
import type { PredeployedAccount, PredeployedContract } from '../predeployed.js';
import { abiIn, sierraIn } from './class-file.js';
import {
  type BigNumberish,
  ContractStorage,
  feltOf,
  integerOf,
  type Request,
  type SlotHash,
  TimeControls,
} from './controls.js';
import {
  type AllMethods,
  type AnyMethodName,
  type ParamsArgument,
  resultOf,
  type SubscribeMethodName,
} from './methods.js';
import { withReason } from './rpc-failure.js';
import type { ChainSubscription } from './subscription.js';

/** The result of `mint`. */
export interface MintResult {
  /** The balance afterwards. */
  readonly balance: bigint;
  /** The transaction that minted the tokens. */
  readonly transactionHash: string;
}

/** Options of `deal`. */
export interface DealOptions {
  /** The name of the token's map of balances; the usual names are tried by default. */
  readonly variable?: string;
  /** Whether the total supply changes by the same amount. */
  readonly adjustSupply?: boolean;
}

/** Options of `mine`. */
export interface MineOptions {
  /** Seconds between two blocks. */
  readonly interval?: number;
}

/** Network conditions that have a name. */
export type NetworkPreset = 'calm' | 'busy' | 'congested';

/** An account whose transactions need no valid signature. */
export interface ImpersonatedAccount extends AsyncDisposable {
  /** The address of the account. */
  readonly address: string;
  /**
   * Ends the impersonation: the node checks signatures of the account again.
   *
   * @throws RpcError if the node rejects the call
   */
  stop(): Promise<void>;
}

/** A moment of a chain to return to. */
export interface ChainSnapshot {
  /**
   * Returns the chain to the moment of the snapshot, any number of times. On a running node, and on a chain with
   * a data directory or an L1, this drops the snapshots made after it.
   *
   * @throws RpcError if the snapshot no longer exists: it was deleted, or the chain was restarted, loaded or returned to
   * an earlier moment
   */
  restore(): Promise<void>;
  /**
   * Deletes the snapshot, which a running node and a data directory keep otherwise. Other snapshots stay.
   *
   * @throws RpcError if the node rejects the call
   */
  delete(): Promise<void>;
}

/** A declared class. */
export interface DeclaredClass {
  /** The hash of the class. */
  readonly classHash: string;
  /** The hash of its CASM. */
  readonly compiledClassHash: string;
  /** Undefined if the class was declared before. */
  readonly transactionHash: string | undefined;
  /** The ABI as the compiler wrote it. */
  readonly abi: readonly unknown[];
}

/** The argument of `deploy`. */
export interface DeployRequest {
  /** The hash of a declared class. */
  readonly classHash: string;
  /** Arguments of the constructor, as felts. */
  readonly calldata?: readonly BigNumberish[];
  /** By default it differs each time: each deployment has its own address. */
  readonly salt?: BigNumberish;
}

/** The result of `deploy`. */
export interface DeployedContract {
  /** The address of the contract. */
  readonly address: string;
  /** The transaction that deployed it. */
  readonly transactionHash: string;
}

/**
 * A chain: in this process (`createChain` of `starkbox`) or at a URL (`connect` of `starkbox/client`).
 *
 * Every method rejects once the chain is closed, and throws an `RpcError` where the node rejects the call.
 */
export interface Chain extends AsyncDisposable {
  /** The URL for clients that take one, together with `fetch`. */
  readonly rpcUrl: string;
  /** A `fetch` that reaches the chain, for clients that take one. */
  readonly fetch: typeof fetch;
  /** The accounts that exist from the start, with their keys. */
  readonly accounts: readonly PredeployedAccount[];
  /** The class of these accounts. */
  readonly accountClassHash: string;
  /** The fee tokens. */
  readonly tokens: { readonly eth: PredeployedContract; readonly strk: PredeployedContract };
  /** The universal deployer. */
  readonly udc: PredeployedContract;
  /** The time of the chain. */
  readonly time: TimeControls;

  /**
   * Calls a method of the node.
   *
   * @throws RpcError if the node rejects the call
   */
  readonly request: Request;
  /**
   * Calls a method by a name that is not known to the types.
   *
   * @throws RpcError if the node rejects the call
   */
  readonly requestRaw: (method: string, params?: unknown) => Promise<unknown>;
  /**
   * Returns notifications as an async iterable, from now on.
   *
   * @throws Error if the chain is closed
   */
  subscribe<M extends SubscribeMethodName>(
    method: M,
    ...params: ParamsArgument<M>
  ): ChainSubscription<M>;

  /**
   * Saves the chain as it is now, to return to any number of times.
   *
   * @throws RpcError if the node has too many snapshots
   */
  snapshot(): Promise<ChainSnapshot>;
  /**
   * Gives STRK (`FRI`) or ETH (`WEI`) to an address, by a transaction.
   *
   * @throws RangeError if the address is not a felt, or the amount is not an integer
   * @throws RpcError if the amount exceeds the supply
   */
  mint(address: BigNumberish, amount: bigint | number, unit?: 'FRI' | 'WEI'): Promise<MintResult>;
  /**
   * Sets the balance of an address in any ERC-20 contract, by writing its storage.
   *
   * @throws RangeError if an address is not a felt, or the amount is not an integer
   * @throws RpcError if the contract is no token, or its balances are not found
   */
  deal(
    token: BigNumberish,
    to: BigNumberish,
    amount: bigint | number,
    options?: DealOptions,
  ): Promise<void>;
  /**
   * Explains a transaction: its calls decoded, the panic in words, and what to do.
   *
   * @throws RangeError if the hash is not a felt
   * @throws RpcError if there is no such transaction
   */
  explain(transactionHash: BigNumberish): Promise<EXPLAINED>;
  /**
   * Closes the block under construction, and further empty ones.
   *
   * @throws RpcError if the count or the interval is out of range
   */
  mine(count?: number, options?: MineOptions): Promise<void>;
  /**
   * Imitates a network: prices that move, full blocks, transactions that wait or get lost. `null` ends it.
   *
   * @throws RpcError if the conditions are wrong
   */
  setNetworkConditions(
    conditions: NetworkPreset | NETWORK_CONDITIONS | null,
  ): Promise<NETWORK_STATUS>;
  /**
   * Returns the storage of a contract, by the names of its variables.
   *
   * @throws RangeError if the address is not a felt
   */
  storage(contract: BigNumberish): ContractStorage;
  /**
   * Accepts transactions of an account without a valid signature.
   *
   * @throws RangeError if the address is not a felt
   * @throws RpcError if the node rejects the call
   */
  impersonate(address: BigNumberish): Promise<ImpersonatedAccount>;
  /**
   * Declares a class, unless the chain has it. An account of the node pays.
   *
   * @param artifact the path or URL of a Sierra class as a compiler writes it, or its content
   * @throws TypeError if the artifact is no Sierra class
   * @throws RpcError if the class does not compile
   */
  declare(artifact: string | URL | object): Promise<DeclaredClass>;
  /**
   * Deploys a contract. An account of the node pays.
   *
   * @throws RangeError if an argument is not a felt
   * @throws RpcError with the reason if the class is not declared, or its constructor fails
   */
  deploy(request: DeployRequest): Promise<DeployedContract>;
  /** Ends subscriptions and closes the chain, or the connection to it. Later calls reject. */
  close(): Promise<void>;
}

/** The ways to reach a chain, and the parts that differ between hosts. */
export interface Transport {
  /** @throws RpcError as the wire carries it */
  call(method: string, params: unknown): Promise<unknown>;
  subscribe<M extends SubscribeMethodName>(method: M, params: unknown): ChainSubscription<M>;
  readonly slotOf: SlotHash;
  /** Reads the text of a class. */
  readArtifact(location: string | URL): Promise<string>;
}

/** The controls of a chain over its transport. */
export abstract class ChainControls implements Chain {
  abstract readonly rpcUrl: string;
  abstract readonly fetch: typeof fetch;
  abstract readonly accounts: readonly PredeployedAccount[];
  abstract readonly accountClassHash: string;
  abstract readonly tokens: Chain['tokens'];
  abstract readonly udc: PredeployedContract;
  readonly time: TimeControls;
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
    this.time = new TimeControls(this.request);
  }

  readonly request = async <M extends AnyMethodName>(
    method: M,
    ...[params]: ParamsArgument<M>
  ): Promise<AllMethods[M]['result']> => resultOf(method, await this.requestRaw(method, params));

  readonly requestRaw = async (method: string, params?: unknown): Promise<unknown> => {
    try {
      return await this.#transport.call(method, params);
    } catch (error) {
      throw withReason(error);
    }
  };

  /**
   * Returns notifications as an async iterable, from now on. It ends when the chain is closed, restarted or loaded.
   *
   * @example
   * for await (const { name, result } of chain.subscribe('starknet_subscribeNewHeads')) {
   *   if (name === 'starknet_subscriptionNewHeads') console.log(result.block_number);
   * }
   * @throws Error if the chain is closed
   */
  subscribe<M extends SubscribeMethodName>(
    method: M,
    ...[params]: ParamsArgument<M>
  ): ChainSubscription<M> {
    return this.#transport.subscribe(method, params);
  }

  abstract snapshot(): Promise<ChainSnapshot>;
  abstract close(): Promise<void>;

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async mint(
    address: BigNumberish,
    amount: bigint | number,
    unit: 'FRI' | 'WEI' = 'FRI',
  ): Promise<MintResult> {
    const minted = await this.request('devnet_mint', {
      address: feltOf(address, 'address'),
      amount: integerOf(amount, 'amount'),
      unit,
    });
    return { balance: BigInt(minted.new_balance), transactionHash: minted.tx_hash };
  }

  async deal(
    token: BigNumberish,
    to: BigNumberish,
    amount: bigint | number,
    { variable, adjustSupply }: DealOptions = {},
  ): Promise<void> {
    await this.request('devnet_deal', {
      token: feltOf(token, 'token'),
      address: feltOf(to, 'to'),
      amount: integerOf(amount, 'amount'),
      ...(variable === undefined ? {} : { variable }),
      ...(adjustSupply === undefined ? {} : { adjust_supply: adjustSupply }),
    });
  }

  async explain(transactionHash: BigNumberish): Promise<EXPLAINED> {
    return this.request('devnet_explainTransaction', {
      transaction_hash: feltOf(transactionHash, 'transactionHash'),
    });
  }

  async mine(count: number = 1, { interval }: MineOptions = {}): Promise<void> {
    await this.request('devnet_createBlock', {
      count,
      ...(interval === undefined ? {} : { interval }),
    });
  }

  setNetworkConditions(
    conditions: NetworkPreset | NETWORK_CONDITIONS | null,
  ): Promise<NETWORK_STATUS> {
    return this.request('devnet_setNetworkConditions', { conditions });
  }

  storage(contract: BigNumberish): ContractStorage {
    return new ContractStorage(this.request, this.#transport.slotOf, feltOf(contract, 'contract'));
  }

  async impersonate(address: BigNumberish): Promise<ImpersonatedAccount> {
    const account_address = feltOf(address, 'address');
    await this.request('devnet_impersonateAccount', { account_address });
    const stop = async (): Promise<void> => {
      await this.request('devnet_stopImpersonateAccount', { account_address });
    };
    return { address: account_address, stop, [Symbol.asyncDispose]: stop };
  }

  async declare(artifact: string | URL | object): Promise<DeclaredClass> {
    const contractClass = await sierraIn(artifact, (location) =>
      this.#transport.readArtifact(location),
    );
    const declared = await this.request('devnet_declare', { contract_class: contractClass });
    return {
      classHash: declared.class_hash,
      compiledClassHash: declared.compiled_class_hash,
      transactionHash: declared.transaction_hash,
      abi: abiIn(contractClass),
    };
  }

  async deploy({ classHash, calldata = [], salt }: DeployRequest): Promise<DeployedContract> {
    const deployed = await this.request('devnet_deploy', {
      class_hash: feltOf(classHash, 'classHash'),
      constructor_calldata: calldata.map((value) => feltOf(value, 'calldata')),
      ...(salt === undefined ? {} : { salt: feltOf(salt, 'salt') }),
    });
    return { address: deployed.contract_address, transactionHash: deployed.transaction_hash };
  }
}

/** A snapshot by the methods of the node. */
export async function snapshotBy(request: Request): Promise<ChainSnapshot> {
  let snapshot_id = await request('devnet_snapshot');
  return {
    restore: async () => {
      if (!(await request('devnet_revert', { snapshot_id }))) throw goneSnapshot();
      // The node drops a snapshot that it returns to.
      snapshot_id = await request('devnet_snapshot');
    },
    delete: async () => {
      await request('devnet_deleteSnapshot', { snapshot_id });
    },
  };
}

export function goneSnapshot(): RpcError {
  return new RpcError(
    -1,
    'The snapshot no longer exists: it was deleted, or the chain was restarted, loaded or returned to an earlier moment. Make another with chain.snapshot()',
  );
}
