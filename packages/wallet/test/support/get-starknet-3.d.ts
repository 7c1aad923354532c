// Declarations of get-starknet 3, whose own do not resolve in Node's way.
declare module 'get-starknet-core' {
  import type { StarknetWindowObject } from '@starknet-io/types-js';

  interface Version3Wallet extends StarknetWindowObject {
    readonly isConnected: boolean;
    readonly selectedAddress?: string;
  }

  export function getStarknet(): {
    getAvailableWallets(): Promise<Version3Wallet[]>;
    getPreAuthorizedWallets(): Promise<Version3Wallet[]>;
    getLastConnectedWallet(): Promise<Version3Wallet | null | undefined>;
    enable(wallet: Version3Wallet): Promise<Version3Wallet>;
    disconnect(options?: { clearLastWallet?: boolean }): Promise<void>;
  };
}
