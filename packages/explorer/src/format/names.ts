// Names of addresses and functions.
import { type Abi, commonFunctions, FIXTURE_NAMES, type Names } from '@starkbox/abi';
import { createContext, useContext } from 'react';
import { escapeText } from './untrusted-text.js';

const LONGEST_LABEL = 60;

type Label = { readonly value: string; readonly label: string };

/** Labels with their addresses, safe to show. */
export function safeLabels(
  labels: readonly Label[],
): (readonly [address: string, label: string])[] {
  return labels.map(({ value, label }) => [value, escapeText(label, LONGEST_LABEL).text]);
}

export const NamesContext = createContext<Names>(FIXTURE_NAMES);

export function useNames(): Names {
  return useContext(NamesContext);
}

/** Common functions are known before any class is read. */
const functionNames = new Map(commonFunctions());

/**
 * Remembers the function names of an ABI, and returns the ABI. A name is right wherever its hash is the selector.
 */
export function learnNames(abi: Abi): Abi {
  for (const [selector, { name }] of abi.functions) functionNames.set(selector, name);
  return abi;
}

export function functionName(selector: string): string | undefined {
  return functionNames.get(selector);
}
