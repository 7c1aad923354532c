// Values of Cairo types, from the cells that hold them.
import type { Value, Variable } from '../debugger.js';
import { type Cell, isPointer, type MemoryReader, type Pointer, toSigned } from './cells.js';
import type { DebugClass, SierraType } from './debug-class.js';

/** Elements of a list in the text of a value. */
const MAX_IN_TEXT = 16;
/** Levels of members in the text of a value. */
const DEEPEST_TEXT = 6;
const MAX_TEXT_BYTES = 1_000;
/** Accesses of a dictionary that are read. */
const MAX_ACCESSES = 100_000;
const UNAVAILABLE = '<not recorded>';

const INTEGER = /^[iu](8|16|32|64|128)$/;
/** Types of one felt that are shown in hexadecimal. */
const HEX: ReadonlySet<string> = new Set([
  'ContractAddress',
  'ClassHash',
  'StorageAddress',
  'StorageBaseAddress',
  'bytes31',
]);
/** Types with the cells of the type that they are made of. */
const TRANSPARENT: ReadonlySet<string> = new Set(['Snapshot', 'NonZero']);

/** A part of a value. */
interface Part {
  readonly name: string;
  readonly type: SierraType;
  readonly cells: readonly Cell[];
}

/** Elements of equal size from a pointer on. */
interface Elements {
  readonly type: SierraType;
  readonly start: Pointer;
  readonly count: number;
}

export class Decoder {
  readonly #debugClass: DebugClass;
  readonly #memory: MemoryReader;

  constructor(debugClass: DebugClass, memory: MemoryReader) {
    this.#debugClass = debugClass;
    this.#memory = memory;
  }

  async decode(typeId: number, cells: readonly Cell[]): Promise<Value | undefined> {
    const type = this.#debugClass.type(typeId);
    return type && this.#value(type, cells);
  }

  async #value(type: SierraType, cells: readonly Cell[]): Promise<Value> {
    const text = await this.#text(type, cells, 0);
    const elements = await this.#elements(type, cells);
    const parts = elements ? [] : await this.#parts(type, cells);
    return {
      type: type.name,
      text,
      childCount: elements?.count ?? parts.length,
      children: async (first = 0, count = Number.POSITIVE_INFINITY) => {
        const page = elements
          ? await this.#elementParts(elements, first, count)
          : parts.slice(first, first + count);
        return Promise.all(page.map((part) => this.#variable(part)));
      },
    };
  }

  async #variable({ name, type, cells }: Part): Promise<Variable> {
    return { name, value: await this.#value(type, cells), isParameter: false };
  }

  /** One line, in the form of Cairo's `Debug`. */
  async #text(type: SierraType, cells: readonly Cell[], depth: number): Promise<string> {
    const inner = this.#inner(type);
    if (inner && TRANSPARENT.has(type.generic)) return this.#text(inner, cells, depth);
    const scalar = scalarText(type, cells);
    if (scalar !== undefined) return scalar;
    if (depth > DEEPEST_TEXT) return '…';
    if (isByteArray(type)) return (await this.#byteArray(type, cells)) ?? UNAVAILABLE;
    const elements = await this.#elements(type, cells);
    if (elements) return this.#listText(elements, depth);
    const parts = await this.#parts(type, cells);
    if (type.generic === 'Enum') return this.#enumText(type, parts, depth);
    if (type.generic === 'Struct') return this.#structText(type, parts, depth);
    if (type.generic.includes('Dict')) return this.#dictionaryText(parts, depth);
    // What a box has is its text.
    const [part] = parts;
    if (part) return this.#text(part.type, part.cells, depth + 1);
    return cells.map(cellText).join(', ') || '()';
  }

  async #texts(parts: readonly Part[], depth: number): Promise<readonly string[]> {
    const texts: string[] = [];
    for (const { type, cells } of parts) texts.push(await this.#text(type, cells, depth + 1));
    return texts;
  }

  async #listText(elements: Elements, depth: number): Promise<string> {
    const parts = await this.#elementParts(elements, 0, MAX_IN_TEXT);
    const texts = await this.#texts(parts, depth);
    const more = elements.count - parts.length;
    return `[${texts.join(', ')}${more > 0 ? `, … ${more} more` : ''}]`;
  }

