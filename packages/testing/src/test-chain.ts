// A chain as a test uses it: a chain of the library with starknet.js connected to it.

import { readAbi } from '@starkbox/abi';
import { trust } from '@starkbox/abi/basics';
import { constructorOf, orderedArguments, wrongArgument } from '@starkbox/abi/internal';
import {
  type BigNumberish,
  type CallBranch,
  type Chain,
  type ChainSnapshot,
  type ConfigInput,
  createChain,
  type DeployRequest,
  type ListenOptions,
  type LocalChain,
  type ServerAddress,
} from 'starkbox';
import type { ConnectOptions } from 'starkbox/client';
import { CallData, type Contract, type RawArgs } from 'starknet';
import {
  type ChainAccount,
  forgetNonces,
  getAccounts,
  type ImpersonatedChainAccount,
  impersonate,
  type PredeployedChainAccount,
} from './client/account.js';
import { rememberArtifact, rememberChain } from './client/artifacts.js';
import { ChainContract } from './client/contract.js';
import { type ChainProvider, getProvider } from './client/provider.js';
import { type Collector, collectorOf, countsCalls } from './reports/collecting.js';

/** Options of `deployContract`. */
export interface DeployOptions extends Pick<DeployRequest, 'salt'> {
  /** The account that sends the transactions of the contract; the first one by default. */
  readonly account?: ChainAccount;
}

/**
 * Returns a chain for tests: a new one in this process with seed 0, a running node at a URL, or a chain of `createChain`
 * or `connect`.
 *
 * @example
 * await using chain = await createTestChain();
 * const counter = await chain.deployContract('target/dev/counter.contract_class.json', [0]);
 * await counter.invoke('increase', [5]);
 * @throws UsageError if the command would reject the options
 * @throws ConnectionError if no Starkbox node responds at the URL
 */
export function createTestChain(url: string | URL, options?: ConnectOptions): Promise<TestChain>;
export function createTestChain(chain: LocalChain): Promise<LocalTestChain>;
export function createTestChain(chain: Chain): Promise<TestChain>;
export function createTestChain(options?: ConfigInput): Promise<LocalTestChain>;
export async function createTestChain(
  source: ConfigInput | Chain | string | URL = {},
  options: ConnectOptions = {},
): Promise<TestChain> {
  if (typeof source === 'string' || source instanceof URL) {
    const { connect } = await import('starkbox/client');
    return new TestChain(await connect(source, options));
  }
  if (!isChain(source)) return new LocalTestChain(await createLocalChain(source));
  return isLocal(source) ? new LocalTestChain(source) : new TestChain(source);
}

function isChain(source: ConfigInput | Chain): source is Chain {
  return 'request' in source;
}

function isLocal(chain: Chain): chain is LocalChain {
  return 'handle' in chain;
}

/** A chain that the reports of the run leave out. */
export async function createUnreportedChain(options: ConfigInput = {}): Promise<LocalTestChain> {
  return new LocalTestChain(await createLocalChain(options), { isReported: false });
}

function createLocalChain(options: ConfigInput): Promise<LocalChain> {
  const reported = countsCalls() ? { recordCalls: true } : {};
  return createChain({ seed: 0, port: 0, ...reported, ...options });
}

/** A chain with starknet.js connected to it, in this process or at a URL. */
export class TestChain implements Chain {
  /** The starknet.js provider of the chain. */
  readonly provider: ChainProvider;
  readonly request: Chain['request'];
  readonly requestRaw: Chain['requestRaw'];
  readonly time: Chain['time'];
  readonly fetch: typeof fetch;
  readonly rpcUrl: string;
  readonly #chain: Chain;
  #accounts: readonly PredeployedChainAccount[] = [];
  /** The list that the accounts were made of: a chain that is loaded has another one. */
  #listed: Chain['accounts'] | undefined;
  #collector: Collector | undefined;

  /** @param chain closed together with this one */
  constructor(chain: Chain, { isReported = true }: { readonly isReported?: boolean } = {}) {
    this.#chain = chain;
    this.#collector = isReported ? collectorOf(chain) : undefined;
    this.provider = getProvider(chain);
    this.request = chain.request;
    this.requestRaw = chain.requestRaw;
    this.time = chain.time;
    this.fetch = chain.fetch;
    this.rpcUrl = chain.rpcUrl;
  }

  /** The predeployed accounts as starknet.js accounts. */
  get accounts(): readonly PredeployedChainAccount[] {
    const listed = this.#chain.accounts;
    if (listed !== this.#listed) {
      this.#listed = listed;
      this.#accounts = getAccounts(this.#chain, this.provider);
    }
    return this.#accounts;
  }

  get accountClassHash(): string {
    return this.#chain.accountClassHash;
  }

  get tokens(): Chain['tokens'] {
    return this.#chain.tokens;
  }

  get udc(): Chain['udc'] {
    return this.#chain.udc;
  }

  async snapshot(): Promise<ChainSnapshot> {
    const snapshot = await this.#chain.snapshot();
    return {
      restore: async () => {
        await snapshot.restore();
        forgetNonces(this.provider);
      },
      delete: () => snapshot.delete(),
    };
  }

