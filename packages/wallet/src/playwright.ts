// Steering of the wallet from a test with Playwright.
import type { JSHandle, Page } from 'playwright-core';
import type { HistoryEntry, PendingRequest, Policy, PreparedDecision } from './approvals.js';
import type { WalletController } from './controller.js';
import type { InstallOptions } from './install.js';

/** The wallet of a page. */
export interface PageWallet {
  /**
   * Adds the wallet to every page opened from now on; the node serves it with `--wallet`. The URL names a node,
   * or a JSON-RPC address such as an instance.
   *
   * @throws Error if the node does not serve its wallet at the URL
   */
  install(options: InstallOptions & { readonly url: string }): Promise<void>;
  /**
   * Sets the decision about requests without a prepared decision.
   *
   * @throws TypeError if the policy is not `approve`, `reject` or `ask`
   */
  setPolicy(policy: Policy): Promise<void>;
  /**
   * Sets the milliseconds before a decision of the policy takes effect.
   *
   * @throws Error if the page is closed
   */
  setDelay(milliseconds: number): Promise<void>;
  /**
   * Prepares decisions for the next requests.
   *
   * @throws TypeError if a decision is not `approve`, `reject` or `ask`
   */
  next(...answers: readonly (Policy | PreparedDecision)[]): Promise<void>;
  /**
   * Lists the requests that wait, the oldest first.
   *
   * @throws Error if the page is closed
   */
  pending(): Promise<readonly PendingRequest[]>;
  /**
   * Lists the last 200 requests that were approved or rejected.
   *
   * @throws Error if the page is closed
   */
  history(): Promise<readonly HistoryEntry[]>;
  /**
   * Waits for a pending request, of the method if one is given.
   *
   * @throws Error if the page is closed meanwhile
   */
  waitForRequest(method?: string): Promise<PendingRequest>;
  /**
   * Approves a pending request; without an id the oldest.
   *
   * @throws Error if no such request waits
   */
  approve(id?: number): Promise<void>;
  /**
   * Rejects a pending request; without an id the oldest.
   *
   * @throws Error if no such request waits
   */
  reject(id?: number): Promise<void>;
  /**
   * Lists the addresses of the node's accounts.
   *
   * @throws WalletError if the node does not respond
   */
  accounts(): Promise<readonly string[]>;
  /**
   * Selects an account by its address or its number from zero; its address.
   *
   * @throws Error if the node has no such account
   */
  selectAccount(which: string | number): Promise<string>;
  /**
   * Takes the permission back, as a user does in the settings of a wallet.
   *
   * @throws Error if the page is closed
   */
  disconnect(): Promise<void>;
}

/**
 * The wallet of a page, for a test.
 *
 * @example
 * const wallet = getWallet(page);
 * await wallet.install({ url: 'http://localhost:5050', policy: 'approve' });
 * await page.goto('http://localhost:3000');
 * await wallet.next('reject');
 */
export function getWallet(page: Page): PageWallet {
  /** The controller of the page, once it is there. */
  const controller = async (): Promise<JSHandle<WalletController>> => {
    const controller = await page.waitForFunction(() => window.starkboxWallet);
    return controller.evaluateHandle((wallet) => {
      if (wallet) return wallet;
      throw new Error('The page has no Starkbox wallet.');
    });
  };
  return {
    install: (options) => install(page, options),
    async setPolicy(policy) {
      await (await controller()).evaluate((wallet, of) => {
        wallet.policy = of;
      }, policy);
    },
    async setDelay(milliseconds) {
      await (await controller()).evaluate((wallet, of) => {
        wallet.delay = of;
      }, milliseconds);
    },
    async next(...answers) {
      await (await controller()).evaluate((wallet, of) => wallet.next(...of), answers);
    },
    pending: async () => (await controller()).evaluate((wallet) => wallet.pending),
    history: async () => (await controller()).evaluate((wallet) => wallet.history),
    waitForRequest: async (method) =>
      (await controller()).evaluate((wallet, of) => wallet.waitForRequest(of), method),
    approve: async (id) => (await controller()).evaluate((wallet, of) => wallet.approve(of), id),
    reject: async (id) => (await controller()).evaluate((wallet, of) => wallet.reject(of), id),
    accounts: async () => (await controller()).evaluate((wallet) => wallet.accounts()),
    selectAccount: async (which) =>
      (await controller()).evaluate((wallet, of) => wallet.selectAccount(of), which),
    disconnect: async () => (await controller()).evaluate((wallet) => wallet.disconnect()),
  };
}

async function install(
  page: Page,
  { url, ...options }: InstallOptions & { readonly url: string },
): Promise<void> {
  const { token } = options;
  const source = new URL('/wallet.js', url);
  const response = await fetch(source, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${source} responded with ${response.status}: ${text.trim()}`);
  const isOrigin = new URL(url).pathname === '/';
  const settings = JSON.stringify({ ...options, url: isOrigin ? new URL('/rpc', url).href : url });
  await page.addInitScript(`window.starkboxWalletOptions = ${settings};\n${text}`);
}
