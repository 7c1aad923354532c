// SNIP-12 typed data: its reading from untrusted JSON, its hash in revisions 0 and 1, its signature.
import { computeHashOnElements, pedersen, poseidonHash } from '@scure/starknet';
import { isObject, PRIME, toFelt } from '@starkbox/abi/basics';
import { starknetKeccak } from '@starkbox/abi/internal';
import { many, shortString } from './felts.js';
import { signature } from './signature.js';

/** A member of a struct, or a variant of an enum. */
export interface TypedMember {
  readonly name: string;
  readonly type: string;
  /** The enum of a member of type `enum`, the leaves of one of type `merkletree`. */
  readonly contains?: string | undefined;
}

type Types = Readonly<Record<string, readonly TypedMember[]>>;

export interface TypedData {
  readonly types: Types;
  readonly primaryType: string;
  readonly domain: Readonly<Record<string, unknown>>;
  readonly message: Readonly<Record<string, unknown>>;
}

/** Typed data that cannot be hashed; the message says why. */
export class InvalidTypedData extends Error {
  override readonly name = 'InvalidTypedData';
}

interface Revision {
  readonly domain: string;
  readonly isActive: boolean;
  readonly hash: (of: readonly bigint[]) => bigint;
  readonly hashPair: (left: bigint, right: bigint) => bigint;
  /** Types that need no definition. */
  readonly presets: Types;
}

const LEGACY: Revision = {
  domain: 'StarkNetDomain',
  isActive: false,
  hash: (of) => BigInt(String(computeHashOnElements([...of]))),
  hashPair: (left, right) => BigInt(pedersen(left, right)),
  presets: {},
};

const ACTIVE: Revision = {
  domain: 'StarknetDomain',
  isActive: true,
  hash: many,
  hashPair: (left, right) => poseidonHash(left, right),
  presets: {
    u256: [
      { name: 'low', type: 'u128' },
      { name: 'high', type: 'u128' },
    ],
    TokenAmount: [
      { name: 'token_address', type: 'ContractAddress' },
      { name: 'amount', type: 'u256' },
    ],
    NftId: [
      { name: 'collection_address', type: 'ContractAddress' },
      { name: 'token_id', type: 'u256' },
    ],
  },
};

/** Throws an `InvalidTypedData` if the value is none. */
export function readTypedData(value: unknown): TypedData {
  if (!isObject(value)) throw new InvalidTypedData('The typed data is not an object.');
  const { types, primaryType, domain, message } = value;
  if (!isObject(types)) throw new InvalidTypedData('The member types is not an object.');
  if (typeof primaryType !== 'string')
    throw new InvalidTypedData('The member primaryType is not a string.');
  if (!isObject(domain)) throw new InvalidTypedData('The member domain is not an object.');
  if (!isObject(message)) throw new InvalidTypedData('The member message is not an object.');
  const read = Object.entries(types).map(([name, members]) => [name, readMembers(name, members)]);
  return { types: Object.fromEntries(read), primaryType, domain, message };
}

function readMembers(of: string, value: unknown): readonly TypedMember[] {
  if (!Array.isArray(value)) throw new InvalidTypedData(`The type ${of} is not a list of members.`);
  return value.map((member: unknown) => {
    if (isObject(member)) {
      const { name, type, contains } = member;
      const isContained = contains === undefined || typeof contains === 'string';
      if (typeof name === 'string' && typeof type === 'string' && isContained) {
        return { name, type, contains };
      }
    }
    throw new InvalidTypedData(`A member of the type ${of} has no name or no type.`);
  });
}

/** The hash that the account signs. */
export function messageHash(data: TypedData, account: string): string {
  const { types, domain, primaryType, message } = data;
  const revision = revisionOf(data);
  const shadowed = Object.keys(revision.presets).find((name) => Object.hasOwn(types, name));
  if (shadowed !== undefined)
    throw new InvalidTypedData(`The type ${shadowed} is predefined and cannot be defined.`);
  const hasher = new Hasher(types, revision);
  return toFelt(
    revision.hash([
      shortString('StarkNet Message'),
      hasher.struct(revision.domain, domain),
      BigInt(account),
      hasher.struct(primaryType, message),
    ]),
  );
}

