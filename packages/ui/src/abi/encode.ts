// Knows how what a person typed becomes felts of the type that an ABI asks for.
import { toFelt } from '../values/felt.js';
import type { Abi } from './abi.js';
import { readTypeName } from './type-name.js';

const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n;
const INTEGER = /^(?:core::integer::)?([ui])(8|16|32|64|128|256)$/;
const DEEPEST = 8;

class Refusal extends Error {}

/** The felts, or what is wrong with the text. Lists and records are written as JSON. */
export function encodeInput(type: string, text: string, abi: Abi): readonly string[] | string {
  try {
    return encode(type, value(type, text.trim(), abi), abi, 0);
  } catch (error) {
    return error instanceof Refusal ? error.message : 'This does not fit the type.';
  }
}

function isSimple(type: string, abi: Abi): boolean {
  const parsed = readTypeName(type);
  return (
    parsed.kind === 'named' &&
    !/::(Array|Span)$|^pointer$/.test(parsed.name) &&
    !(abi.structs.has(type) && !/u256$|Uint256$|ByteArray$/.test(type)) &&
    !(abi.enums.has(type) && parsed.name !== 'core::bool')
  );
}

function value(type: string, text: string, abi: Abi): unknown {
  if (isSimple(type, abi)) return text;
  try {
    return JSON.parse(text.replace(/(?<=[[,:\s])(0x[0-9a-f]+|\d{16,})(?=[\],}\s])/gi, '"$1"'));
  } catch {
    throw new Refusal('Write this as JSON, for example ["0x1", "0x2"].');
  }
}

function encode(type: string, given: unknown, abi: Abi, depth: number): readonly string[] {
  if (depth > DEEPEST) throw new Refusal('This type is nested too deeply for a form.');
  const parsed = readTypeName(type);
  const inner = (of: string, part: unknown): readonly string[] => encode(of, part, abi, depth + 1);
  if (parsed.kind === 'tuple') {
    const parts = listOf(given);
    if (parts.length !== parsed.of.length)
      throw new Refusal(`This takes ${parsed.of.length} values.`);
    return parsed.of.flatMap((of, at) => inner(of, parts[at]));
  }
  if (parsed.kind === 'array') {
    const parts = listOf(given);
    if (parts.length !== parsed.length) throw new Refusal(`This takes ${parsed.length} values.`);
    return parts.flatMap((part) => inner(parsed.of, part));
  }
  if (/::(Array|Span)$/.test(parsed.name)) {
    const parts = listOf(given);
    return [
      toFelt(BigInt(parts.length)),
      ...parts.flatMap((part) => inner(parsed.of[0] ?? 'felt', part)),
    ];
  }
  if (/::ByteArray$/.test(parsed.name)) return byteArray(String(given));
  if (parsed.name === 'core::bool') {
    if (given === true || given === 'true' || given === '1') return ['0x1'];
    if (given === false || given === 'false' || given === '0') return ['0x0'];
    throw new Refusal('Write true or false.');
  }
  const wide = parsed.name === 'Uint256' ? ['u', 'u', '256'] : INTEGER.exec(parsed.name);
  if (wide) return integer(number(given), wide[1] === 'i', Number(wide[2]));
  const members = abi.structs.get(type);
  if (members) {
    const fields = new Map(Object.entries(given ?? {}));
    return members.flatMap((member) => inner(member.type, fields.get(member.name)));
  }
  const variants = abi.enums.get(type);
  if (variants) {
    const entry =
      typeof given === 'string' ? ([given, undefined] as const) : Object.entries(given ?? {})[0];
    const at = variants.findIndex(({ name }) => name === entry?.[0]);
    const variant = variants[at];
    if (!variant) throw new Refusal(`Write one of ${variants.map(({ name }) => name).join(', ')}.`);
    return [toFelt(BigInt(at)), ...(variant.type === '()' ? [] : inner(variant.type, entry?.[1]))];
  }
  const felt = number(given);
  if (felt >= PRIME || felt <= -PRIME) throw new Refusal('This is no felt: it is too large.');
  return [toFelt((felt + PRIME) % PRIME)];
}

function listOf(given: unknown): readonly unknown[] {
  if (!Array.isArray(given)) throw new Refusal('Write a list, for example ["0x1", "0x2"].');
  return given;
}

/** Hexadecimal, decimal, `1e18`, or a short text in quotes. */
function number(given: unknown): bigint {
  const text = String(given ?? '').trim();
  const quoted = /^'(.{0,31})'$/.exec(text)?.[1];
  if (quoted !== undefined) {
    return [...new TextEncoder().encode(quoted)].reduce(
      (sum, byte) => sum * 256n + BigInt(byte),
      0n,
    );
  }
  if (/^0x[0-9a-f]{1,64}$/i.test(text) || /^\d{1,80}$/.test(text)) return BigInt(text);
  if (/^-\d{1,80}$/.test(text)) return -BigInt(text.slice(1));
  const power = /^(\d{1,20})e(\d{1,2})$/i.exec(text);
  if (power) return BigInt(power[1] ?? 0) * 10n ** BigInt(power[2] ?? 0);
  throw new Refusal("Write a number (12, 0xc, 1e18) or a 'short text'.");
}

function integer(given: bigint, signed: boolean, bits: number): readonly string[] {
  const top = signed ? 1n << BigInt(bits - 1) : 1n << BigInt(bits);
  if (given >= top || given < (signed ? -top : 0n))
    throw new Refusal(`This does not fit into ${bits} bits.`);
  if (bits === 256) return [toFelt(given & ((1n << 128n) - 1n)), toFelt(given >> 128n)];
  return [toFelt((given + PRIME) % PRIME)];
}

function byteArray(text: string): readonly string[] {
  const bytes = new TextEncoder().encode(text);
  const felt = (part: Uint8Array): string =>
    toFelt([...part].reduce((sum, byte) => sum * 256n + BigInt(byte), 0n));
  const whole = Math.floor(bytes.length / 31);
  const words = Array.from({ length: whole }, (_, at) => felt(bytes.slice(at * 31, at * 31 + 31)));
  const rest = bytes.slice(whole * 31);
  return [toFelt(BigInt(whole)), ...words, felt(rest), toFelt(BigInt(rest.length))];
}
