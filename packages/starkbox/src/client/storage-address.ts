// Slots of storage variables, computed without the engine.
import { keccak, pedersen } from '@scure/starknet';
import { ADDRESS_BOUND, hex } from '../felt.js';

/** Returns the slot of a variable, or of an entry of a map by its keys. */
export function storageAddress(variable: string, keys: readonly string[]): string {
  const base = keccak(new TextEncoder().encode(variable));
  const hash = keys.reduce((sum, key) => BigInt(pedersen(sum, BigInt(key))), base);
  return hex(hash % ADDRESS_BOUND);
}
