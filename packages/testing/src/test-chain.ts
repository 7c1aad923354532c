// A chain as a test uses it: the library's chain with starknet.js connected to it.
import {
  type ChainSnapshot,
  type ConfigInput,
  createChain,
  type DeployRequest,
  type LocalChain,
} from 'starkbox';
import { CallData, Contract, type RawArgs } from 'starknet';
import { type ChainAccount, forgetNonces, getAccounts, impersonate } from './client/account.js';
import { type ChainProvider, getProvider } from './client/provider.js';
import { type Collector, collectorOf, countsCalls } from './reports/collecting.js';

export interface DeployOptions extends Pick<DeployRequest, 'salt'> {
  /** Who sends the transactions of the contract; the first account by default. */
  readonly account?: ChainAccount;
}

/**
 * Starts a chain in this process, with seed 0 unless another is given.
 *
 * @example
 * await using chain = await createTestChain();
 * const counter = await chain.deployContract('target/dev/counter.contract_class.json');
 * await counter.invoke('increase', [5]);
 */
export async function createTestChain(options: ConfigInput = {}): Promise<TestChain> {
  return new TestChain(await createLocalChain(options));
}

/** A chain that the reports of the run leave out. */
export async function createUnreportedChain(options: ConfigInput = {}): Promise<TestChain> {
  return new TestChain(await createLocalChain(options), { isReported: false });
}

function createLocalChain(options: ConfigInput): Promise<LocalChain> {
  const reported = countsCalls() ? { recordCalls: true } : {};
  return createChain({ seed: 0, port: 0, ...reported, ...options });
}

export class TestChain implements AsyncDisposable {
  /** The chain of the library. */
  readonly node: LocalChain;
  readonly provider: ChainProvider;
  /** The predeployed accounts, connected. */
  readonly accounts: readonly ChainAccount[];
  readonly request: LocalChain['request'];
  readonly time: LocalChain['time'];
  readonly fetch: LocalChain['fetch'];
  readonly rpcUrl: string;
  #collector: Collector | undefined;

  constructor(node: LocalChain, { isReported = true }: { readonly isReported?: boolean } = {}) {
    this.node = node;
    this.#collector = isReported ? collectorOf(node) : undefined;
    this.provider = getProvider(node);
    this.accounts = getAccounts(node, this.provider);
    this.request = node.request;
    this.time = node.time;
    this.fetch = node.fetch;
    this.rpcUrl = node.rpcUrl;
  }

  get tokens(): LocalChain['tokens'] {
    return this.node.tokens;
  }

  get config(): LocalChain['config'] {
    return this.node.config;
  }

  /** A chain of its own that begins as this one is now. */
  branch(): TestChain {
    return new TestChain(this.node.branch());
  }

  async snapshot(): Promise<ChainSnapshot> {
    const snapshot = await this.node.snapshot();
    return {
      restore: async () => {
        await snapshot.restore();
        forgetNonces(this.provider);
      },
    };
  }

  subscribe: LocalChain['subscribe'] = (method, ...params) =>
    this.node.subscribe(method, ...params);
  listen: LocalChain['listen'] = (options) => this.node.listen({ port: 0, ...options });
  mint: LocalChain['mint'] = (...params) => this.node.mint(...params);
  deal: LocalChain['deal'] = (...params) => this.node.deal(...params);
  mine: LocalChain['mine'] = (...params) => this.node.mine(...params);
  storage: LocalChain['storage'] = (contract) => this.node.storage(contract);
  declare: LocalChain['declare'] = (artifact) => this.node.declare(artifact);
  deploy: LocalChain['deploy'] = (deployment) => this.node.deploy(deployment);

  /** Any account, without its key. */
  impersonate(address: string): Promise<ChainAccount> {
    return impersonate(this.node, address, this.provider);
  }

  /**
   * Declares a class, if needed, and deploys a contract of it.
   *
   * @param artifact the path of a Sierra class as a compiler writes it, or its content
   * @param args arguments of the constructor, as starknet.js takes them
   */
  async deployContract(
    artifact: string | URL | object,
    args: RawArgs = [],
    { account, salt }: DeployOptions = {},
  ): Promise<Contract> {
    const { classHash, abi } = await this.node.declare(artifact);
    const calldata = new CallData([...abi]).compile('constructor', args);
    const { address } = await this.node.deploy({
      classHash,
      calldata,
      ...(salt === undefined ? {} : { salt }),
    });
    return this.#contract([...abi], address, account);
  }

  /** A contract that is there already; its ABI is read from the chain. */
  async contractAt(address: string, account?: ChainAccount): Promise<Contract> {
    const { abi } = await this.provider.getClassAt(address);
    return this.#contract(abi, address, account);
  }

  #contract(
    abi: Contract['abi'],
    address: string,
    account: ChainAccount | undefined = this.accounts[0],
  ): Contract {
    return new Contract({ abi, address, providerOrAccount: account ?? this.provider });
  }

  async close(): Promise<void> {
    const collector = this.#collector;
    this.#collector = undefined;
    try {
      await collector?.finish();
    } finally {
      await this.node.close();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
