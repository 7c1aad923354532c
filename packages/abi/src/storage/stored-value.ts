// Stored values: the slots that they take, what they hold, and the slots of an edited value.
import type { Decoded, NamedValue } from '../decode.js';
import { decodeShortString, toFelt } from '../felt.js';
import {
  addressOf,
  boolOf,
  byteArrayOf,
  classHashOf,
  feltOf,
  InvalidInput,
  integerOf,
  type Resolve,
} from '../scalar.js';
import { rangeOf } from '../shape.js';
import { decodeScalar, isAddressType, unpackFields } from './slot-name.js';
import type { TypedField } from './storage-type.js';
import {
  MAX_WORDS,
  type PackedSlot,
  partsOf,
  type StoredValue,
  type ValuePart,
  WORD_BYTES,
} from './value-parts.js';

const U256 = { kind: 'integer', signed: false, bits: 256 } as const;

/** The felt in a slot; undefined if it was not read. */
export type ReadSlot = (key: string) => string | undefined;

/** The felt in a slot that {@link areRead} has checked. */
const feltAt = (read: ReadSlot, key: string): string => read(key) ?? '0x0';

const areRead = (keys: readonly string[], read: ReadSlot): boolean =>
  keys.every((key) => read(key) !== undefined);

const slotAt = (key: string, index: number): string => toFelt(BigInt(key) + BigInt(index));

/** How many items a vector has, of those that the layout lists. */
function lengthOf(felt: string, most: number): number {
  const length = BigInt(felt);
  return length > BigInt(most) ? most : Number(length);
}

/** The slots of the bytes; none for a length that no byte array of a contract has. */
function wordKeys(textKey: string, length: bigint): readonly string[] {
  const words = (length + BigInt(WORD_BYTES - 1)) / BigInt(WORD_BYTES);
  if (words > BigInt(MAX_WORDS)) return [];
  return Array.from({ length: Number(words) }, (_, at) => slotAt(textKey, at));
}

/** The slots that the value takes now. Where a length was not read, its slots are left out. */
export function slotsOfValue(value: StoredValue, read: ReadSlot): readonly string[] {
  return keysOf(partsOf(value), read);
}

/** @param count of the items of a vector */
function keysOf(part: ValuePart, read: ReadSlot, count?: number): readonly string[] {
  switch (part.kind) {
    case 'scalar':
      return [part.key];
    case 'u256':
      return [part.low, part.high];
    case 'packed':
      return part.slots.map(({ key }) => key);
    case 'text':
      return [part.key, ...wordKeys(part.textKey, BigInt(feltAt(read, part.key)))];
    case 'choice':
      return [part.key, ...(part.of ? keysOf(part.of, read) : [])];
    case 'record':
      return part.members.flatMap((member) => keysOf(member.part, read));
    case 'list':
      return part.items.flatMap((item) => keysOf(item, read));
    case 'vector': {
      const length = count ?? lengthOf(feltAt(read, part.key), part.items.length);
      return [part.key, ...part.items.slice(0, length).flatMap((item) => keysOf(item, read))];
    }
  }
}

/** What the slots hold; undefined if one of them was not read. */
export function decodeStored(value: StoredValue, read: ReadSlot): Decoded | undefined {
  const part = partsOf(value);
  return areRead(keysOf(part, read), read) ? decodePart(part, read) : undefined;
}

function decodePart(part: ValuePart, read: ReadSlot): Decoded {
  switch (part.kind) {
    case 'scalar':
      return decodeScalar(part.type, feltAt(read, part.key));
    case 'u256': {
      const high = BigInt(feltAt(read, part.high)) << 128n;
      return { kind: 'number', value: high + BigInt(feltAt(read, part.low)), type: 'u256' };
    }
    case 'text':
      return { kind: 'text', text: storedText(part.key, part.textKey, read) };
    case 'packed':
      return { kind: 'record', type: part.type, members: packedMembers(part.slots, read) };
    case 'choice': {
      const index = Number(BigInt(feltAt(read, part.key)));
      const variant = part.variants[index] || `variant ${index}`;
      // None of an Option has no value behind it.
      const isEmpty = part.of === undefined || variant === 'None';
      return {
        kind: 'choice',
        type: part.type,
        variant,
        ...(isEmpty || !part.of ? {} : { value: decodePart(part.of, read) }),
      };
    }
    case 'record':
      return {
        kind: 'record',
        type: part.type,
        members: part.members.map(({ name, part: member }) => ({
          name,
          type: typeOf(member),
          value: decodePart(member, read),
        })),
      };
    case 'list':
      return { kind: 'list', items: part.items.map((item) => decodePart(item, read)) };
    case 'vector': {
      const length = lengthOf(feltAt(read, part.key), part.items.length);
      const items = part.items.slice(0, length);
      return { kind: 'list', items: items.map((item) => decodePart(item, read)) };
    }
  }
}

function typeOf(part: ValuePart): string {
  switch (part.kind) {
    case 'scalar':
      return part.type ?? 'felt252';
    case 'u256':
      return 'u256';
    case 'text':
      return 'ByteArray';
    case 'list':
    case 'vector':
      return '';
    default:
      return part.type;
  }
}

