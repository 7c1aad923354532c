// Structure of an ABI type, one level at a time, with limits on what a form can hold.
import type { Abi, Parameter } from './abi.js';
import { type NumberRange, PRIME } from './felt.js';
import { readTypeName } from './type-name.js';

export type NumberShape =
  | { readonly kind: 'felt'; readonly bits?: number; readonly isNonZero?: boolean }
  | {
      readonly kind: 'integer';
      readonly signed: boolean;
      readonly bits: number;
      readonly isNonZero?: boolean;
    };

export type Shape =
  | NumberShape
  | { readonly kind: 'bool' | 'address' | 'class' | 'text' | 'unit' }
  | { readonly kind: 'list'; readonly of: string; readonly length: number | undefined }
  | { readonly kind: 'record'; readonly members: readonly Parameter[]; readonly isTuple: boolean }
  | { readonly kind: 'choice'; readonly variants: readonly Parameter[]; readonly first: number }
  /** A list of felts, because the type has no form. */
  | { readonly kind: 'raw'; readonly why: string };

export const DEEPEST = 32;
/** Most fields in the blank form of one value. */
export const MAX_FIELDS = 200;
const MAX_VARIANTS = 300;
const INTEGER = /^(?:core::integer::)?([ui])(8|16|32|64|128|256|512)$/;
/** Wrappers that encode like the type inside. */
const BOX = /^core::box::Box$/;
const NON_ZERO = /::NonZero$/;

const UNKNOWN = 'The ABI does not define this type.';
const TOO_LARGE = 'This type has more parts than a form can hold.';

/** The structure of a type; `raw` if it is unknown or too large for a form. */
export function shapeOf(type: string, abi: Abi): Shape {
  const shape = typeShape(type, abi);
  if (shape.kind === 'list' && shape.length !== undefined) {
    if (shape.length * countFields(shape.of, abi) > MAX_FIELDS)
      return { kind: 'raw', why: TOO_LARGE };
  }
  if (shape.kind === 'record' || shape.kind === 'choice') {
    const isWide = shape.kind === 'choice' && shape.variants.length > MAX_VARIANTS;
    if (isWide || countFields(type, abi) > MAX_FIELDS) return { kind: 'raw', why: TOO_LARGE };
  }
  return shape;
}

/** The structure of a type; `raw` if it is unknown. */
export function typeShape(reference: string, abi: Abi): Shape {
  const type = reference.trim().replace(/^@/, '');
  const parsed = readTypeName(type);
  if (parsed.kind === 'tuple') {
    if (parsed.of.length === 0) return { kind: 'unit' };
    const members = parsed.of.map((of, at) => ({ name: String(at), type: of }));
    return { kind: 'record', members, isTuple: true };
  }
  if (parsed.kind === 'array') return { kind: 'list', of: parsed.of, length: parsed.length };
  const { name } = parsed;
  const [first = 'felt', second = 'felt'] = parsed.of;
  if (/::(Array|Span)$/.test(name) || name === 'pointer')
    return { kind: 'list', of: first, length: undefined };
  if (BOX.test(name)) return typeShape(first, abi);
  if (NON_ZERO.test(name)) {
    const inner = typeShape(first, abi);
    return inner.kind === 'felt' || inner.kind === 'integer'
      ? { ...inner, isNonZero: true }
      : inner;
  }
  switch (name) {
    case 'felt':
    case 'felt252':
    case 'core::felt252':
      return { kind: 'felt' };
    case 'core::bool':
      return { kind: 'bool' };
    case 'core::starknet::contract_address::ContractAddress':
      return { kind: 'address' };
    case 'core::starknet::class_hash::ClassHash':
      return { kind: 'class' };
    case 'core::starknet::eth_address::EthAddress':
      return { kind: 'felt', bits: 160 };
    case 'core::bytes_31::bytes31':
      return { kind: 'felt', bits: 248 };
    case 'core::byte_array::ByteArray':
      return { kind: 'text' };
    case 'Uint256':
      return { kind: 'integer', signed: false, bits: 256 };
  }
  const integer = INTEGER.exec(name);
  if (integer) return { kind: 'integer', signed: integer[1] === 'i', bits: Number(integer[2]) };
  const members = abi.structs.get(type);
  if (members) return { kind: 'record', members, isTuple: false };
  const variants = abi.enums.get(type) ?? coreVariants(name, first, second);
  if (!variants || variants.length === 0) return { kind: 'raw', why: UNKNOWN };
  return { kind: 'choice', variants, first: simplestVariant(variants, abi) };
}

