// Felts of texts and lists, and their Poseidon hash.

import { poseidonHashMany } from '@scure/starknet';
import { encodeShortString } from '@starkbox/abi/basics';

/** The bytes of a text as one number. */
export const shortString = (text: string): bigint => BigInt(encodeShortString(text));

export const felts = (of: readonly string[]): bigint[] => of.map(BigInt);

export const many = (of: readonly bigint[]): bigint => poseidonHashMany([...of]);
