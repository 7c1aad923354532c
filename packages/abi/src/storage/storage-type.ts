// Layout of storage by type: which slots a variable takes, and how the keys of its maps are hashed.
import type { NAMED_SLOT, PACKED_FIELD } from '@starkbox/spec';
import { readTypeName, shortType } from '../type-name.js';
import type { Declarations, SourceMember } from './cairo-source.js';
import type { PackedField } from './packing.js';

/** What of a value a slot holds, where it is not the whole value. */
export type SlotPart = NonNullable<NAMED_SLOT['part']>;

/** One slot of a value that takes one or more, one after the other. */
export interface Cell {
  /** Members of structs that lead to it. */
  readonly members: readonly string[];
  /** Undefined where it is not known. */
  readonly type: string | undefined;
  readonly part?: SlotPart;
  readonly fields?: readonly TypedField[];
  /** Names of the variants of an enum, by the number that is stored; empty where a number has none. */
  readonly variants?: readonly string[];
}

/** A part of a packed slot, with its type. */
export type TypedField = PACKED_FIELD;

/** A felt of a key, or two for a u256; `variants` for an enum without values and for a bool. */
export type KeyUnit =
  | { readonly kind: 'address' | 'felt' | 'u256'; readonly type: string }
  | { readonly kind: 'integer'; readonly type: string; readonly bits: number }
  | { readonly kind: 'variants'; readonly type: string; readonly count: number };

export type StorageType =
  | { readonly kind: 'cells'; readonly cells: readonly Cell[]; readonly type?: string }
  | { readonly kind: 'map'; readonly keys: readonly KeyUnit[]; readonly of: StorageType }
  | { readonly kind: 'vector'; readonly of: StorageType; readonly type: string }
  | { readonly kind: 'node'; readonly members: readonly NodeMember[] }
  /** Anything: a value of some slots, or a map. */
  | { readonly kind: 'unknown' };

export interface NodeMember {
  readonly name: string;
  /** What is hashed, where an attribute gives another name. */
  readonly hashed: string;
  readonly of: StorageType;
}

const UNKNOWN: StorageType = { kind: 'unknown' };
const DEEPEST = 12;
/** A value takes at most this many slots. */
const MAX_CELLS = 256;
const INTEGER = /^[ui](8|16|32|64|128)$/;
const ADDRESSES = new Set(['ContractAddress', 'EthAddress', 'StorageAddress']);
const ONE_SLOT = new Set([
  ...ADDRESSES,
  ...['felt252', 'felt', 'bool', 'ClassHash', 'bytes31', 'StorageBaseAddress'],
]);

/** Resolves types by their names. */
export class TypeReader {
  readonly #declared: Declarations;

  constructor(declared: Declarations) {
    this.#declared = declared;
  }

  read(text: string, depth = 0): StorageType {
    const type = this.#read(text, depth);
    return type.kind === 'cells' ? { ...type, type: shortType(text) } : type;
  }