/** Enums of the core library, which an ABI may leave out. */
function coreVariants(
  name: string,
  first: string,
  second: string,
): readonly Parameter[] | undefined {
  if (name === 'core::option::Option') {
    return [
      { name: 'Some', type: first },
      { name: 'None', type: '()' },
    ];
  }
  if (name === 'core::result::Result') {
    return [
      { name: 'Ok', type: first },
      { name: 'Err', type: second },
    ];
  }
  return undefined;
}

/** The variant that a blank form selects: one without a value, if there is any. */
function simplestVariant(variants: readonly Parameter[], abi: Abi): number {
  const empty = variants.findIndex(({ type }) => type === '()');
  if (empty >= 0) return empty;
  const simple = variants.findIndex(({ type }) => {
    const parsed = readTypeName(type);
    return parsed.kind === 'named' && !abi.structs.has(type) && !abi.enums.has(type);
  });
  return Math.max(0, simple);
}

/** The numbers of a type. */
export function rangeOf(shape: NumberShape): NumberRange {
  const { bits, isNonZero = false } = shape;
  const least = isNonZero ? 1n : 0n;
  if (bits === undefined) return { min: least, max: PRIME - 1n, bits: 252, limbs: 1 };
  const isSigned = shape.kind === 'integer' && shape.signed;
  const count = 1n << BigInt(isSigned ? bits - 1 : bits);
  const limbs = bits > 248 ? bits / 128 : 1;
  return { min: isSigned ? -count : least, max: count - 1n, bits, limbs };
}

/** Members without the lengths that Cairo 0 puts before a list; they follow from the list. */
export function withoutLengths<T extends Parameter>(members: readonly T[]): readonly T[] {
  return members.filter(({ name }, at) => {
    const next = members[at + 1];
    return !(next?.type.endsWith('*') === true && name === `${next.name}_len`);
  });
}

/** The inputs without such lengths. */
export function inputsOf(of: { readonly inputs: readonly Parameter[] }): readonly Parameter[] {
  return withoutLengths(of.inputs);
}

const counts = new WeakMap<Abi, Map<string, number>>();

/**
 * The number of fields in the blank form of a type. A type that contains itself, without a list or an enum in
 * between, has infinitely many: a type that is still being counted is infinite.
 */
export function countFields(type: string, abi: Abi, depth = 0): number {
  if (depth > DEEPEST) return Number.POSITIVE_INFINITY;
  let fieldCounts = counts.get(abi);
  if (!fieldCounts) {
    fieldCounts = new Map();
    counts.set(abi, fieldCounts);
  }
  const before = fieldCounts.get(type);
  if (before !== undefined) return before;
  fieldCounts.set(type, Number.POSITIVE_INFINITY);
  const count = sum(typeShape(type, abi), abi, depth);
  fieldCounts.set(type, count);
  return count;
}

function sum(shape: Shape, abi: Abi, depth: number): number {
  if (shape.kind === 'record') {
    let total = 1;
    for (const { type } of shape.members) {
      total += countFields(type, abi, depth + 1);
      if (total > MAX_FIELDS) return Number.POSITIVE_INFINITY;
    }
    return total;
  }
  if (shape.kind === 'choice') {
    return 1 + countFields(shape.variants[shape.first]?.type ?? '()', abi, depth + 1);
  }
  if (shape.kind === 'list' && shape.length !== undefined)
    return 1 + shape.length * countFields(shape.of, abi, depth + 1);
  return 1;
}