export function signedMessage(
  data: TypedData,
  account: string,
  privateKey: string,
): readonly string[] {
  return signature(messageHash(data, account), privateKey);
}

function revisionOf({ types, domain }: TypedData): Revision {
  const revisionText = String(domain['revision'] ?? '0');
  const revision = [LEGACY, ACTIVE][['0', '1'].indexOf(revisionText)];
  if (!revision) throw new InvalidTypedData(`Unknown revision ${revisionText}, only 0 and 1.`);
  if (!Object.hasOwn(types, revision.domain)) {
    throw new InvalidTypedData(
      `Revision ${revisionText} needs the type ${revision.domain} among the types.`,
    );
  }
  return revision;
}

const TUPLE = /^\((.*)\)$/;
const partsOf = (tuple: string): readonly string[] => (TUPLE.exec(tuple)?.[1] ?? '').split(',');
const itemOf = (list: string): string => list.slice(0, -1);

class Hasher {
  readonly #types: Types;
  readonly #revision: Revision;
  readonly #typeHashes = new Map<string, bigint>();

  constructor(types: Types, revision: Revision) {
    this.#types = { ...revision.presets, ...types };
    this.#revision = revision;
  }

  #members(type: string): readonly TypedMember[] | undefined {
    return Object.hasOwn(this.#types, type) ? this.#types[type] : undefined;
  }

  struct(type: string, value: unknown): bigint {
    const members = this.#members(type);
    if (!members) throw new InvalidTypedData(`The type ${type} is not among the types.`);
    if (!isObject(value)) throw new InvalidTypedData(`A value of ${type} is not an object.`);
    return this.#revision.hash([
      this.#typeHash(type),
      ...members.map((member) => {
        const of = Object.hasOwn(value, member.name) ? value[member.name] : undefined;
        if (of === undefined || of === null)
          throw new InvalidTypedData(`The value of ${type}.${member.name} is missing.`);
        return this.#member(member, of);
      }),
    ]);
  }

  #typeHash(type: string): bigint {
    const cached = this.#typeHashes.get(type);
    if (cached !== undefined) return cached;
    const others = new Set<string>();
    this.#collect(type, others);
    others.delete(type);
    const text = [type, ...[...others].sort()].map((name) => this.#encodedType(name)).join('');
    const hash = starknetKeccak(text);
    this.#typeHashes.set(type, hash);
    return hash;
  }

  /**
   * Adds the types that a type is made of. The leaves of Merkle trees are none of them, and neither are the
   * items of lists in lists.
   */
  #collect(type: string, names: Set<string>, contains = ''): void {
    const { isActive } = this.#revision;
    const isTuple = isActive && TUPLE.test(type);
    const declaredType = isActive && type === 'enum' ? contains : type;
    for (const part of isTuple ? partsOf(type) : [declaredType]) {
      const name = part.endsWith('*') ? itemOf(part) : part;
      const members = this.#members(name);
      if (!members || names.has(name)) continue;
      names.add(name);
      for (const member of members) this.#collect(member.type, names, member.contains);
    }
  }

  #encodedType(name: string): string {
    const { isActive } = this.#revision;
    const quote = (text: string): string => (isActive && text !== '' ? `"${text}"` : text);
    const members = (this.#members(name) ?? []).map(({ name, type, contains }) => {
      const declaredType = isActive && type === 'enum' ? (contains ?? '') : type;
      const text = TUPLE.test(declaredType)
        ? `(${partsOf(declaredType).map(quote).join(',')})`
        : quote(declaredType);
      return `${quote(name)}:${text}`;
    });
    return `${quote(name)}(${members.join(',')})`;
  }

  /** The value of a member; enums and Merkle trees are described by the member. */
  #member({ name, type, contains }: TypedMember, value: unknown): bigint {
    if (type === 'merkletree') return this.#merkleRoot(contains ?? '', listOf(name, value));
    if (type === 'enum' && this.#revision.isActive) return this.#choice(contains ?? '', value);
    return this.#value(type, value);
  }

  #value(type: string, value: unknown): bigint {
    if (this.#members(type)) return this.struct(type, value);
    if (type.endsWith('*')) {
      const items = listOf(type, value).map((item) => this.#value(itemOf(type), item));
      return this.#revision.hash(items);
    }
    return this.#revision.isActive ? activeScalar(type, value) : legacyScalar(type, value);
  }

  #choice(type: string, value: unknown): bigint {
    const variants = this.#members(type);
    if (!variants) throw new InvalidTypedData(`The enum ${type} is not among the types.`);
    const [[name, values] = ['', []]] = isObject(value) ? Object.entries(value) : [];
    const index = variants.findIndex((variant) => variant.name === name);
    const variant = variants[index];
    if (!variant) throw new InvalidTypedData(`The enum ${type} has no variant ${name}.`);
    const members = listOf(`${type}.${name}`, values);
    // A variant without values is hashed with one zero.
    const parts = partsOf(variant.type).map((part, at) =>
      part === '' ? 0n : this.#value(part, members[at]),
    );
    return this.#revision.hash([BigInt(index), ...parts]);
  }

  #merkleRoot(type: string, leaves: readonly unknown[]): bigint {
    let level = leaves.map((leaf) => this.#value(type, leaf));
    if (level.length === 0) throw new InvalidTypedData('A Merkle tree has no leaves.');
    while (level.length > 1) {
      const above: bigint[] = [];
      for (let at = 0; at < level.length; at += 2) {
        const [first = 0n, second = 0n] = level.slice(at, at + 2);
        above.push(
          this.#revision.hashPair(first < second ? first : second, first < second ? second : first),
        );
      }
      level = above;
    }
    return level[0] ?? 0n;
  }
}

