// Names of addresses and functions.
import { type Abi, FIXTURE_NAMES, type Names, selectorOf } from '@starkbox/abi';
import { createContext, useContext } from 'react';
import { disarm } from './untrusted-text.js';

const LONGEST_LABEL = 60;

type Label = { readonly value: string; readonly label: string };

/** Labels with their addresses, safe to show. */
export function safeLabels(
  labels: readonly Label[],
): (readonly [address: string, label: string])[] {
  return labels.map(({ value, label }) => [value, disarm(label, LONGEST_LABEL).text]);
}

export const NamesContext = createContext<Names>(FIXTURE_NAMES);

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
