// Felts of texts and lists, and their Poseidon hash.
import { poseidonHashMany } from '@scure/starknet';

/** The bytes of a text as one number. */
export const shortString = (text: string): bigint =>
  [...new TextEncoder().encode(text)].reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);

export const felts = (of: readonly string[]): bigint[] => of.map(BigInt);

export const many = (of: readonly bigint[]): bigint => poseidonHashMany([...of]);
