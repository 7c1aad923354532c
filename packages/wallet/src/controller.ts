// Controller of the wallet, for scripts of a page and of its tests.
import type { HistoryEntry, PendingRequest, Policy, PreparedDecision } from './approvals.js';
import type { Wallet } from './wallet.js';

/**
 * Steers the wallet of a page. It is `window.starkboxWallet`.
 *
 * @example
 * starkboxWallet.policy = 'approve';
 * starkboxWallet.next('reject', { decision: 'approve', delay: 500 });
 */
export class WalletController {
  readonly #wallet: Wallet;
  readonly #uninstall: () => void;

  constructor(wallet: Wallet, uninstall: () => void) {
    this.#wallet = wallet;
    this.#uninstall = uninstall;
  }

  /** The decision about requests without a prepared decision; `ask` shows them in the panel. */
  get policy(): Policy {
    return this.#wallet.approvals.policy;
  }

  set policy(policy: Policy) {
    this.#wallet.approvals.policy = checkPolicy(policy);
  }

  /** Milliseconds before a decision of the policy takes effect. */
  get delay(): number {
    return this.#wallet.approvals.delay;
  }

  set delay(milliseconds: number) {
    this.#wallet.approvals.delay = milliseconds;
  }

  /**
   * Prepares decisions for the next requests that need approval.
   *
   * @throws TypeError if a decision is not `approve`, `reject` or `ask`
   */
  next(...answers: readonly (Policy | PreparedDecision)[]): void {
    const prepared = answers.map((answer) =>
      typeof answer === 'string' ? { decision: answer } : answer,
    );
    for (const { decision } of prepared) checkPolicy(decision);
    this.#wallet.approvals.prepare(prepared);
  }

  /** Requests that wait, the oldest first. */
  get pending(): readonly PendingRequest[] {
    return this.#wallet.approvals.pending;
  }

  /** The last 200 requests that were approved or rejected. */
  get history(): readonly HistoryEntry[] {
    return this.#wallet.approvals.history;
  }

  /**
   * Approves a pending request; without an id the oldest.
   *
   * @throws Error if no such request waits
   */
  approve(id?: number): void {
    this.#wallet.approvals.decide('approve', id);
  }

  /**
   * Rejects a pending request; without an id the oldest.
   *
   * @throws Error if no such request waits
   */
  reject(id?: number): void {
    this.#wallet.approvals.decide('reject', id);
  }

  /** Resolves with a pending request, of the method if one is given. */
  waitForRequest(method?: string): Promise<PendingRequest> {
    const { approvals } = this.#wallet;
    return new Promise((resolve) => {
      const look = (): void => {
        const match = approvals.pending.find(
          (pending) => (method ?? pending.method) === pending.method,
        );
        if (!match) return;
        stop();
        resolve(match);
      };
      const stop = approvals.watch(look);
      look();
    });
  }

  /**
   * Addresses of the accounts of the node.
   *
   * @throws WalletError if the node does not respond, or keeps its accounts to itself
   */
  accounts(): Promise<readonly string[]> {
    return this.#wallet.session.accounts();
  }

  /**
   * The address of the selected account.
   *
   * @throws WalletError if the node does not respond, or keeps its accounts to itself
   */
  async account(): Promise<string> {
    return (await this.#wallet.session.signer()).address;
  }

  /**
   * Selects an account by its address or its number from zero; its address.
   *
   * @throws Error if the node has no such account
   */
  selectAccount(which: string | number): Promise<string> {
    return this.#wallet.session.select(which);
  }

  /** Whether the page may see the selected account. */
  get isConnected(): boolean {
    return this.#wallet.session.isConnected;
  }

  /** Takes the permission back, as a user does in the settings of a wallet. */
  disconnect(): void {
    this.#wallet.session.disconnect();
  }

  /** Removes the wallet from the page. */
  uninstall(): void {
    this.#uninstall();
  }
}

function checkPolicy(policy: Policy): Policy {
  if (policy === 'approve' || policy === 'reject' || policy === 'ask') return policy;
  throw new TypeError(`The decision ${policy} must be approve, reject or ask.`);
}
