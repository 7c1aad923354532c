// Knows how felts become values of the types that an ABI names, whatever nonsense either may be.

import type { Abi, AbiEvent, AbiFunction, Parameter } from './abi.js';
import { selectorOf } from './keccak.js';
import { readTypeName } from './type-name.js';

export type Decoded =
  | { readonly kind: 'felt'; readonly felt: string }
  | { readonly kind: 'address'; readonly felt: string }
  | { readonly kind: 'class'; readonly felt: string }
  | { readonly kind: 'number'; readonly value: bigint; readonly type: string }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly Decoded[] }
  | { readonly kind: 'record'; readonly type: string; readonly members: readonly Named[] }
  | {
      readonly kind: 'choice';
      readonly type: string;
      readonly variant: string;
      readonly value?: Decoded;
    }
  | { readonly kind: 'unit' };

export interface Named {
  readonly name: string;
  readonly type: string;
  readonly value: Decoded;
}

export interface DecodedEvent {
  readonly name: string;
  readonly members: readonly Named[];
}

const DEEPEST = 32;
const MOST_ITEMS = 2_000;
const LONGEST_MILLISECONDS = 50;
const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n;

const INTEGERS = /^(?:core::integer::)?([ui])(8|16|32|64|128)$/;

class Reader {
  readonly #felts: readonly string[];
  readonly #budget: { items: number; readonly end: number };
  at = 0;

  constructor(
    felts: readonly string[],
    budget = { items: 0, end: performance.now() + LONGEST_MILLISECONDS },
  ) {
    this.#felts = felts;
    this.#budget = budget;
  }

  get left(): number {
    return this.#felts.length - this.at;
  }

  next(): string {
    const felt = this.#felts[this.at++];
    if (felt === undefined) throw new RangeError('there are fewer felts than the type needs');
    return felt;
  }

  nextNumber(): bigint {
    return BigInt(this.next());
  }

  /** A count of things that follow, which cannot be more than the felts that are left unless they are empty. */
  nextLength(): number {
    const length = this.nextNumber();
    if (length > BigInt(MOST_ITEMS))
      throw new RangeError('the list is too long to be shown decoded');
    return Number(length);
  }

