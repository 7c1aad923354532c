// The wallet as get-starknet 3 and 4 find it: a member of `window` whose name begins with `starknet`.
import type { StarknetWindowObject } from '@starknet-io/types-js';
import type { Wallet } from '../wallet.js';
import { ICON, ID, NAME, VERSION } from './identity.js';

/** Members that get-starknet 3 requires. */
interface Version3 {
  readonly isConnected: boolean;
  readonly selectedAddress: string | undefined;
  /** Neither a provider nor an account of starknet.js: use `request`. */
  readonly provider: undefined;
  readonly account: undefined;
  enable(): Promise<string[]>;
  isPreauthorized(): Promise<boolean>;
}

export function injectedWallet(wallet: Wallet): StarknetWindowObject & Version3 {
  const { session, request } = wallet;
  let selectedAddress: string | undefined;
  session.on('accountsChanged', ([address]) => {
    selectedAddress = address;
  });
  return {
    id: ID,
    name: NAME,
    version: VERSION,
    icon: ICON,
    request,
    on: (event, listener) => session.on(event, listener),
    off: (event, listener) => session.off(event, listener),
    get isConnected() {
      return session.isConnected;
    },
    get selectedAddress() {
      return selectedAddress;
    },
    provider: undefined,
    account: undefined,
    async enable() {
      const accounts = await request({ type: 'wallet_requestAccounts' });
      [selectedAddress] = accounts;
      return accounts;
    },
    isPreauthorized: async () => session.isConnected,
  };
}

/** Puts the wallet on the window; returns its removal. */
export function inject(wallet: Wallet): () => void {
  const key = `starknet_${ID}`;
  Object.defineProperty(window, key, {
    value: injectedWallet(wallet),
    configurable: true,
    enumerable: true,
  });
  return () => Reflect.deleteProperty(window, key);
}
