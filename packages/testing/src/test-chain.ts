// A chain as a test uses it: the library's chain with starknet.js connected to it.
import {
  type ChainSnapshot,
  type ConfigInput,
  createNode,
  type Deployment,
  type Starkbox,
} from 'starkbox';
import { CallData, Contract, type RawArgs } from 'starknet';
import { accountsOf, type ChainAccount, forgetNonces, impersonate } from './client/account.js';
import { type ChainProvider, providerOf } from './client/provider.js';
import { type Collector, collectorOf, countsCalls } from './reports/collecting.js';

export interface DeployOptions extends Pick<Deployment, 'salt'> {
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
  const reported = countsCalls() ? { recordCalls: true } : {};
  return new TestChain(await createNode({ seed: 0, port: 0, ...reported, ...options }));
}

export class TestChain implements AsyncDisposable {
  /** The chain of the library. */
  readonly node: Starkbox;
  readonly provider: ChainProvider;
  /** The predeployed accounts, connected. */
  readonly accounts: readonly ChainAccount[];
  readonly request: Starkbox['request'];
  readonly time: Starkbox['time'];
  readonly fetch: Starkbox['fetch'];
  readonly rpcUrl: string;
  #collector: Collector | undefined;

  constructor(node: Starkbox) {
    this.node = node;
    this.#collector = collectorOf(node);
    this.provider = providerOf(node);
    this.accounts = accountsOf(node, this.provider);
    this.request = node.request;
    this.time = node.time;
    this.fetch = node.fetch;
    this.rpcUrl = node.rpcUrl;
  }

  get tokens(): Starkbox['tokens'] {
    return this.node.tokens;
  }

  get config(): Starkbox['config'] {
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

  subscribe: Starkbox['subscribe'] = (method, ...params) => this.node.subscribe(method, ...params);
  listen: Starkbox['listen'] = (options) => this.node.listen({ port: 0, ...options });
  mint: Starkbox['mint'] = (...params) => this.node.mint(...params);
  deal: Starkbox['deal'] = (...params) => this.node.deal(...params);
  mine: Starkbox['mine'] = (...params) => this.node.mine(...params);
  storage: Starkbox['storage'] = (contract) => this.node.storage(contract);
  declare: Starkbox['declare'] = (artifact) => this.node.declare(artifact);
  deploy: Starkbox['deploy'] = (deployment) => this.node.deploy(deployment);

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

  /**
   * Leaves what this chain does out of the reports of the run.
   *
   * @internal
   */
  leaveOut(): this {
    this.#collector = undefined;
    return this;
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
