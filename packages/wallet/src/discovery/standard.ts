// The wallet as get-starknet 5 finds it: by the events of the wallet standard.
import type { Wallet } from '../wallet.js';
import { ICON, ID, NAME, VERSION } from './identity.js';

type Chain = `${string}:${string}`;

/** Mainnet and Sepolia: what the wallet names before it has asked its node. */
const WELL_KNOWN: readonly Chain[] = [
  'starknet:0x534e5f4d41494e',
  'starknet:0x534e5f5345504f4c4941',
];

interface StandardAccount {
  readonly address: string;
  readonly publicKey: Uint8Array;
  readonly chains: readonly Chain[];
  readonly features: readonly Chain[];
}

type Change = { readonly accounts: readonly StandardAccount[] };
type Listener = (change: Change) => void;

/** A wallet of the wallet standard with the features that get-starknet requires. */
function standardWallet(wallet: Wallet) {
  const { session, request } = wallet;
  const listeners = new Set<Listener>();
  let chain: Chain | undefined;
  let accounts: readonly StandardAccount[] = [];
  const show = (addresses: readonly string[]): void => {
    accounts = addresses.map((address) => ({
      address,
      publicKey: new Uint8Array(),
      chains: chain ? [chain] : [],
      features: ['starknet:walletApi'],
    }));
    for (const listener of listeners) listener({ accounts });
  };
  session.on('accountsChanged', show);
  session.on('networkChanged', (chainId, addresses) => {
    chain = `starknet:${chainId}`;
    show(addresses);
  });
  return {
    version: '1.0.0',
    name: NAME,
    icon: ICON,
    get chains(): readonly Chain[] {
      return [...new Set([...WELL_KNOWN, ...(chain ? [chain] : [])])];
    },
    get accounts() {
      return accounts;
    },
    features: {
      'standard:connect': {
        version: '1.0.0',
        async connect({ silent = false }: { readonly silent?: boolean } = {}) {
          const params = { silent_mode: silent };
          const addresses = await request({ type: 'wallet_requestAccounts', params });
          chain = `starknet:${await session.node.chainId()}`;
          show(addresses);
          return { accounts };
        },
      },
      'standard:disconnect': { version: '1.0.0', disconnect: async () => show([]) },
      'standard:events': {
        version: '1.0.0',
        on(_event: 'change', listener: Listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
      'starknet:walletApi': { version: '1.0.0', id: ID, walletVersion: VERSION, request },
    },
  };
}

interface Register {
  register(wallet: object): unknown;
}

const isRegister = (value: unknown): value is Register =>
  typeof value === 'object' &&
  value !== null &&
  'register' in value &&
  typeof value.register === 'function';

/** Registers the wallet with libraries that are loaded, and with those that follow; returns its removal. */
export function register(wallet: Wallet): () => void {
  const standard = standardWallet(wallet);
  const removals: (() => unknown)[] = [];
  const offer = (api: unknown): void => {
    const remove = isRegister(api) ? api.register(standard) : undefined;
    if (typeof remove === 'function') removals.push(() => Reflect.apply(remove, undefined, []));
  };
  const welcome = (event: Event): void => offer('detail' in event ? event.detail : undefined);
  window.addEventListener('wallet-standard:app-ready', welcome);
  window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: offer }));
  return () => {
    window.removeEventListener('wallet-standard:app-ready', welcome);
    for (const remove of removals) remove();
  };
}