const packedMembers = (slots: readonly PackedSlot[], read: ReadSlot): readonly NamedValue[] =>
  slots.flatMap(({ key, fields }) => unpackFields(fields, BigInt(feltAt(read, key))));

function storedText(key: string, textKey: string, read: ReadSlot): string {
  const length = BigInt(feltAt(read, key));
  const bytes: number[] = [];
  for (const [at, word] of wordKeys(textKey, length).entries()) {
    const size = Math.min(WORD_BYTES, Number(length) - at * WORD_BYTES);
    const digits = BigInt(feltAt(read, word))
      .toString(16)
      .padStart(size * 2, '0')
      .slice(-size * 2);
    for (let digit = 0; digit < digits.length; digit += 2) {
      bytes.push(Number.parseInt(digits.slice(digit, digit + 2), 16));
    }
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** A field of the form in which a stored value is edited. */
export interface ValueField {
  /** Members and indices that lead to it; empty for a value without parts. */
  readonly path: readonly string[];
  readonly type: string;
  readonly text: string;
  /** The choices of an enum. */
  readonly variants?: readonly string[];
}

/** The fields of a value; undefined if a slot was not read. @param count of the items of a vector */
export function fieldsOfValue(
  value: StoredValue,
  read: ReadSlot,
  count?: number,
): readonly ValueField[] | undefined {
  const part = partsOf(value);
  return areRead(keysOf(part, read, count), read) ? fieldsOf(part, [], read, count) : undefined;
}

/** How many items the vector has and may have; undefined for other values. */
export function vectorLength(
  value: StoredValue,
  read: ReadSlot,
): { readonly length: number; readonly most: number } | undefined {
  const part = partsOf(value);
  if (part.kind !== 'vector') return undefined;
  const most = part.items.length;
  return { length: lengthOf(feltAt(read, part.key), most), most };
}

function fieldsOf(
  part: ValuePart,
  path: readonly string[],
  read: ReadSlot,
  count: number | undefined,
): readonly ValueField[] {
  const inner = (name: string, of: ValuePart) => fieldsOf(of, [...path, name], read, undefined);
  switch (part.kind) {
    case 'record':
      return part.members.flatMap(({ name, part: member }) => inner(name, member));
    case 'list':
      return part.items.flatMap((item, at) => inner(String(at), item));
    case 'vector': {
      const length = count ?? lengthOf(feltAt(read, part.key), part.items.length);
      return part.items.slice(0, length).flatMap((item, at) => inner(String(at), item));
    }
    case 'packed':
      return part.slots.flatMap(({ key, fields }) =>
        unpackFields(fields, BigInt(feltAt(read, key))).map(({ name, type, value }) => ({
          path: [...path, name],
          type,
          text: scalarText(value),
        })),
      );
    case 'choice': {
      const index = Number(BigInt(feltAt(read, part.key)));
      const variant = {
        path,
        type: part.type,
        text: part.variants[index] || String(index),
        ...(part.variants.length === 0 ? {} : { variants: part.variants.filter(Boolean) }),
      };
      return [variant, ...(part.of ? inner('value', part.of) : [])];
    }
    default:
      return [{ path, type: typeOf(part), text: scalarText(decodePart(part, read)) }];
  }
}

/** As the parsers of typed texts read it. */
function scalarText(value: Decoded): string {
  switch (value.kind) {
    case 'text':
      return value.text;
    case 'number':
    case 'bool':
      return String(value.value);
    case 'address':
    case 'class':
      return value.felt;
    case 'felt': {
      const text = decodeShortString(value.felt);
      if (text !== undefined) return `'${text}'`;
      return value.felt.length <= 14 ? String(BigInt(value.felt)) : value.felt;
    }
    default:
      return '';
  }
}

/** A felt to be written. */
export interface SlotWrite {
  readonly key: string;
  readonly value: string;
}

/** An edited text that does not fit its field. */
export interface FieldError {
  readonly path: readonly string[];
  readonly message: string;
}

export interface EncodedValue {
  readonly writes: readonly SlotWrite[];
  readonly errors: readonly FieldError[];
}

/** A path as one text, by which edited texts are given. */
export const fieldId = (path: readonly string[]): string => path.join('.');

interface EditContext {
  readonly texts: ReadonlyMap<string, string>;
  readonly read: ReadSlot;
  readonly resolve: Resolve;
  readonly errors: FieldError[];
}

/**
 * The slots of an edited value.
 *
 * @param texts of all fields, by {@link fieldId}
 * @param count of the items of a vector
 */
export function encodeStored(
  value: StoredValue,
  texts: ReadonlyMap<string, string>,
  read: ReadSlot,
  { count, resolve = () => undefined }: { count?: number | undefined; resolve?: Resolve } = {},
): EncodedValue {
  const errors: FieldError[] = [];
  const writes = encodePart(partsOf(value), [], { texts, read, resolve, errors }, count);
  return { writes, errors };
}

function encodePart(
  part: ValuePart,
  path: readonly string[],
  context: EditContext,
  count?: number,
): readonly SlotWrite[] {
  const inner = (name: string, of: ValuePart) => encodePart(of, [...path, name], context);
  switch (part.kind) {
    case 'record':
      return part.members.flatMap(({ name, part: member }) => inner(name, member));
    case 'list':
      return part.items.flatMap((item, at) => inner(String(at), item));
    case 'vector': {
      const before = lengthOf(context.read(part.key) ?? '0x0', part.items.length);
      const length = count ?? before;
      return [
        { key: part.key, value: toFelt(BigInt(length)) },
        ...part.items.slice(0, length).flatMap((item, at) => inner(String(at), item)),
        ...part.items.slice(length, before).flatMap((item) => zeros(keysOf(item, context.read))),
      ];
    }
    case 'packed':
      return part.slots.map(({ key, fields }) => ({
        key,
        value: packedFelt(fields, path, context),
      }));
    case 'choice':
      return [
        { key: part.key, value: variantFelt(part.variants, path, context) },
        ...(part.of ? inner('value', part.of) : []),
      ];
    case 'u256': {
      const [low = '0x0', high = '0x0'] = editText(path, context, (text) =>
        integerOf(text, rangeOf(U256)),
      );
      return [
        { key: part.low, value: low },
        { key: part.high, value: high },
      ];
    }
    case 'text':
      return textWrites(part.key, part.textKey, path, context);
    case 'scalar': {
      const { type } = part;
      const [felt = '0x0'] = editText(path, context, (text) => [
        scalarFelt(type, text, context.resolve),
      ]);
      return [{ key: part.key, value: felt }];
    }
  }
}

const zeros = (keys: readonly string[]): readonly SlotWrite[] =>
  keys.map((key) => ({ key, value: '0x0' }));

/** Parses the text of a field, or notes its error. */
function editText(
  path: readonly string[],
  { texts, errors }: EditContext,
  parse: (text: string) => readonly string[],
): readonly string[] {
  try {
    return parse(texts.get(fieldId(path)) ?? '');
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    errors.push({ path, message: error.message });
    return [];
  }
}

function scalarFelt(type: string | undefined, text: string, resolve: Resolve): string {
  const trimmed = text.trim();
  if (type === 'bool') return boolOf(trimmed);
  if (type === 'EthAddress') return feltOf(trimmed, 160);
  if (isAddressType(type)) return addressOf(trimmed, resolve);
  if (type === 'ClassHash') return classHashOf(trimmed);
  if (type === 'bytes31') return feltOf(trimmed, 248);
  const [, sign, bits] = /^([ui])(\d+)$/.exec(type ?? '') ?? [];
  if (bits === undefined) return feltOf(trimmed);
  const range = rangeOf({ kind: 'integer', signed: sign === 'i', bits: Number(bits) });
  return integerOf(trimmed, range)[0] ?? '0x0';
}

function packedFelt(
  fields: readonly TypedField[],
  path: readonly string[],
  context: EditContext,
): string {
  let sum = 0n;
  for (const { name, type, shift, bits } of fields) {
    const [felt = '0x0'] = editText([...path, name], context, (text) => {
      const part = scalarFelt(type, text, context.resolve);
      if (bits !== undefined && BigInt(part) >> BigInt(bits) !== 0n) {
        throw new InvalidInput(`The value does not fit into ${bits} bits.`);
      }
      return [part];
    });
    sum += BigInt(felt) << BigInt(shift);
  }
  return toFelt(sum);
}

function variantFelt(
  variants: readonly string[],
  path: readonly string[],
  context: EditContext,
): string {
  const [felt = '0x0'] = editText(path, context, (text) => {
    const index = variants.indexOf(text.trim());
    if (index >= 0 && text.trim() !== '') return [toFelt(BigInt(index))];
    if (variants.length > 0 && !/^\d+$/.test(text.trim())) {
      throw new InvalidInput(`Enter one of ${variants.filter(Boolean).join(', ')}.`);
    }
    return [feltOf(text.trim())];
  });
  return felt;
}

/** The length, the words, and zeros for words that a longer text had. */
function textWrites(
  key: string,
  textKey: string,
  path: readonly string[],
  context: EditContext,
): readonly SlotWrite[] {
  const text = context.texts.get(fieldId(path)) ?? '';
  const length = BigInt(new TextEncoder().encode(text).length);
  const words = editText(path, context, () => {
    if (length > BigInt(MAX_WORDS * WORD_BYTES)) {
      throw new InvalidInput(`The string has more than ${MAX_WORDS * WORD_BYTES} bytes.`);
    }
    // Without the count of whole words in front and the size of the last word behind.
    return byteArrayOf(text).slice(1, -1);
  });
  const keys = wordKeys(textKey, length);
  const before = wordKeys(textKey, BigInt(context.read(key) ?? '0x0'));
  return [
    { key, value: toFelt(length) },
    ...keys.map((word, at) => ({ key: word, value: words[at] ?? '0x0' })),
    ...zeros(before.slice(keys.length)),
  ];
}