  #read(text: string, depth: number): StorageType {
    if (depth > DEEPEST) return UNKNOWN;
    const parsed = readTypeName(text);
    if (parsed.kind === 'tuple') {
      return this.#record(
        parsed.of.map((type, at) => ({ name: String(at), type })),
        depth,
      );
    }
    if (parsed.kind === 'array') {
      if (parsed.length > MAX_CELLS) return UNKNOWN;
      const type = parsed.of;
      return this.#record(
        Array.from({ length: parsed.length }, (_, at) => ({ name: String(at), type })),
        depth,
      );
    }
    const name = shortType(parsed.name);
    const [first = '', second = ''] = parsed.of;
    switch (name) {
      case 'Map':
      case 'LegacyMap': {
        const keys = this.keyUnits(first, depth + 1);
        return keys ? { kind: 'map', keys, of: this.read(second, depth + 1) } : UNKNOWN;
      }
      case 'Vec':
        return { kind: 'vector', of: this.read(first, depth + 1), type: shortType(text) };
      case 'NonZero':
        return this.read(first, depth + 1);
      case 'Option':
        return this.#choice(name, [first], ['None', 'Some'], depth);
      case 'Result':
        return this.#choice(name, [first, second], ['Ok', 'Err'], depth);
      case 'ByteArray':
        return cells([{ members: [], type: 'ByteArray', part: 'length' }]);
      case 'u256':
      case 'Uint256':
        return wide('u256');
    }
    if (ONE_SLOT.has(name) || INTEGER.test(name)) return cells([{ members: [], type: name }]);
    return this.#declaredType(name, depth) ?? UNKNOWN;
  }

  #declaredType(name: string, depth: number): StorageType | undefined {
    const { structs, enums, packings, aliases } = this.#declared;
    const packing = packings.get(name);
    if (packing) return this.#readPacked(name, packing.as, packing.fields, depth);
    const struct = structs.get(name);
    if (struct?.attributes.some((text) => /storage_node$/.test(text))) {
      return {
        kind: 'node',
        members: struct.members.map((member) => ({
          name: member.name,
          hashed: hashedName(member),
          of: this.read(member.type, depth + 1),
        })),
      };
    }
    if (struct) return this.#record(struct.members, depth);
    const variants = enums.get(name);
    if (variants) {
      const types = variants.map(({ type }) => type);
      return this.#choice(name, types, storedVariants(variants), depth);
    }
    const alias = aliases.get(name);
    if (alias !== undefined) return this.read(alias, depth + 1);
    if (name.endsWith('LibraryDispatcher')) return this.#dispatcher('class_hash', 'ClassHash');
    if (name.endsWith('Dispatcher')) {
      return this.#dispatcher('contract_address', 'ContractAddress');
    }
    return undefined;
  }

  #dispatcher(member: string, type: string): StorageType {
    return cells([{ members: [member], type }]);
  }

  /** Members one after the other; unknown as soon as the size of one is. */
  #record(
    members: readonly { readonly name: string; readonly type: string }[],
    depth: number,
  ): StorageType {
    const all: Cell[] = [];
    for (const { name, type } of members) {
      const inner = this.read(type, depth + 1);
      if (inner.kind !== 'cells' || all.length + inner.cells.length > MAX_CELLS) return UNKNOWN;
      all.push(...inner.cells.map((cell) => ({ ...cell, members: [name, ...cell.members] })));
    }
    return cells(all);
  }

  /** The variant, and behind it the value: its type is known where only one variant has one. */
  #choice(
    name: string,
    types: readonly string[],
    variants: readonly string[],
    depth: number,
  ): StorageType {
    const values = types.filter((type) => type !== '()').map((type) => this.read(type, depth + 1));
    const first: Cell = { members: [], type: name, part: 'variant', variants };
    if (values.some((value) => value.kind !== 'cells')) return UNKNOWN;
    const lists = values.map((value) => (value.kind === 'cells' ? value.cells : []));
    const longest = Math.max(0, ...lists.map(({ length }) => length));
    const [only] = lists;
    const rest: readonly Cell[] =
      lists.length === 1 && only
        ? only
        : Array.from({ length: longest }, (_, at) => ({ members: [String(at)], type: undefined }));
    return cells([first, ...rest]);
  }

  #readPacked(
    name: string,
    as: string,
    fields: readonly PackedField[] | undefined,
    depth: number,
  ): StorageType {
    const stored = this.read(as, depth + 1);
    if (stored.kind !== 'cells' || !fields) return stored;
    const typed = fields.map((field) => ({ ...field, type: this.#memberType(name, field.name) }));
    if (stored.cells.length === 1) {
      return cells([{ members: [], type: shortType(name), fields: typed }]);
    }
    const [low, high] = stored.cells;
    const isSplit = typed.every(
      ({ shift, bits }) => shift >= 128 || (bits !== undefined && shift + bits <= 128),
    );
    if (low?.part !== 'low' || high?.part !== 'high' || !isSplit) return stored;
    const upper = typed
      .filter(({ shift }) => shift >= 128)
      .map((field) => ({ ...field, shift: field.shift - 128 }));
    return cells([
      { members: [], type: name, fields: typed.filter(({ shift }) => shift < 128) },
      { members: [], type: name, fields: upper },
    ]);
  }

  #memberType(struct: string, member: string): string {
    const declared = this.#declared.structs
      .get(struct)
      ?.members.find(({ name }) => name === member);
    return declared ? shortType(declared.type) : 'felt252';
  }

  /** The felts of a key; undefined for one whose felts are not known. */
  keyUnits(text: string, depth = 0): readonly KeyUnit[] | undefined {
    if (depth > DEEPEST) return undefined;
    const parsed = readTypeName(text);
    if (parsed.kind === 'array') return undefined;
    if (parsed.kind === 'tuple') return this.#joinUnits(parsed.of, depth);
    const type = shortType(parsed.name);
    const bits = INTEGER.exec(type)?.[1];
    if (bits !== undefined) return [{ kind: 'integer', type, bits: Number(bits) }];
    if (ADDRESSES.has(type)) return [{ kind: 'address', type }];
    if (type === 'u256' || type === 'Uint256') return [{ kind: 'u256', type: 'u256' }];
    if (type === 'bool') return [{ kind: 'variants', type, count: 2 }];
    if (ONE_SLOT.has(type)) return [{ kind: 'felt', type }];
    const { structs, enums, aliases } = this.#declared;
    const struct = structs.get(type);
    if (struct) {
      return this.#joinUnits(
        struct.members.map((member) => member.type),
        depth,
      );
    }
    const variants = enums.get(type);
    if (variants?.every((variant) => variant.type === '()')) {
      return [{ kind: 'variants', type, count: variants.length }];
    }
    const alias = aliases.get(type);
    return alias === undefined ? undefined : this.keyUnits(alias, depth + 1);
  }

  #joinUnits(types: readonly string[], depth: number): readonly KeyUnit[] | undefined {
    const units = types.map((type) => this.keyUnits(type, depth + 1));
    return units.some((unit) => unit === undefined)
      ? undefined
      : units.flatMap((unit) => unit ?? []);
  }
}

