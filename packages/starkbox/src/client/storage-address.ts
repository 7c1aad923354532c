// Slots of storage variables, computed without the engine.

import { keccak, pedersen } from '@scure/starknet';
import { ADDRESS_BOUND, toFelt } from '@starkbox/abi/basics';

/** Returns the slot of a variable, or of a map entry by its keys. */
export function storageAddress(variable: string, keys: readonly string[]): string {
  const base = keccak(new TextEncoder().encode(variable));
  const slot = keys.reduce((hash, key) => BigInt(pedersen(hash, BigInt(key))), base);
  return toFelt(slot % ADDRESS_BOUND);
}
