// Knows what a value of a type is made of, one layer at a time, and which types are too much for a form.
import type { Abi, Parameter } from './abi.js';
import { readTypeName } from './type-name.js';

export type Shape =
  | { readonly kind: 'felt'; readonly bits?: number }
  | { readonly kind: 'bool' | 'address' | 'class' | 'text' | 'unit' }
  | { readonly kind: 'integer'; readonly signed: boolean; readonly bits: number }
  | { readonly kind: 'list'; readonly of: string; readonly length: number | undefined }
  | { readonly kind: 'record'; readonly members: readonly Parameter[]; readonly isTuple: boolean }
  | { readonly kind: 'choice'; readonly variants: readonly Parameter[]; readonly first: number }
  /** Felts as they are, because no form can be made. */
  | { readonly kind: 'raw'; readonly why: string };

export const DEEPEST = 32;
/** Fields that one value may begin with. */
export const MOST_FIELDS = 200;
const MOST_VARIANTS = 300;
const INTEGER = /^(?:core::integer::)?([ui])(8|16|32|64|128|256)$/;
/** Wrappers that leave no trace among the felts. */
const TRANSPARENT = /^core::(?:box::Box|zeroable::NonZero|zeroable::non_zero::NonZero)$/;

const UNKNOWN = 'The ABI does not say what this type is made of.';
const ENDLESS = 'This type has more parts than a form can hold.';

/** What a value of the type is made of. */
export function shapeOf(type: string, abi: Abi): Shape {
  const shape = layer(type.trim().replace(/^@/, ''), abi);
  if (shape.kind === 'list' && shape.length !== undefined) {
    if (shape.length * weigh(shape.of, abi) > MOST_FIELDS) return { kind: 'raw', why: ENDLESS };
  }
  if (shape.kind === 'record' || shape.kind === 'choice') {
    if (weigh(type, abi) > MOST_FIELDS) return { kind: 'raw', why: ENDLESS };
  }
  return shape;
}

function layer(type: string, abi: Abi): Shape {
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
  if (TRANSPARENT.test(name)) return layer(first, abi);
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
  const variants = abi.enums.get(type) ?? known(name, first, second);
  if (!variants || variants.length === 0) return { kind: 'raw', why: UNKNOWN };
  if (variants.length > MOST_VARIANTS) return { kind: 'raw', why: ENDLESS };
  return { kind: 'choice', variants, first: lightest(variants, abi) };
}

/** Choices of the core library, which an ABI may leave out. */
function known(name: string, first: string, second: string): readonly Parameter[] | undefined {
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

/** The variant that a form begins with: one that holds no other value, if there is any. */
function lightest(variants: readonly Parameter[], abi: Abi): number {
  const empty = variants.findIndex(({ type }) => type === '()');
  if (empty >= 0) return empty;
  const simple = variants.findIndex(({ type }) => {
    const parsed = readTypeName(type);
    return parsed.kind === 'named' && !abi.structs.has(type) && !abi.enums.has(type);
  });
  return Math.max(0, simple);
}

const weights = new WeakMap<Abi, Map<string, number>>();

/**
 * How many fields a value begins with. A type that contains itself without a list or a choice in between
 * would have endlessly many; what is being weighed already counts so.
 */
export function weigh(type: string, abi: Abi, depth = 0): number {
  if (depth > DEEPEST) return Number.POSITIVE_INFINITY;
  let known = weights.get(abi);
  if (!known) {
    known = new Map();
    weights.set(abi, known);
  }
  const before = known.get(type);
  if (before !== undefined) return before;
  known.set(type, Number.POSITIVE_INFINITY);
  const found = sum(layer(type.trim().replace(/^@/, ''), abi), abi, depth);
  known.set(type, found);
  return found;
}

function sum(shape: Shape, abi: Abi, depth: number): number {
  if (shape.kind === 'record') {
    let total = 1;
    for (const { type } of shape.members) {
      total += weigh(type, abi, depth + 1);
      if (total > MOST_FIELDS) return Number.POSITIVE_INFINITY;
    }
    return total;
  }
  if (shape.kind === 'choice') {
    return 1 + weigh(shape.variants[shape.first]?.type ?? '()', abi, depth + 1);
  }
  if (shape.kind === 'list' && shape.length !== undefined)
    return 1 + shape.length * weigh(shape.of, abi, depth + 1);
  return 1;
}
