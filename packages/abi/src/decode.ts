// Decoder of calldata, results and events by the types of an ABI; both are untrusted.
import type { Abi, AbiEvent, AbiFunction, Parameter } from './abi.js';
import { PRIME } from './felt.js';
import { selectorOf } from './selector.js';
import { readTypeName } from './type-name.js';

export type Decoded =
  | { readonly kind: 'felt'; readonly felt: string }
  | { readonly kind: 'address'; readonly felt: string }
  | { readonly kind: 'class'; readonly felt: string }
  | { readonly kind: 'number'; readonly value: bigint; readonly type: string }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly Decoded[] }
  | { readonly kind: 'record'; readonly type: string; readonly members: readonly NamedValue[] }
  | {
      readonly kind: 'choice';
      readonly type: string;
      readonly variant: string;
      readonly value?: Decoded;
    }
  | { readonly kind: 'unit' };

export interface NamedValue {
  readonly name: string;
  readonly type: string;
  readonly value: Decoded;
}

export interface DecodedEvent {
  readonly name: string;
  readonly members: readonly NamedValue[];
}

const DEEPEST = 32;
const MAX_ITEMS = 2_000;

const INTEGERS = /^(?:core::integer::)?([ui])(8|16|32|64|128)$/;

/** Reads felts one by one, and counts values: their number bounds the time that an ABI made to harm can take. */
class FeltReader {
  readonly #felts: readonly string[];
  #values = 0;
  #at = 0;

  constructor(felts: readonly string[]) {
    this.#felts = felts;
  }

  get left(): number {
    return this.#felts.length - this.#at;
  }

  next(): string {
    const felt = this.#felts[this.#at++];
    if (felt === undefined) throw new RangeError('fewer felts than the types need');
    return felt;
  }

  nextNumber(): bigint {
    return BigInt(this.next());
  }

  /** The number of items that follow. */
  nextLength(): number {
    const length = this.nextNumber();
    if (length > BigInt(MAX_ITEMS))
      throw new RangeError('the list is too long to be shown decoded');
    return Number(length);
  }

