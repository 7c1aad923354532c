// Cairo types of an ABI, from which draws and arbitraries are compiled.

import type { Abi, Parameter } from '@starkbox/abi';
import { type Shape, shortType, typeShape } from '@starkbox/abi/internal';

export type CairoType = Exclude<Shape, { readonly kind: 'raw' }>;

/**
 * One level of a type.
 *
 * @throws TypeError if the ABI does not define it
 */
export function readCairoType(name: string, abi: Abi): CairoType {
  const type = typeShape(name, abi);
  if (type.kind !== 'raw') return type;
  throw new TypeError(
    `The ABI does not define the type ${shortType(name)}: leave out functions that take it with "exclude"`,
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
    case 'record':
      return type.members.map((member) => member.type);
    case 'choice':
      return type.variants.map((variant) => variant.type);
    default:
      return [];
  }
}

export const isUnit = ({ type }: Parameter): boolean => type.trim() === '()';
