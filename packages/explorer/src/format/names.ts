// Names of addresses and functions.
import { type Abi, selectorOf, shortAddress } from '@starkbox/abi';
import { createContext, useContext } from 'react';
import { disarm } from './untrusted-text.js';

export const STRK_ADDRESS = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';
export const ETH_ADDRESS = '0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7';

/** Contracts that every sandbox has. */
const FIXTURES: readonly (readonly [address: string, name: string])[] = [
  [STRK_ADDRESS, 'STRK'],
  [ETH_ADDRESS, 'ETH'],
  ['0x2ceed65a4bd731034c01113685c831b01c15d7d432f71afb1cf1634b53a2125', 'UDC'],
  ['0x41a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf', 'UDC (legacy)'],
  ['0x1caf2df5ed5dde1ae3faef4acd72522ac3cb16e23f6dc4c7f9faed67124c511', 'faucet'],
  ['0x1000', 'sequencer'],
];

const LONGEST_LABEL = 60;

export type Names = ReadonlyMap<string, string>;

export function namesOf(
  accounts: readonly { readonly address: string }[],
  labels: readonly { readonly value: string; readonly label: string }[],
): Names {
  const names = new Map(FIXTURES);
  accounts.forEach(({ address }, at) => {
    names.set(address, `account ${at}`);
  });
  for (const { value, label } of labels) names.set(value, disarm(label, LONGEST_LABEL).text);
  // A repeated name is shown with the address, so that no label can impersonate another contract.
  const bearers = new Map<string, number>();
  for (const name of names.values()) bearers.set(name, (bearers.get(name) ?? 0) + 1);
  for (const [address, name] of names) {
    if ((bearers.get(name) ?? 0) > 1) names.set(address, `${name} ${shortAddress(address)}`);
  }
  return names;
}

export const NamesContext = createContext<Names>(new Map(FIXTURES));

export function useNames(): Names {
  return useContext(NamesContext);
}

/** Common functions, known before any class is read. */
const FAMILIAR = [
  '__execute__ __validate__ __validate_declare__ __validate_deploy__ constructor',
  'transfer transferFrom transfer_from approve balanceOf balance_of allowance mint burn permissioned_mint',
  'permissionedMint increase_allowance decrease_allowance increaseAllowance decreaseAllowance totalSupply',
  'deployContract deploy_contract upgrade set_public_key setPublicKey initialize swap deposit withdraw',
]
  .join(' ')
  .split(' ');

const functionNames = new Map(FAMILIAR.map((name) => [selectorOf(name), name]));

/** Remembers the function names of an ABI; a name is right wherever its hash is the selector. */
export function learnNames(abi: Abi): void {
  for (const [selector, { name }] of abi.functions) functionNames.set(selector, name);
}

export function functionName(selector: string): string | undefined {
  return functionNames.get(selector);
}
