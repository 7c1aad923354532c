// Panic data: felts as text, and the felts in the text of an engine.
import type { EXPLAINED } from '@starkbox/spec';
import type { Abi } from '../abi.js';
import { decodeAs } from '../decode.js';
import { decodeShortString } from '../felt.js';
import { byteArrayOf } from '../scalar.js';

/** What a contract panicked with. */
export type Panic = NonNullable<EXPLAINED['panic']>;

/** The felt before a ByteArray in panic data. */
const BYTE_ARRAY = '0x46a6158a16a947e5916b2a2ca68501a45e93d7110e81aa2d6438b1c57c879a3';
/** Panic data that a caller adds when its callee fails. */
const ECHOES: ReadonlySet<string> = new Set(['ENTRYPOINT_FAILED']);
const MAX_FELTS = 500;
const NO_TEXT = 'no reason given';

/** One part of panic data: a text, or a felt that is none. */
interface Part {
  readonly text: string;
  readonly isText: boolean;
}

/**
 * Panic data in words: short strings and ByteArrays as text, other felts as they are.
 *
 * @param abi where an enum or a struct of errors may be declared
 */
export function panicText(felts: readonly string[], abi?: Abi): string {
  const declared = declaredError(felts, abi);
  if (declared !== undefined) return declared;
  return (
    ownParts(felts)
      .map(({ text }) => text)
      .join(', ') || NO_TEXT
  );
}

/** Without what callers add: a word of their own, after which the same may follow again. */
function ownParts(felts: readonly string[]): readonly Part[] {
  const parts = partsOf(felts.slice(0, MAX_FELTS));
  const end = parts.findIndex(({ text }) => ECHOES.has(text));
  return end > 0 ? parts.slice(0, end) : parts;
}

/** The same with texts in quotes. */
export function quotedPanic(felts: readonly string[], abi?: Abi): string {
  if (felts.length === 0 || declaredError(felts, abi) !== undefined) return panicText(felts, abi);
  return ownParts(felts)
    .map(({ text, isText }) => (isText ? `'${text}'` : text))
    .join(', ');
}

/** The texts in panic data, without those that callers add. */
export function panicWords(felts: readonly string[]): readonly string[] {
  return partsOf(felts.slice(0, MAX_FELTS)).flatMap(({ text, isText }) =>
    isText && !ECHOES.has(text) ? [text] : [],
  );
}

function partsOf(felts: readonly string[]): readonly Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < felts.length; at++) {
    const felt = felts[at] ?? '0x0';
    const array = felt === BYTE_ARRAY ? byteArrayAt(felts, at + 1) : undefined;
    if (array) {
      parts.push({ text: array.text, isText: true });
      at += array.length;
    } else {
      const text = decodeShortString(felt);
      parts.push({ text: text ?? felt, isText: text !== undefined });
    }
  }
  return parts;
}

const EMPTY_ABI: Abi = {
  functions: new Map(),
  constructor_: undefined,
  events: new Map(),
  roots: [],
  structs: new Map(),
  enums: new Map(),
};

/** A ByteArray among felts, and how many it takes. */
function byteArrayAt(
  felts: readonly string[],
  start: number,
): { readonly text: string; readonly length: number } | undefined {
  const words = Number(felts[start] ?? 'NaN');
  const length = words + 3;
  if (!Number.isSafeInteger(words) || start + length > felts.length) return undefined;
  const panicFelts = felts.slice(start, start + length);
  const value = decodeAs('core::byte_array::ByteArray', panicFelts, EMPTY_ABI);
  return value?.kind === 'text' ? { text: value.text, length } : undefined;
}

/** Types by whose names contracts declare what they panic with. */
const ERROR_TYPE = /(?:^|::)\w*Errors?$/;

/** A variant of an enum of errors in the ABI, or a struct, that takes exactly these felts. */
function declaredError(felts: readonly string[], abi: Abi | undefined): string | undefined {
  if (!abi || felts.length === 0 || felts.some((felt) => decodeShortString(felt) !== undefined))
    return undefined;
  for (const name of [...abi.enums.keys(), ...abi.structs.keys()]) {
    if (!ERROR_TYPE.test(name)) continue;
    const value = decodeAs(name, felts, abi);
    if (!value) continue;
    const last = name.split('::').at(-1) ?? name;
    if (value.kind === 'choice') return `${last}::${value.variant}`;
    if (value.kind === 'record') return last;
  }
  return undefined;
}

/** A text that does not end is taken as a whole, so that no part of it is tried again. */
const ITEM = /"((?:[^"\\]|\\[\s\S]?)*)("|$)|(0x[0-9a-f]{1,64})(?: \('.{0,31}?'\))?/gi;
/** What an engine writes after the last frame: one felt or ByteArray, or several in parentheses. */
const PANIC = /^\s*(?:\((?:\)|(?=["0]))|(?=")|(?=0x[0-9a-f]{1,64}(?: \('|[.,\s]|$)))/i;

/** The panic data in the text after the last frame; undefined if that text tells something else. */
export function panicIn(tail: string): Panic | undefined {
  if (!PANIC.test(tail)) return undefined;
  const felts: string[] = [];
  for (const [, quoted, end, felt] of tail.matchAll(ITEM)) {
    if (quoted !== undefined && end !== '')
      felts.push(BYTE_ARRAY, ...byteArrayOf(unescapeText(quoted)));
    else if (felt !== undefined) felts.push(felt.toLowerCase().replace(/^0x0+(?=.)/, '0x'));
    if (felts.length > MAX_FELTS) break;
  }
  return { felts, text: panicText(felts) };
}

/** Engines write bytes beyond ASCII as `\\xe2`. */
function unescapeText(text: string): string {
  const bytes: number[] = [];
  for (const [, byte, letter, plain] of text.matchAll(/\\x([0-9a-f]{2})|\\(.)|([^\\]+)/gis)) {
    if (byte !== undefined) bytes.push(Number.parseInt(byte, 16));
    else bytes.push(...new TextEncoder().encode(letter === 'n' ? '\n' : (letter ?? plain ?? '')));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