  async #enumText(type: SierraType, parts: readonly Part[], depth: number): Promise<string> {
    const [part] = parts;
    if (!part) return UNAVAILABLE;
    if (lastPart(type.name) === 'bool')
      return part.name === 'True' || part.name === '1' ? 'true' : 'false';
    const variant = `${lastPart(type.name)}::${part.name}`;
    if (part.type.generic === 'Struct' && part.type.types.length === 0) return variant;
    return `${variant}(${await this.#text(part.type, part.cells, depth + 1)})`;
  }

  async #structText(type: SierraType, parts: readonly Part[], depth: number): Promise<string> {
    const texts = await this.#texts(parts, depth);
    if (isTuple(type)) return `(${texts.join(', ')}${texts.length === 1 ? ',' : ''})`;
    const name = lastPart(type.name);
    if (texts.length === 0) return name;
    return `${name} { ${texts.map((text, at) => `${parts[at]?.name}: ${text}`).join(', ')} }`;
  }

  async #dictionaryText(parts: readonly Part[], depth: number): Promise<string> {
    const texts = await this.#texts(parts.slice(0, MAX_IN_TEXT), depth);
    const more = parts.length > MAX_IN_TEXT ? `, … ${parts.length - MAX_IN_TEXT} more` : '';
    return `{${texts.map((text, at) => `${parts[at]?.name}: ${text}`).join(', ')}${more}}`;
  }

  #inner(type: SierraType): SierraType | undefined {
    return this.#debugClass.type(type.types[0] ?? -1);
  }

  /** Members, the payload of an enum with the name of its variant, or what a pointer points to. */
  async #parts(type: SierraType, cells: readonly Cell[]): Promise<readonly Part[]> {
    const inner = this.#inner(type);
    if (inner && TRANSPARENT.has(type.generic)) return this.#parts(inner, cells);
    if (scalarText(type, cells) !== undefined || isByteArray(type)) return [];
    if (type.generic === 'Struct') return this.#members(type, cells);
    if (type.generic === 'Enum') return this.#variant(type, cells);
    if (inner && /^(Box|Nullable)$/.test(type.generic)) {
      const target = await this.#followPointer(inner, cells[0]);
      return target ? [{ name: 'value', type: inner, cells: target }] : [];
    }
    if (inner && type.generic.includes('Felt252Dict')) return this.#dictionary(inner, cells);
    return [];
  }

  #members(type: SierraType, cells: readonly Cell[]): readonly Part[] {
    let at = 0;
    return type.types.flatMap((id, index) => {
      const member = this.#debugClass.type(id);
      if (!member) return [];
      const first = at;
      at += member.size;
      const name = type.members?.[index] ?? String(index);
      return [{ name, type: member, cells: cells.slice(first, at) }];
    });
  }

  /** The payload ends the cells: padding is before it. */
  #variant(type: SierraType, cells: readonly Cell[]): readonly Part[] {
    const [selector] = cells;
    const count = type.types.length;
    if (typeof selector !== 'bigint') return [];
    const index = count <= 2 ? Number(selector) : count - (Number(selector) + 1) / 2;
    const payload = this.#debugClass.type(type.types[index] ?? -1);
    if (!payload) return [];
    const name = type.members?.[index] ?? String(index);
    return [{ name, type: payload, cells: cells.slice(cells.length - payload.size) }];
  }

  async #followPointer(type: SierraType, cell: Cell): Promise<readonly Cell[] | undefined> {
    if (!isPointer(cell)) return undefined;
    return type.size === 0 ? [] : this.#memory(cell.segment, cell.offset, type.size);
  }

  /** The elements of an array, a span, or a fixed-size array in a box. */
  async #elements(type: SierraType, cells: readonly Cell[]): Promise<Elements | undefined> {
    const inner = this.#inner(type);
    if (!inner) return undefined;
    if (TRANSPARENT.has(type.generic) || isSpan(type)) return this.#elements(inner, cells);
    if (type.generic !== 'Array') return undefined;
    const [start, end] = cells;
    if (!isPointer(start) || !isPointer(end) || start.segment !== end.segment) return undefined;
    const count = inner.size === 0 ? 0 : Math.floor((end.offset - start.offset) / inner.size);
    return { type: inner, start, count: Math.max(0, count) };
  }

  async #elementParts(elements: Elements, first: number, most: number): Promise<readonly Part[]> {
    const { type, start } = elements;
    const count = Math.max(0, Math.min(most, elements.count - first));
    if (count === 0) return [];
    const cells = await this.#memory(
      start.segment,
      start.offset + first * type.size,
      count * type.size,
    );
    return Array.from({ length: count }, (_, index) => ({
      name: String(first + index),
      type,
      cells: cells.slice(index * type.size, (index + 1) * type.size),
    }));
  }

  /** The latest value of each key, from the accesses before the pointer: key, previous and new value. */
  async #dictionary(type: SierraType, cells: readonly Cell[]): Promise<readonly Part[]> {
    const [first, last] = cells;
    const end = isPointer(last) ? last : first;
    if (!isPointer(end)) return [];
    const start = isPointer(last) && isPointer(first) ? first.offset : 0;
    const count = Math.min(end.offset - start, 3 * MAX_ACCESSES);
    const accesses = count > 0 ? await this.#memory(end.segment, start, count) : [];
    const values = new Map<string, Cell>();
    for (let at = 0; at + 2 < accesses.length; at += 3) {
      const key = accesses[at];
      if (typeof key === 'bigint') values.set(feltText(key), accesses[at + 2]);
    }
    const parts: Part[] = [];
    for (const [name, cell] of values) {
      // Values of more than one cell are in a box.
      const value =
        type.size === 1 && !isPointer(cell) ? [cell] : await this.#followPointer(type, cell);
      parts.push({ name, type, cells: value ?? [cell] });
    }
    return parts;
  }

  /** Words of 31 bytes, then a pending word and the number of its bytes. */
  async #byteArray(type: SierraType, cells: readonly Cell[]): Promise<string | undefined> {
    const [data] = this.#members(type, cells);
    const elements = data && (await this.#elements(data.type, data.cells));
    const [pending, length] = cells.slice(-2);
    if (!elements || typeof pending !== 'bigint' || typeof length !== 'bigint') return undefined;
    const most = Math.ceil(MAX_TEXT_BYTES / 31);
    const words = await this.#elementParts(elements, 0, most);
    let hex = '';
    for (const { cells: word } of words) {
      if (typeof word[0] !== 'bigint') return undefined;
      hex += word[0].toString(16).padStart(62, '0');
    }
    if (elements.count <= most && length > 0n) {
      hex += pending.toString(16).padStart(2 * Number(length), '0');
    }
    return `"${utf8(hex)}${elements.count > most ? '…' : ''}"`;
  }
}

