// Session of a page: its node, selected account and permission, and the events about them.
import { isObject } from '@starkbox/abi/basics';
import type { Signer } from '@starkbox/signing';
import type { ChainId } from '@starknet-io/types-js';
import { WalletError } from './errors.js';
import { NodeError, WalletNode } from './node.js';
import { feltOf, fieldsOf, listOf } from './read.js';

export interface SessionEvents {
  accountsChanged: (accounts: string[]) => void;
  networkChanged: (chainId: ChainId, accounts: string[]) => void;
}

/** What outlives a reload of the page. */
interface StoredSession {
  readonly account?: string | undefined;
  readonly isConnected: boolean;
}

export class Session {
  #node: WalletNode;
  /** Other nodes that the page added, by chain id. */
  readonly #others = new Map<string, WalletNode>();
  readonly #first: WalletNode;
  readonly #key: string;
  #stored: StoredSession;
  readonly #listeners: { readonly [E in keyof SessionEvents]: Set<SessionEvents[E]> } = {
    accountsChanged: new Set(),
    networkChanged: new Set(),
  };

  constructor(node: WalletNode) {
    this.#first = node;
    this.#node = node;
    this.#key = `starkbox-wallet ${node.url}`;
    this.#stored = readStored(this.#key);
  }

  get node(): WalletNode {
    return this.#node;
  }

  get isConnected(): boolean {
    return this.#stored.isConnected;
  }

  /** The accounts of the node. Their keys are read when something is signed, and not kept. */
  async #signers(): Promise<readonly Signer[]> {
    const answer = await this.#node
      .call('devnet_getPredeployedAccounts')
      .catch((error: unknown) => {
        if (!(error instanceof NodeError)) throw error;
        const reason = `The node does not reveal its accounts: ${error.message} (${error.code}). A node with --restrictive-mode does not, and a page of another site needs --allowed-origins.`;
        throw new WalletError('UNKNOWN_ERROR', reason);
      });
    return listOf(answer, 'the accounts').map((account) => {
      const { address, private_key } = fieldsOf(account, 'an account');
      return {
        address: feltOf(address, 'the address'),
        privateKey: feltOf(private_key, 'the private key'),
      };
    });
  }

  async accounts(): Promise<readonly string[]> {
    return (await this.#signers()).map(({ address }) => address);
  }

  /** The selected account: the first one until another is selected. */
  async signer(): Promise<Signer> {
    const signers = await this.#signers();
    const signer = signers.find(({ address }) => address === this.#stored.account) ?? signers[0];
    if (signer) return signer;
    throw new WalletError(
      'UNKNOWN_ERROR',
      'The node has no accounts: it was started with --accounts 0.',
    );
  }

  /** @param which an address, or a number from zero */
  async select(which: string | number): Promise<string> {
    const accounts = await this.accounts();
    const requested = typeof which === 'number' ? accounts[which] : feltOf(which, 'the account');
    const account = accounts.find((address) => address === requested);
    if (account === undefined) throw new Error(`The node has no account ${which}.`);
    const { address: before } = await this.signer();
    this.#keep({ ...this.#stored, account: account });
    if (this.isConnected && account !== before) this.#emit('accountsChanged', [account]);
    return account;
  }

  connect(): void {
    this.#keep({ ...this.#stored, isConnected: true });
  }

  disconnect(): void {
    const wasConnected = this.isConnected;
    this.#keep({ ...this.#stored, isConnected: false });
    if (wasConnected) this.#emit('accountsChanged', []);
  }

  addChain(chainId: string, url: string): void {
    this.#others.set(chainId, new WalletNode(url));
  }

  /** The node of a chain that was added, or the first node. */
  async nodeOf(chainId: string): Promise<WalletNode | undefined> {
    const other = this.#others.get(chainId);
    return other ?? ((await this.#first.chainId()) === chainId ? this.#first : undefined);
  }

  async switchTo(node: WalletNode): Promise<void> {
    const before = this.#node;
    this.#node = node;
    try {
      const [chainId, { address }] = await Promise.all([node.chainId(), this.signer()]);
      this.#emit('networkChanged', chainId, this.isConnected ? [address] : []);
    } catch (error) {
      this.#node = before;
      throw error;
    }
  }

  on<E extends keyof SessionEvents>(event: E, listener: SessionEvents[E]): void {
    this.#listeners[event]?.add(listener);
  }

  off<E extends keyof SessionEvents>(event: E, listener: SessionEvents[E]): void {
    this.#listeners[event]?.delete(listener);
  }

  #emit(event: 'accountsChanged', accounts: string[]): void;
  #emit(event: 'networkChanged', chainId: ChainId, accounts: string[]): void;
  #emit(event: keyof SessionEvents, ...values: [string[]] | [ChainId, string[]]): void {
    for (const listener of this.#listeners[event]) Reflect.apply(listener, undefined, values);
  }

  #keep(state: StoredSession): void {
    this.#stored = state;
    // A page without an origin has no storage.
    storage()?.setItem(this.#key, JSON.stringify(state));
  }
}

/** Undefined where the page may not store anything. */
function storage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

function readStored(key: string): StoredSession {
  const text = storage()?.getItem(key);
  if (!text) return { isConnected: false };
  const value: unknown = JSON.parse(text);
  const { account, isConnected } = isObject(value) ? value : {};
  return {
    isConnected: isConnected === true,
    account: typeof account === 'string' ? account : undefined,
  };
}
