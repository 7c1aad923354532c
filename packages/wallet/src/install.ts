// Installation of the wallet on a page.
import { Approvals, type Policy } from './approvals.js';
import { WalletController } from './controller.js';
import { inject } from './discovery/injected.js';
import { register } from './discovery/standard.js';
import { WalletNode } from './node.js';
import { openPanel } from './panel/panel.js';
import { Session } from './session.js';
import { Wallet } from './wallet.js';

/** Options of `installWallet`. */
export interface InstallOptions {
  /** JSON-RPC address of the node; `http://127.0.0.1:5050/rpc` by default. */
  readonly url?: string | undefined;
  /** The token of the node, if it requires one. */
  readonly token?: string | undefined;
  /** The decision about requests; `ask` by default. */
  readonly policy?: Policy | undefined;
  /** Milliseconds before a decision of the policy takes effect; 0 by default. */
  readonly delay?: number | undefined;
  /** False for no panel: requests that are asked about then wait for a script. */
  readonly panel?: boolean | undefined;
}

declare global {
  interface Window {
    starkboxWallet?: WalletController;
  }
}

const DEFAULT_URL = 'http://127.0.0.1:5050/rpc';

/**
 * Puts the wallet on the page, where get-starknet finds it, and its controller at `window.starkboxWallet`.
 * A wallet that was installed before is removed.
 *
 * @example
 * const wallet = installWallet({ url: 'http://localhost:5050/rpc' });
 * wallet.policy = 'approve';
 * @throws TypeError if the policy is not `approve`, `reject` or `ask`
 */
export function installWallet(options: InstallOptions = {}): WalletController {
  window.starkboxWallet?.uninstall();
  const { url = DEFAULT_URL, token, policy = 'ask', delay = 0, panel = true } = options;
  const wallet = new Wallet(new Session(new WalletNode(url, token)), new Approvals());
  const removals = [inject(wallet), register(wallet)];
  const controller = new WalletController(wallet, () => {
    for (const remove of removals) remove();
    if (window.starkboxWallet === controller) delete window.starkboxWallet;
  });
  controller.policy = policy;
  controller.delay = delay;
  if (panel) removals.push(openPanel(wallet));
  window.starkboxWallet = controller;
  return controller;
}