/** Texts of types without parts. */
function scalarText(type: SierraType, cells: readonly Cell[]): string | undefined {
  const [cell] = cells;
  if (type.name === 'core::integer::u256' || lastPart(type.name) === 'u512') {
    const limbs = cells.map((limb) => (typeof limb === 'bigint' ? limb : undefined));
    if (limbs.some((limb) => limb === undefined)) return UNAVAILABLE;
    return limbs.reduceRight<bigint>((sum, limb) => (sum << 128n) + (limb ?? 0n), 0n).toString();
  }
  if (type.size !== 1 || type.types.length > 0) return undefined;
  if (typeof cell !== 'bigint') return cellText(cell);
  if (INTEGER.test(type.generic) || type.generic === 'BoundedInt') return toSigned(cell).toString();
  if (HEX.has(type.generic)) return `0x${cell.toString(16)}`;
  return type.generic === 'felt252' ? feltText(cell) : cellText(cell);
}

/** Small numbers in decimal, others in hexadecimal, with the letters that they may stand for. */
function feltText(value: bigint): string {
  if (value < 2n ** 64n) {
    const letters = value < 2n ** 16n ? undefined : shortString(value);
    return letters === undefined ? value.toString() : `${value} ('${letters}')`;
  }
  const letters = shortString(value);
  return letters === undefined
    ? `0x${value.toString(16)}`
    : `0x${value.toString(16)} ('${letters}')`;
}

function shortString(value: bigint): string | undefined {
  const hex = value.toString(16);
  const digits = hex.length % 2 === 0 ? hex : `0${hex}`;
  const codes = (digits.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
  const isText = codes.every((code) => code >= 0x20 && code < 0x7f && code !== 0x27);
  return isText ? String.fromCharCode(...codes) : undefined;
}

function cellText(cell: Cell): string {
  if (cell === undefined) return UNAVAILABLE;
  return isPointer(cell) ? `${cell.segment}:${cell.offset}` : `0x${cell.toString(16)}`;
}

function isByteArray({ name }: SierraType): boolean {
  return name === 'core::byte_array::ByteArray';
}

const isSpan = ({ name }: SierraType): boolean => name.startsWith('core::array::Span::<');

const isTuple = ({ name }: SierraType): boolean => /^(Tuple<|Unit$|\(|FixedSizeArray)/.test(name);

/** `Point` of `a::b::Point::<T>`. */
function lastPart(name: string): string {
  const generics = name.indexOf('::<');
  const path = generics < 0 ? name : name.slice(0, generics);
  return path.slice(path.lastIndexOf(':') + 1);
}

/** Text of bytes in hexadecimal; what is no text is replaced. */
function utf8(hex: string): string {
  try {
    return decodeURIComponent(hex.replace(/../g, '%$&'));
  } catch {
    const bytes = hex.match(/../g) ?? [];
    return bytes
      .map((byte) => Number.parseInt(byte, 16))
      .map((code) => (code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '\ufffd'))
      .join('');
  }
}