function listOf(name: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new InvalidTypedData(`The value of ${name} is not a list.`);
  return value;
}

const NUMBER = /^(?:-?\d+|0x[0-9a-f]+)?$/i;

/** A number, also as text; undefined if the value is none. */
function numberOf(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && NUMBER.test(value.trim()) ? BigInt(value) : undefined;
}

/** A number, or a short string. */
function feltOf(type: string, value: unknown): bigint {
  const number = numberOf(value);
  if (number !== undefined) return within(type, number, 0n, PRIME);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: short strings are ASCII.
  if (typeof value === 'string' && /^[\x00-\x7f]{0,31}$/.test(value)) return shortString(value);
  throw new InvalidTypedData(`${String(value)} is no ${type}.`);
}

function within(type: string, value: bigint, least: bigint, end: bigint): bigint {
  if (value < least || value >= end)
    throw new InvalidTypedData(`A value is not a number in the range of ${type}.`);
  return value;
}

function selectorOf(value: unknown): bigint {
  if (typeof value !== 'string') throw new InvalidTypedData(`${String(value)} is not a selector.`);
  return /^0x[0-9a-f]*$/i.test(value) ? BigInt(value) : starknetKeccak(value);
}

function legacyScalar(type: string, value: unknown): bigint {
  return type === 'selector' ? selectorOf(value) : feltOf(type, value);
}

const U128 = 2n ** 128n;
const I128 = 2n ** 127n;

function activeScalar(type: string, value: unknown): bigint {
  switch (type) {
    case 'selector':
      return selectorOf(value);
    case 'string':
      return textHash(value);
    case 'i128': {
      const number = within(type, numberOf(value) ?? I128, -I128, I128);
      return number < 0n ? PRIME + number : number;
    }
    case 'timestamp':
    case 'u128':
      return within(type, numberOf(value) ?? U128, 0n, U128);
    case 'bool':
      if (typeof value === 'boolean') return value ? 1n : 0n;
      throw new InvalidTypedData(`${String(value)} is not a bool.`);
    case 'felt':
    case 'shortstring':
    case 'ClassHash':
    case 'ContractAddress':
      return feltOf(type, value);
  }
  throw new InvalidTypedData(`The type ${type} is neither predefined nor among the types.`);
}

/** Words of 31 bytes, then the rest and its length, as a ByteArray has them. */
function textHash(value: unknown): bigint {
  if (typeof value !== 'string') throw new InvalidTypedData(`${String(value)} is not a string.`);
  const bytes = new TextEncoder().encode(value);
  const whole = Math.floor(bytes.length / 31);
  const word = (at: number): bigint =>
    bytes.slice(at * 31, (at + 1) * 31).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const words = Array.from({ length: whole }, (_, at) => word(at));
  return many([BigInt(whole), ...words, word(whole), BigInt(bytes.length % 31)]);
}
