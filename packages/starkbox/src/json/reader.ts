// Readers of untrusted JSON values. Those with a path throw a `TypeError` with it and the expected type.
import { isObject, type Members } from '@starkbox/abi/basics';
import { MAX_DEPTH, parse, TooManyValues } from './json.js';

function wrong(where: string, expected: string): never {
  throw new TypeError(`${where}: expected ${expected}`);
}

export function object(value: unknown, where: string): Members {
  return isObject(value) ? value : wrong(where, 'an object');
}

export function list<T>(
  value: unknown,
  where: string,
  read: (item: unknown, where: string) => T,
): readonly T[] {
  if (!Array.isArray(value)) return wrong(where, 'a list');
  return value.map((item, index) => read(item, `${where}[${index}]`));
}

/** Two values in a list. */
export function pair<A, B>(
  value: unknown,
  where: string,
  first: (item: unknown, where: string) => A,
  second: (item: unknown, where: string) => B,
): readonly [A, B] {
  if (!Array.isArray(value) || value.length !== 2) return wrong(where, 'a list of two');
  return [first(value[0], `${where}[0]`), second(value[1], `${where}[1]`)];
}

/** Reads `null` as absent. */
export function optional<T>(
  value: unknown,
  where: string,
  read: (value: unknown, where: string) => T,
): T | undefined {
  return value === null || value === undefined ? undefined : read(value, where);
}

export function string(value: unknown, where: string): string {
  return typeof value === 'string' ? value : wrong(where, 'a string');
}

export function boolean(value: unknown, where: string): boolean {
  return typeof value === 'boolean' ? value : wrong(where, 'a boolean');
}

export function integer(value: unknown, where: string): number {
  return typeof value === 'number' && Number.isSafeInteger(value)
    ? value
    : wrong(where, 'an integer');
}

/** An integer from 0. */
export function count(value: unknown, where: string): number {
  const number = integer(value, where);
  return number < 0 ? wrong(where, 'an integer from 0') : number;
}

const PRICE_BOUND = 2n ** 128n;

/** A price of gas: exact above 2^53 too. */
export function gasPrice(value: unknown, where: string): bigint {
  const price = typeof value === 'bigint' ? value : BigInt(count(value, where));
  return price < 1n || price >= PRICE_BOUND
    ? wrong(where, 'a price from 1 and below 2^128')
    : price;
}

const FELT = /^0x(?:0|[1-9a-f][0-9a-f]{0,62})$/;
/** The prime of the field; texts of its length compare like numbers. */
const PRIME = '0x800000000000011000000000000000000000000000000000000000000000001';

export function isFelt(value: unknown): value is string {
  if (typeof value !== 'string' || !FELT.test(value)) return false;
  return value.length < PRIME.length || value < PRIME;
}

/** In canonical form. */
export function felt(value: unknown, where: string): string {
  return isFelt(value) ? value : wrong(where, 'a felt in canonical form');
}

export function felts(value: unknown, where: string): readonly string[] {
  // The path of each item is needed for an error only, and images hold millions of felts.
  return Array.isArray(value) && value.every(isFelt) ? value : list(value, where, felt);
}

/** Two to the power of 251, which addresses are below; texts of its length compare like numbers. */
const ADDRESS_BOUND = `0x8${'0'.repeat(62)}`;

export function address(value: unknown, where: string): string {
  const hexText = felt(value, where);
  const isBelow = hexText.length < ADDRESS_BOUND.length || hexText < ADDRESS_BOUND;
  return isBelow ? hexText : wrong(where, 'an address below 2^251');
}

/** A hexadecimal number without leading zeros. @param bits a multiple of four */
export function hexBits(value: unknown, where: string, bits: number): string {
  const isShort = typeof value === 'string' && value.length <= 2 + bits / 4;
  return isShort && /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]*)$/.test(value)
    ? value
    : wrong(where, `a hexadecimal number of up to ${bits} bits`);
}

/** A hexadecimal number of up to 32 bytes, as L1 nodes write it, not necessarily canonical. */
export function hexNumber(value: unknown, where: string): string {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)
    ? value
    : wrong(where, 'a hexadecimal number of up to 32 bytes');
}

export function oneOf<T extends string>(value: unknown, where: string, choices: readonly T[]): T {
  return choices.find((choice) => choice === value) ?? wrong(where, `one of ${choices.join(', ')}`);
}

/** Most values in a text: parsed, a value takes up to thirty times the memory of its shortest text. */
export const MAX_VALUES = 8_000_000;
/** Characters of a text that cannot hold too many values for its parsed form to fit into memory. */
const UNCOUNTED = 1 << 20;

/** The object in a JSON text to which answers add members. */
export function objectText(text: string, where: string): Members {
  let value: unknown;
  try {
    value = text.length > UNCOUNTED ? parse(text, MAX_DEPTH, MAX_VALUES) : JSON.parse(text);
  } catch (error) {
    if (error instanceof TooManyValues) return wrong(where, `at most ${MAX_VALUES} values`);
    return wrong(where, 'JSON');
  }
  // Members are inserted before its last character, after a comma.
  if (!text.startsWith('{"') || !text.endsWith('}')) return wrong(where, 'an object with members');
  return object(value, where);
}
