// Slots of storage variables, computed without the engine.
import { keccak, pedersen } from '@scure/starknet';
import { ADDRESS_BOUND, hex } from '../felt.js';

/** Returns the slot of a variable, or of a map entry by its keys. */
export function storageAddress(variable: string, keys: readonly string[]): string {
  const base = keccak(new TextEncoder().encode(variable));
  const slot = keys.reduce((hash, key) => BigInt(pedersen(hash, BigInt(key))), base);
  return hex(slot % ADDRESS_BOUND);
}
