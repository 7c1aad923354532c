// Field elements: canonical hex, padded hex, bytes, short strings, u256 halves and their slots.

/** The order of the field. */
export const PRIME: bigint = 2n ** 251n + 17n * 2n ** 192n + 1n;

/** Addresses of contracts and of their storage are below it; hashes are reduced by it. */
export const ADDRESS_BOUND: bigint = 2n ** 251n - 256n;

/** A number as a canonical felt: lower case, no leading zeros. */
export function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

/** A felt with all 64 digits, as engines print it in texts. */
export function padded(felt: string): string {
  return `0x${felt.slice(2).padStart(64, '0')}`;
}

/** A felt in as few bytes as it needs, one at least. */
export function feltBytes(felt: string): Buffer {
  const digits = felt.slice(2);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}

/** The felt of big-endian bytes. */
export function feltOf(bytes: Buffer): string {
  return hex(BigInt(`0x${bytes.toString('hex') || '0'}`));
}

/** Felts in 32 bytes each. */
export function wideBytes(felts: readonly string[]): Buffer {
  return Buffer.from(felts.map((felt) => felt.slice(2).padStart(64, '0')).join(''), 'hex');
}

/** A text of at most 31 characters as a felt. */
export function shortString(text: string): string {
  return hex(BigInt(`0x${Buffer.from(text, 'latin1').toString('hex') || '0'}`));
}

const LOW = 2n ** 128n - 1n;

/** The two felts of a u256, the low one first. */
export function u256(value: bigint): { readonly low: string; readonly high: string } {
  return { low: hex(value & LOW), high: hex(value >> 128n) };
}

/** The slot after another. */
export function nextSlot(slot: string): string {
  return hex(BigInt(slot) + 1n);
}

/** Storage entries of a u256, which takes two slots. */
export function u256Entries(
  slot: string,
  value: bigint,
): readonly { readonly key: string; readonly value: string }[] {
  const { low, high } = u256(value);
  return [
    { key: slot, value: low },
    { key: nextSlot(slot), value: high },
  ];
}

export function fromU256(low: string, high: string): bigint {
  return (BigInt(high) << 128n) + BigInt(low);
}
