// Script of a dapp: get-starknet in its three forms and starknet.js, for tests to call in the page.
/// <reference lib="dom" />
import { installWallet } from '@starkbox/wallet';
import getStarknet from '@starknet-io/get-starknet-core';
import { createStore } from '@starknet-io/get-starknet-discovery';
import type { StarknetWindowObject } from '@starknet-io/types-js';
import { getStarknet as getStarknet3 } from 'get-starknet-core';
import { RpcProvider, WalletAccount, WalletAccountV5 } from 'starknet';

/** Its own declarations do not resolve in Node's way. */
interface Version4 {
  getAvailableWallets(): Promise<StarknetWindowObject[]>;
  getAuthorizedWallets(): Promise<StarknetWindowObject[]>;
  getLastConnectedWallet(): Promise<StarknetWindowObject | undefined>;
  enable(wallet: StarknetWindowObject): Promise<StarknetWindowObject>;
}
const version4: Version4 = getStarknet;

const dapp = {
  installWallet,
  getStarknet: version4,
  getStarknet3: getStarknet3(),
  store: createStore(),
  RpcProvider,
  WalletAccount,
  WalletAccountV5,
};

declare global {
  interface Window {
    dapp: typeof dapp;
  }
}

window.dapp = dapp;
