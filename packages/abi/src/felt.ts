// Felts as text: canonical, padded and shortened forms, short strings, u256 halves and their slots.

/** The order of the field. */
export const PRIME: bigint = 2n ** 251n + 17n * 2n ** 192n + 1n;

/** Addresses of contracts and of their storage are below it; hashes are reduced by it. */
export const ADDRESS_BOUND: bigint = 2n ** 251n - 256n;

/** The numbers of a type, and the felts that one takes. */
export interface NumberRange {
  readonly min: bigint;
  readonly max: bigint;
  readonly bits: number;
  readonly limbs: number;
}

const HEX = /^0x[0-9a-f]{1,64}$/i;

/** Lower case without leading zeros; undefined if the text is not a hexadecimal number. */
export function canonicalFelt(text: string): string | undefined {
  const trimmed = text.trim();
  if (!HEX.test(trimmed)) return undefined;
  return `0x${trimmed
    .slice(2)
    .toLowerCase()
    .replace(/^0+(?=.)/, '')}`;
}

/** A number in canonical form. */
export function toFelt(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

/** A felt with all 64 digits, as engines print it in texts. */
export function padFelt(felt: string): string {
  return `0x${felt.slice(2).padStart(64, '0')}`;
}

const HEX_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The felt of big-endian bytes; 31 of them always fit. */
export function feltOfBytes(bytes: Uint8Array): string {
  let digits = '';
  for (const byte of bytes) digits += HEX_BYTES[byte];
  return `0x${digits.replace(/^0+/, '') || '0'}`;
}

/** A text of at most 31 bytes as a felt. */
export function encodeShortString(text: string): string {
  return feltOfBytes(new TextEncoder().encode(text));
}

/** `0x3923…549c` */
export function shortHash(felt: string): string {
  return shorten(felt, 4);
}

/** `0x64b488…5691` */
export function shortAddress(felt: string): string {
  return shorten(felt, 6);
}

function shorten(felt: string, head: number): string {
  return felt.length <= head + 8 ? felt : `${felt.slice(0, head + 2)}…${felt.slice(-4)}`;
}

/** The short string in a felt; undefined unless it has two or more characters, all printable ASCII. */
export function decodeShortString(felt: string): string | undefined {
  const digits = felt.slice(2);
  if (digits.length < 4 || digits.length > 62 || digits.length % 2 !== 0) return undefined;
  let text = '';
  for (let at = 0; at < digits.length; at += 2) {
    const code = Number.parseInt(digits.slice(at, at + 2), 16);
    if (code < 0x20 || code > 0x7e) return undefined;
    text += String.fromCharCode(code);
  }
  return text;
}

const LOW = 2n ** 128n - 1n;

/** The two felts of a u256, the low one first. */
export function u256(value: bigint): { readonly low: string; readonly high: string } {
  return { low: toFelt(value & LOW), high: toFelt(value >> 128n) };
}

export function fromU256(low: string, high: string): bigint {
  return (BigInt(high) << 128n) + BigInt(low);
}

/** The slot after another. */
export function nextSlot(slot: string): string {
  return toFelt(BigInt(slot) + 1n);
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
