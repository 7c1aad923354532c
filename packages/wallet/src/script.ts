// Script of a page, as a node serves it: installs the wallet of that node.
import { type InstallOptions, installWallet } from './install.js';

declare global {
  interface Window {
    /** Options of the script where it is not the source of a script element. */
    starkboxWalletOptions?: InstallOptions;
  }
}

const POLICIES = ['approve', 'reject', 'ask'] as const;

/** The options of `<script src="…/wallet.js" data-policy="approve">`. */
function optionsOf(element: HTMLOrSVGScriptElement | null): InstallOptions {
  if (!(element instanceof HTMLScriptElement) || element.src === '') return {};
  const { url = 'rpc', policy, delay, token, panel } = element.dataset;
  return {
    url: new URL(url, element.src).href,
    token,
    policy: POLICIES.find((name) => name === policy),
    delay: delay === undefined ? undefined : Number(delay),
    panel: panel !== 'off',
  };
}

installWallet({ ...optionsOf(document.currentScript), ...window.starkboxWalletOptions });