  countValue(): void {
    if (++this.#values > MAX_ITEMS) throw new RangeError('too many values');
  }
}

function decodeType(reader: FeltReader, type: string, abi: Abi, depth: number): Decoded {
  reader.countValue();
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
    if (parsed.length > MAX_ITEMS) throw new RangeError('the list is too long');
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
    if (!variant) throw new RangeError('no such variant');
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

function readBool(reader: FeltReader): Decoded {
  const value = reader.nextNumber();
  if (value > 1n) throw new RangeError('not a boolean');
  return { kind: 'bool', value: value === 1n };
}

function readInteger(reader: FeltReader, signed: boolean, bits: number): Decoded {
  const felt = reader.nextNumber();
  const value = signed && felt > PRIME / 2n ? felt - PRIME : felt;
  const half = 1n << BigInt(bits - 1);
  const fits = signed ? value >= -half && value < half : value < half * 2n;
  if (!fits) throw new RangeError(`the value does not fit into ${bits} bits`);
  return { kind: 'number', value, type: `${signed ? 'i' : 'u'}${bits}` };
}

function wide(reader: FeltReader, limbs: number, type: string): Decoded {
  let value = 0n;
  for (let limb = 0; limb < limbs; limb++) {
    const part = reader.nextNumber();
    if (part >> 128n) throw new RangeError('a part does not fit into 128 bits');
    value += part << BigInt(128 * limb);
  }
  return { kind: 'number', value, type };
}

function readByteArray(reader: FeltReader): string {
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

/** Members in order. In Cairo 0 the length of `x*` is the value of the member `x_len` before it. */
function decodeMembers(
  reader: FeltReader,
  members: readonly Parameter[],
  abi: Abi,
  depth: number,
): NamedValue[] {
  const decoded: NamedValue[] = [];
  for (const { name, type } of members) {
    const parsed = readTypeName(type);
    if (parsed.kind === 'named' && parsed.name === 'pointer') {
      const before = decoded.at(-1);
      if (before?.name !== `${name}_len` || before.value.kind !== 'felt') {
        throw new TypeError('a pointer without a length');
      }
      decoded.pop();
      const length = Number(BigInt(before.value.felt));
      if (length > MAX_ITEMS) throw new RangeError('the list is too long to be shown decoded');
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

/** Undefined when decoding fails; callers then show the raw felts. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The named inputs of a call, or undefined if the calldata does not fit the ABI. */
export function decodeInputs(
  { inputs }: Pick<AbiFunction, 'inputs'>,
  calldata: readonly string[],
  abi: Abi,
): readonly NamedValue[] | undefined {
  return attempt(() => {
    const reader = new FeltReader(calldata);
    const values = decodeMembers(reader, inputs, abi, 0);
    if (reader.left > 0) throw new RangeError('more felts than the types take');
    return values;
  });
}

/** The values that a call returned, or undefined if they do not fit the ABI. */
export function decodeOutputs(
  { outputs }: Pick<AbiFunction, 'outputs'>,
  result: readonly string[],
  abi: Abi,
): readonly Decoded[] | undefined {
  return attempt(() => {
    const reader = new FeltReader(result);
    const values = outputs.map((type) => decodeType(reader, type, abi, 0));
    if (reader.left > 0) throw new RangeError('more felts than the types take');
    return values;
  });
}

/** One value of a type, or undefined if the felts do not fit it. */
export function decodeAs(type: string, felts: readonly string[], abi: Abi): Decoded | undefined {
  return decodeOutputs({ outputs: [type] }, felts, abi)?.[0];
}

interface Match {
  readonly event: AbiEvent;
  readonly name: string;
  /** Number of leading keys that only select the event. */
  readonly feltCount: number;
}

/** The event with its members, or undefined if no event of the ABI fits. */
export function decodeEvent(
  keys: readonly string[],
  data: readonly string[],
  abi: Abi,
): DecodedEvent | undefined {
  return attempt(() => {
    const match = findEvent(keys, abi);
    if (!match) return undefined;
    const keyReader = new FeltReader(keys.slice(match.feltCount));
    const dataReader = new FeltReader(data);
    const members = match.event.fields.map(({ name, type, kind }) => {
      const reader = kind === 'key' ? keyReader : dataReader;
      return { name, type, value: decodeType(reader, type, abi, 0) };
    });
    if (keyReader.left > 0 || dataReader.left > 0) return undefined;
    return { name: match.name, members };
  });
}

function findEvent(keys: readonly string[], abi: Abi): Match | undefined {
  const visited = new Set<string>();
  for (const root of abi.roots) {
    const event = abi.events.get(root);
    if (!event) continue;
    if (event.kind === 'struct') {
      const name = lastPart(event.name);
      if (keys[0] === selectorOf(name)) return { event, name, feltCount: 1 };
    } else {
      const match = findVariant(event, keys, 0, abi, visited);
      if (match) return match;
    }
  }
  return undefined;
}

/** `visited` holds key positions with enums: flat enums may contain each other, and one search of each is enough. */
function findVariant(
  choice: AbiEvent,
  keys: readonly string[],
  at: number,
  abi: Abi,
  visited: Set<string>,
): Match | undefined {
  const path = `${at} ${choice.name}`;
  if (at > DEEPEST || visited.has(path)) return undefined;
  visited.add(path);
  for (const { name, type, kind } of choice.fields) {
    const next = abi.events.get(type);
    if (!next) continue;
    if (kind === 'flat') {
      const match = next.kind === 'enum' ? findVariant(next, keys, at, abi, visited) : undefined;
      if (match) return match;
    } else if (keys[at] === selectorOf(name)) {
      if (next.kind === 'struct') return { event: next, name, feltCount: at + 1 };
      const match = findVariant(next, keys, at + 1, abi, visited);
      if (match) return match;
    }
  }
  return undefined;
}

function lastPart(path: string): string {
  return path.split('::').at(-1) ?? path;
}

/** How the single felts of a value are written. */
export interface FeltTexts {
  readonly felt: (felt: string) => string;
  readonly address: (felt: string) => string;
  readonly classHash: (felt: string) => string;
}

/** A value in one line. */
export function valueText(value: Decoded, texts: FeltTexts): string {
  const inner = (of: Decoded): string => valueText(of, texts);
  switch (value.kind) {
    case 'felt':
      return texts.felt(value.felt);
    case 'address':
      return texts.address(value.felt);
    case 'class':
      return texts.classHash(value.felt);
    case 'number':
    case 'bool':
      return String(value.value);
    case 'text':
      return JSON.stringify(value.text);
    case 'list':
      return `[${value.items.map(inner).join(', ')}]`;
    case 'record':
      return `{ ${value.members.map((member) => `${member.name}: ${inner(member.value)}`).join(', ')} }`;
    case 'choice':
      return value.value ? `${value.variant}(${inner(value.value)})` : value.variant;
    case 'unit':
      return '()';
  }
}