  spend(): void {
    if (++this.#budget.items > MOST_ITEMS) throw new RangeError('there are too many values');
    if (performance.now() > this.#budget.end) throw new RangeError('decoding takes too long');
  }
}

function decodeType(reader: Reader, type: string, abi: Abi, depth: number): Decoded {
  reader.spend();
  if (depth > DEEPEST) throw new RangeError('the types are nested too deeply');
  const inner = (of: string): Decoded => decodeType(reader, of, abi, depth + 1);
  const list = (of: string, length: number): Decoded => ({
    kind: 'list',
    items: Array.from({ length }, () => inner(of)),
  });

  const parsed = readTypeName(type);
  if (parsed.kind === 'tuple') {
    if (parsed.of.length === 0) return { kind: 'unit' };
    const members = parsed.of.map((of, at) => ({ name: String(at), type: of, value: inner(of) }));
    return { kind: 'record', type: '', members };
  }
  if (parsed.kind === 'array') {
    if (parsed.length > MOST_ITEMS) throw new RangeError('the list is too long');
    return list(parsed.of, parsed.length);
  }

  const [first = 'felt'] = parsed.of;
  switch (parsed.name) {
    case 'felt':
    case 'felt252':
    case 'core::felt252':
      return { kind: 'felt', felt: reader.next() };
    case 'core::bool':
      return readBool(reader);
    case 'core::starknet::contract_address::ContractAddress':
    case 'core::starknet::eth_address::EthAddress':
      return { kind: 'address', felt: reader.next() };
    case 'core::starknet::class_hash::ClassHash':
      return { kind: 'class', felt: reader.next() };
    case 'core::bytes_31::bytes31':
      return { kind: 'felt', felt: reader.next() };
    case 'core::integer::u256':
    case 'Uint256':
      return wide(reader, 2, 'u256');
    case 'core::integer::u512':
      return wide(reader, 4, 'u512');
    case 'core::byte_array::ByteArray':
      return { kind: 'text', text: readByteArray(reader) };
    case 'core::array::Array':
    case 'core::array::Span':
      return list(first, reader.nextLength());
    case 'core::zeroable::NonZero':
    case 'core::box::Box':
      return inner(first);
  }

  const integer = INTEGERS.exec(parsed.name);
  if (integer) return readInteger(reader, integer[1] === 'i', Number(integer[2]));

  const whole = type.trim().replace(/^@/, '');
  const members = abi.structs.get(whole);
  if (members) {
    return { kind: 'record', type: whole, members: decodeMembers(reader, members, abi, depth + 1) };
  }
  const variants = abi.enums.get(whole);
  if (variants) {
    const index = reader.nextNumber();
    const variant = index < BigInt(variants.length) ? variants[Number(index)] : undefined;
    if (!variant) throw new RangeError('there is no such variant');
    const value = inner(variant.type);
    return {
      kind: 'choice',
      type: whole,
      variant: variant.name,
      ...(value.kind === 'unit' ? {} : { value }),
    };
  }
  throw new TypeError('the type is not in the ABI');
}

function readBool(reader: Reader): Decoded {
  const value = reader.nextNumber();
  if (value > 1n) throw new RangeError('that is neither true nor false');
  return { kind: 'bool', value: value === 1n };
}

function readInteger(reader: Reader, signed: boolean, bits: number): Decoded {
  const felt = reader.nextNumber();
  const value = signed && felt > PRIME / 2n ? felt - PRIME : felt;
  const half = 1n << BigInt(bits - 1);
  const fits = signed ? value >= -half && value < half : value < half * 2n;
  if (!fits) throw new RangeError(`that does not fit into ${bits} bits`);
  return { kind: 'number', value, type: `${signed ? 'i' : 'u'}${bits}` };
}

function wide(reader: Reader, limbs: number, type: string): Decoded {
  let value = 0n;
  for (let limb = 0; limb < limbs; limb++) {
    const part = reader.nextNumber();
    if (part >> 128n) throw new RangeError('a part does not fit into 128 bits');
    value += part << BigInt(128 * limb);
  }
  return { kind: 'number', value, type };
}

function readByteArray(reader: Reader): string {
  const words = reader.nextLength();
  const bytes: number[] = [];
  const push = (felt: string, length: number): void => {
    const hex = felt.slice(2).padStart(length * 2, '0');
    if (hex.length !== length * 2) throw new RangeError('a word is too long');
    for (let at = 0; at < hex.length; at += 2)
      bytes.push(Number.parseInt(hex.slice(at, at + 2), 16));
  };
  for (let word = 0; word < words; word++) push(reader.next(), 31);
  const rest = reader.next();
  const length = reader.nextLength();
  if (length > 30) throw new RangeError('the last word is too long');
  if (length > 0) push(rest, length);
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** Members one after the other. In Cairo 0, `x*` takes as many as the member `x_len` before it says. */
function decodeMembers(
  reader: Reader,
  members: readonly Parameter[],
  abi: Abi,
  depth: number,
): Named[] {
  const decoded: Named[] = [];
  for (const { name, type } of members) {
    const parsed = readTypeName(type);
    if (parsed.kind === 'named' && parsed.name === 'pointer') {
      const before = decoded.at(-1);
      if (before?.name !== `${name}_len` || before.value.kind !== 'felt') {
        throw new TypeError('a pointer without a length');
      }
      decoded.pop();
      const length = Number(BigInt(before.value.felt));
      if (length > MOST_ITEMS) throw new RangeError('the list is too long to be shown decoded');
      const items = Array.from({ length }, () =>
        decodeType(reader, parsed.of[0] ?? 'felt', abi, depth),
      );
      decoded.push({ name, type, value: { kind: 'list', items } });
    } else {
      decoded.push({ name, type, value: decodeType(reader, type, abi, depth) });
    }
  }
  return decoded;
}

/** Undefined where it does not work out: then the felts are shown as they are. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

export function decodeInputs(
  { inputs }: Pick<AbiFunction, 'inputs'>,
  calldata: readonly string[],
  abi: Abi,
): readonly Named[] | undefined {
  return attempt(() => {
    const reader = new Reader(calldata);
    const values = decodeMembers(reader, inputs, abi, 0);
    if (reader.left > 0) throw new RangeError('there are more felts than the types take');
    return values;
  });
}

export function decodeOutputs(
  { outputs }: Pick<AbiFunction, 'outputs'>,
  result: readonly string[],
  abi: Abi,
): readonly Decoded[] | undefined {
  return attempt(() => {
    const reader = new Reader(result);
    const values = outputs.map((type) => decodeType(reader, type, abi, 0));
    if (reader.left > 0) throw new RangeError('there are more felts than the types take');
    return values;
  });
}

interface Match {
  readonly event: AbiEvent;
  readonly name: string;
  /** How many keys only say which event it is. */
  readonly used: number;
}

export function decodeEvent(
  keys: readonly string[],
  data: readonly string[],
  abi: Abi,
): DecodedEvent | undefined {
  return attempt(() => {
    const match = findEvent(keys, abi);
    if (!match) return undefined;
    const keyReader = new Reader(keys.slice(match.used));
    const dataReader = new Reader(data);
    const members = match.event.fields.map(({ name, type, kind }) => {
      const reader = kind === 'key' ? keyReader : dataReader;
      return { name, type, value: decodeType(reader, type, abi, 0) };
    });
    if (keyReader.left > 0 || dataReader.left > 0) return undefined;
    return { name: match.name, members };
  });
}

function findEvent(keys: readonly string[], abi: Abi): Match | undefined {
  for (const root of abi.roots) {
    const event = abi.events.get(root);
    if (!event) continue;
    if (event.kind === 'struct') {
      const name = lastPart(event.name);
      if (keys[0] === selectorOf(name)) return { event, name, used: 1 };
    } else {
      const match = findVariant(event, keys, 0, abi, 0);
      if (match) return match;
    }
  }
  return undefined;
}

function findVariant(
  choice: AbiEvent,
  keys: readonly string[],
  at: number,
  abi: Abi,
  depth: number,
): Match | undefined {
  if (depth > DEEPEST) return undefined;
  for (const { name, type, kind } of choice.fields) {
    const next = abi.events.get(type);
    if (!next) continue;
    if (kind === 'flat') {
      const match = next.kind === 'enum' ? findVariant(next, keys, at, abi, depth + 1) : undefined;
      if (match) return match;
    } else if (keys[at] === selectorOf(name)) {
      if (next.kind === 'struct') return { event: next, name, used: at + 1 };
      const match = findVariant(next, keys, at + 1, abi, depth + 1);
      if (match) return match;
    }
  }
  return undefined;
}

function lastPart(path: string): string {
  return path.split('::').at(-1) ?? path;
}
