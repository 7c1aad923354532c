// Cairo types of an ABI as a tree, from which encoders, decoders and arbitraries are compiled.

import type { Abi, Parameter } from '@starkbox/abi';
import { PRIME } from '@starkbox/abi/basics';
import { readTypeName, shapeOf, shortType } from '@starkbox/abi/internal';

export type CairoType =
  | { readonly kind: 'integer'; readonly min: bigint; readonly max: bigint; readonly limbs: number }
  | { readonly kind: 'bool' | 'address' | 'class' | 'text' | 'unit' }
  | { readonly kind: 'list'; readonly of: string; readonly length: number | undefined }
  | { readonly kind: 'tuple'; readonly of: readonly string[] }
  | { readonly kind: 'struct'; readonly members: readonly Parameter[] }
  | { readonly kind: 'enum'; readonly variants: readonly Parameter[] };

const NON_ZERO = /::NonZero$/;
const WRAPPER = /^core::box::Box$/;

/**
 * One level of a type.
 *
 * @throws TypeError if the ABI does not define it
 */
export function readCairoType(name: string, abi: Abi): CairoType {
  const type = name.trim().replace(/^@/, '');
  const parsed = readTypeName(type);
  if (parsed.kind === 'array') return { kind: 'list', of: parsed.of, length: parsed.length };
  if (parsed.kind === 'tuple') {
    return parsed.of.length === 0 ? { kind: 'unit' } : { kind: 'tuple', of: parsed.of };
  }
  const [inner] = parsed.of;
  if (inner !== undefined && NON_ZERO.test(parsed.name)) return nonZero(readCairoType(inner, abi));
  if (inner !== undefined && WRAPPER.test(parsed.name)) return readCairoType(inner, abi);
  // Results hold it as one number.
  if (parsed.name === 'core::integer::u512') return unsigned(512);
  const shape = shapeOf(type, abi);
  switch (shape.kind) {
    case 'felt':
      return shape.bits === undefined
        ? { kind: 'integer', min: 0n, max: PRIME - 1n, limbs: 1 }
        : unsigned(shape.bits);
    case 'integer': {
      if (!shape.signed) return unsigned(shape.bits);
      const half = 1n << BigInt(shape.bits - 1);
      return { kind: 'integer', min: -half, max: half - 1n, limbs: 1 };
    }
    case 'list':
      return shape;
    case 'record':
      return { kind: 'struct', members: shape.members };
    case 'choice':
      return { kind: 'enum', variants: shape.variants };
    case 'raw':
      return largeType(type, abi);
    default:
      return { kind: shape.kind };
  }
}

function unsigned(bits: number): CairoType {
  const limbs = bits > 251 ? bits / 128 : 1;
  return { kind: 'integer', min: 0n, max: (1n << BigInt(bits)) - 1n, limbs };
}

function nonZero(type: CairoType): CairoType {
  return type.kind === 'integer' && type.min === 0n ? { ...type, min: 1n } : type;
}

/** Types with more fields than a form has. */
function largeType(type: string, abi: Abi): CairoType {
  const members = abi.structs.get(type);
  if (members) return { kind: 'struct', members };
  const variants = abi.enums.get(type);
  if (variants && variants.length > 0) return { kind: 'enum', variants };
  throw new TypeError(
    `The ABI does not define the type ${shortType(type)}: leave out functions that take it with "exclude"`,
  );
}

/** The types in a type, itself first. */
export function reachableTypes(name: string, abi: Abi): ReadonlyMap<string, CairoType> {
  const types = new Map<string, CairoType>();
  const waiting = [name];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (types.has(next)) continue;
    const type = readCairoType(next, abi);
    types.set(next, type);
    waiting.push(...partsOf(type));
  }
  return types;
}

function partsOf(type: CairoType): readonly string[] {
  switch (type.kind) {
    case 'list':
      return [type.of];
    case 'tuple':
      return type.of;
    case 'struct':
      return type.members.map((member) => member.type);
    case 'enum':
      return type.variants.map((variant) => variant.type);
    default:
      return [];
  }
}

export const isUnit = (type: string): boolean => type.trim() === '()';
