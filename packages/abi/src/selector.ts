// Starknet's Keccak hash and the selectors of functions and events.
import { keccak_256 } from '@noble/hashes/sha3';

const MASK_250 = (1n << 250n) - 1n;
const DEFAULT_ENTRY_POINTS = new Set(['__default__', '__l1_default__']);

/** Keccak-256 cut to 250 bits, so that the digest is a felt. */
export function starknetKeccak(text: string): bigint {
  const digest = keccak_256(text);
  return digest.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) & MASK_250;
}

const selectors = new Map<string, string>();

/** The selector of a function or an event: the hash of its name, as a felt. */
export function selectorOf(name: string): string {
  const cached = selectors.get(name);
  if (cached !== undefined) return cached;
  const hash = DEFAULT_ENTRY_POINTS.has(name) ? 0n : starknetKeccak(name);
  const selector = `0x${hash.toString(16)}`;
  selectors.set(name, selector);
  return selector;
}
