// Parsers of scalar values: one typed text into the felts of a felt, integer, boolean, address or text.
import {
  canonicalFelt,
  encodeShortString,
  feltOfBytes,
  type NumberRange,
  PRIME,
  toFelt,
} from './felt.js';

/** An input that cannot be encoded; the message is shown beside its field. */
export class InvalidInput extends Error {}

/** Looks up the address of a name. */
export type Resolve = (name: string) => string | undefined;

const ADDRESSES = 2n ** 251n;
const MAX_LETTERS = 100_000;
const MAX_RAW = 2_000;
const SCALES: ReadonlyMap<string, number> = new Map([
  ['strk', 18],
  ['eth', 18],
  ['gfri', 9],
  ['gwei', 9],
  ['fri', 0],
  ['wei', 0],
]);

/** A felt: hexadecimal, decimal, `1e18`, or a short string in single quotes. */
export function feltOf(text: string, bits?: number): string {
  const quoted = /^'(.*)'$/s.exec(text)?.[1];
  if (quoted !== undefined) {
    if (new TextEncoder().encode(quoted).length > 31)
      throw new InvalidInput('A short string has at most 31 bytes.');
    return encodeShortString(quoted);
  }
  const number = numberOf(text, "Enter a number (12, 0xc, 1e18) or a 'short string'.");
  if (bits !== undefined && (number < 0n || number >= 1n << BigInt(bits)))
    throw new InvalidInput(`The value does not fit into ${bits} bits.`);
  if (number >= PRIME || number <= -PRIME) throw new InvalidInput('Too large for a felt.');
  return toFelt((number + PRIME) % PRIME);
}

/** An integer: decimal, hexadecimal, `1e18`, `1.5 STRK`. */
export function integerOf(text: string, range: NumberRange): readonly string[] {
  const felts: string[] = [];
  integerFelts(numberOf(text, 'Enter a number: 12, 0xc, 1e18, 1.5 STRK.'), range, felts);
  return felts;
}

const LIMB_MASK = (1n << 128n) - 1n;

/** Adds the felts of a number. */
export function integerFelts(
  value: bigint,
  { min, max, bits, limbs }: NumberRange,
  felts: string[],
): void {
  if (value < min || value > max) {
    if (value === 0n) throw new InvalidInput('This type cannot hold zero.');
    if (value < 0n && min >= 0n) throw new InvalidInput('This type cannot hold negative numbers.');
    throw new InvalidInput(`The value does not fit into ${bits} bits.`);
  }
  if (limbs === 1) {
    felts.push(toFelt(value < 0n ? value + PRIME : value));
    return;
  }
  for (let limb = 0, rest = value; limb < limbs; limb++, rest >>= 128n) {
    felts.push(toFelt(rest & LIMB_MASK));
  }
}

export function numberOf(text: string, otherwise: string): bigint {
  if (/^0x[0-9a-f]{1,64}$/i.test(text)) return BigInt(text);
  const match =
    /^(-?)(\d[\d_,]{0,99})(?:\.(\d{1,80}))?(?:e(\d{1,3}))?\s*(strk|eth|gfri|gwei|fri|wei)?$/i.exec(
      text,
    );
  if (!match) throw new InvalidInput(otherwise);
  const [, sign, whole = '', fraction = '', exponent = '0', unit = ''] = match;
  const digits = BigInt(whole.replace(/[_,]/g, '') + fraction);
  const shift = Number(exponent) + (SCALES.get(unit.toLowerCase()) ?? 0) - fraction.length;
  const scale = 10n ** BigInt(Math.abs(shift));
  if (shift < 0 && digits % scale !== 0n) throw new InvalidInput('Enter a whole number.');
  const size = shift < 0 ? digits / scale : digits * scale;
  return sign === '-' ? -size : size;
}

export function boolOf(text: string): string {
  if (text === 'true' || text === '1') return '0x1';
  if (text === 'false' || text === '0') return '0x0';
  throw new InvalidInput('Enter true or false.');
}

export function addressOf(text: string, resolve: Resolve): string {
  const address = canonicalFelt(text) ?? resolve(text) ?? decimal(text);
  if (address === undefined)
    throw new InvalidInput('Enter an address (0x…) or a name, for example account 1.');
  // A shorter one is below: numbers are compared only if that is needed.
  if (address.length > 64 && BigInt(address) >= ADDRESSES)
    throw new InvalidInput('Too large for an address.');
  return address;
}

export function classHashOf(text: string): string {
  const felt = canonicalFelt(text);
  if (felt === undefined) throw new InvalidInput('Enter a class hash: 0x and up to 64 digits.');
  if (felt.length > 64 && BigInt(felt) >= PRIME) throw new InvalidInput('Too large for a felt.');
  return felt;
}

const decimal = (text: string): string | undefined =>
  /^\d{1,77}$/.test(text) ? toFelt(BigInt(text)) : undefined;

/** A text of any length, as words of 31 bytes. */
export function byteArrayOf(text: string): readonly string[] {
  if (text.length > MAX_LETTERS) throw new InvalidInput('The string is too long for a form.');
  const bytes = new TextEncoder().encode(text);
  const whole = Math.floor(bytes.length / 31);
  const felts = [toFelt(whole)];
  for (let at = 0; at < whole * 31; at += 31) felts.push(feltOfBytes(bytes.subarray(at, at + 31)));
  felts.push(feltOfBytes(bytes.subarray(whole * 31)), toFelt(bytes.length - whole * 31));
  return felts;
}

/** Felts one after the other, separated by spaces or commas. */
export function rawOf(text: string): readonly string[] {
  const parts = text
    .replace(/["[\]]/g, ' ')
    .split(/[\s,]+/)
    .filter((part) => part !== '');
  if (parts.length > MAX_RAW) throw new InvalidInput(`A form takes at most ${MAX_RAW} felts.`);
  return parts.map((part) => feltOf(part));
}
