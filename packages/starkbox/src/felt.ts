// Felts as bytes.
import { toFelt } from '@starkbox/abi/basics';

/** A felt in as few bytes as it needs, one at least. */
export function feltBytes(felt: string): Buffer {
  const digits = felt.slice(2);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}

/** The felt of big-endian bytes. */
export function feltOf(bytes: Buffer): string {
  return toFelt(BigInt(`0x${bytes.toString('hex') || '0'}`));
}

/** Felts in 32 bytes each. */
export function wideBytes(felts: readonly string[]): Buffer {
  return Buffer.from(felts.map((felt) => felt.slice(2).padStart(64, '0')).join(''), 'hex');
}
