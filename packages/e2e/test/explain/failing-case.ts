// A failure that is explained, and values of its calldata.

import type { FailingChain } from '@starkbox/test-support/failing-chain';
import { hex, short } from '@starkbox/test-support/signing';
import type { Explanation } from 'starkbox';

export type Case = readonly [title: string, run: (chain: FailingChain) => Promise<Explanation>];

/** A ByteArray in calldata. */
export const text = (value: string): readonly string[] => ['0x0', short(value), hex(value.length)];
export const u256 = (value: bigint): readonly string[] => [
  hex(value & (2n ** 128n - 1n)),
  hex(value >> 128n),
];
export const MAX_U256 = u256(2n ** 256n - 1n);

/** An invoke of one function of a contract of the chain. */
export const fails = (name: string, entry: string, ...calldata: readonly string[]): Case => [
  `${name}: ${entry}`,
  ({ contracts, explainInvoke }) =>
    explainInvoke([{ to: contracts[name] ?? '', name: entry, calldata }]),
];

/** Of a contract of the chain. */
export const callee = ({ contracts }: FailingChain): string => contracts['failing_callee'] ?? '';

export function missing(): never {
  throw new Error('the class is compiled');
}