  subscribe: Chain['subscribe'] = (method, ...params) => this.#chain.subscribe(method, ...params);
  mint: Chain['mint'] = (...params) => this.#chain.mint(...params);
  deal: Chain['deal'] = (...params) => this.#chain.deal(...params);
  mine: Chain['mine'] = (...params) => this.#chain.mine(...params);
  setNetworkConditions: Chain['setNetworkConditions'] = (conditions) =>
    this.#chain.setNetworkConditions(conditions);
  explain: Chain['explain'] = (transactionHash) => this.#chain.explain(transactionHash);
  storage: Chain['storage'] = (contract) => this.#chain.storage(contract);
  declare: Chain['declare'] = (artifact) => {
    rememberArtifact(artifact);
    return this.#chain.declare(artifact);
  };
  deploy: Chain['deploy'] = (request) => this.#chain.deploy(request);

  /**
   * Returns any account as a starknet.js account that needs no key.
   *
   * @throws RangeError if the address is not a felt
   * @throws RpcError if the node rejects the call
   */
  impersonate(address: BigNumberish): Promise<ImpersonatedChainAccount> {
    return impersonate(this.#chain, address, this.provider);
  }

  /**
   * Declares a class, if needed, and deploys a contract of it.
   *
   * @param artifact the path of a Sierra class as a compiler writes it, or its content
   * @param args arguments of the constructor, as starknet.js takes them
   * @throws TypeError if the artifact is no Sierra class
   * @throws Error if the arguments do not fit the constructor
   * @throws RpcError with the reason if the class does not compile, or the constructor fails
   */
  async deployContract(
    artifact: string | URL | object,
    args: RawArgs = [],
    { account, salt }: DeployOptions = {},
  ): Promise<Contract> {
    const { classHash, abi } = await this.declare(artifact);
    const { address } = await this.#chain.deploy({
      classHash,
      calldata: constructorCalldata([...abi], args),
      ...(salt === undefined ? {} : { salt }),
    });
    return this.#contract([...abi], address, account);
  }

  /**
   * Returns a deployed contract; its ABI is read from the chain.
   *
   * @throws RpcError of starknet.js if there is no such contract
   */
  async contractAt(address: string, account?: ChainAccount): Promise<Contract> {
    const { abi } = await this.provider.getClassAt(address);
    return this.#contract(abi, address, account);
  }

  #contract(
    abi: Contract['abi'],
    address: string,
    account: ChainAccount | undefined = this.accounts[0],
  ): Contract {
    return new ChainContract({ abi, address, providerOrAccount: account ?? this.provider });
  }

  /** Writes what the chain adds to the reports of the run, and closes it. */
  async close(): Promise<void> {
    const collector = this.#collector;
    this.#collector = undefined;
    try {
      await collector?.finish();
    } finally {
      await this.#chain.close();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** A chain in this process with starknet.js connected to it. */
export class LocalTestChain extends TestChain {
  /** The L1 that it was started with. */
  readonly l1: LocalChain['l1'];
  /**
   * Handles a JSON-RPC request as a string, and returns the response; undefined for notifications.
   *
   * @throws Error if the chain is closed
   */
  readonly handle: LocalChain['handle'];
  readonly #chain: LocalChain;

  /** @param chain closed together with this one */
  constructor(chain: LocalChain, options: { readonly isReported?: boolean } = {}) {
    super(chain, options);
    this.#chain = chain;
    rememberChain(this.provider, chain);
    this.l1 = chain.l1;
    this.handle = chain.handle;
  }

  /** The options of the chain, defaults included. */
  get config(): LocalChain['config'] {
    return this.#chain.config;
  }

  /**
   * Reads the debug information and sources of a compiled class from a file.
   *
   * @throws Error if the chain is closed, the file cannot be read, or it is no class
   */
  addArtifact: LocalChain['addArtifact'] = (artifact) => this.#chain.addArtifact(artifact);

  /** Class hashes of the Argent accounts, with the option `predeclareArgent`. */
  get argent(): LocalChain['argent'] {
    return this.#chain.argent;
  }

  /**
   * Returns a chain that begins as this one is now. Neither sees later changes of the other.
   *
   * @throws Error if the chain is closed
   */
  branch(): LocalTestChain {
    return new LocalTestChain(this.#chain.branch());
  }

  /**
   * Returns a branch of this chain on which any address calls functions, without transactions.
   *
   * @throws Error if the chain is closed
   */
  callBranch(): CallBranch {
    return this.#chain.callBranch();
  }

  /**
   * Opens the HTTP server, on a free port by default.
   *
   * @throws UsageError if the command would reject the options
   * @throws Error if the port is taken, or the chain is closed
   */
  listen(options: ListenOptions = {}): Promise<ServerAddress> {
    return this.#chain.listen({ port: 0, ...options });
  }
}

/** The function that encodes a single argument, added to the ABI. */
const ENCODER = '__encode_argument__';

/** The calldata of a constructor, whose arguments are checked and encoded one by one. */
function constructorCalldata(abi: Contract['abi'], args: RawArgs): readonly string[] {
  const signature = constructorOf(readAbi(abi));
  const values = orderedArguments(signature, Array.isArray(args) ? args : { ...args });
  return signature.inputs.flatMap((input, index) => {
    const encoder = { type: 'function', name: ENCODER, inputs: [input], outputs: [] };
    try {
      return new CallData([...abi, encoder]).compile(ENCODER, trust<RawArgs>([values[index]]));
    } catch (error) {
      throw wrongArgument(signature, input, error instanceof Error ? error.message : String(error));
    }
  });
}