/** Variants by the number that is stored: the default is 0, and the ones before it are one further. */
function storedVariants(variants: readonly SourceMember[]): readonly string[] {
  const chosen = variants.findIndex(({ attributes }) => attributes.includes('default'));
  const names: string[] = [];
  for (const [at, { name }] of variants.entries()) {
    const isBefore = chosen < 0 || at < chosen;
    names[at === chosen ? 0 : at + (isBefore ? 1 : 0)] = name;
  }
  return Array.from(names, (name) => name ?? '');
}

/** The name whose hash is the address of a variable. */
export function hashedName({
  name,
  attributes,
}: {
  readonly name: string;
  readonly attributes: readonly string[];
}): string {
  for (const text of attributes) {
    const renamed = /^rename\(\s*"(\w+)"\s*\)$/.exec(text)?.[1];
    if (renamed !== undefined) return renamed;
  }
  return name;
}

const cells = (of: readonly Cell[]): StorageType => ({ kind: 'cells', cells: of });

const wide = (type: string): StorageType =>
  cells([
    { members: [], type, part: 'low' },
    { members: [], type, part: 'high' },
  ]);

/** How many keys lead to a value, each felt or u256 counted. */
export function keyCount(type: StorageType): number {
  switch (type.kind) {
    case 'map':
      return type.keys.length + keyCount(type.of);
    case 'vector':
      return 1 + keyCount(type.of);
    case 'node':
      return Math.max(0, ...type.members.map(({ of }) => keyCount(of)));
    default:
      return 0;
  }
}
