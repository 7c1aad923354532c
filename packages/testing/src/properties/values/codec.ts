// Compiled encoders and decoders of Cairo values: a call of the engine takes 100 µs, so they must take a few.
import { type Abi, type AbiFunction, selectorOf } from '@starkbox/abi';
import { canonicalFelt, PRIME } from '@starkbox/abi/basics';
import { inputsOf, shortType, signatureOf } from '@starkbox/abi/internal';
import type { StepValue } from '../model/history.js';
import { type CairoType, isUnit, readCairoType } from './cairo-type.js';

/** A value of an argument: numbers may also be safe integers, or decimal or hex strings. */
export type Encodable =
  | bigint
  | number
  | boolean
  | string
  | readonly Encodable[]
  | { readonly [member: string]: Encodable };

type Encode = (value: Encodable, felts: string[]) => void;
type Decode = (felts: FeltCursor) => StepValue;

/** Encoder and decoder of a type. */
export interface Codec {
  readonly encode: Encode;
  readonly decode: Decode;
}

/** Felts that are read one by one. */
export class FeltCursor {
  readonly #felts: readonly string[];
  #at = 0;

  constructor(felts: readonly string[]) {
    this.#felts = felts;
  }

  get left(): number {
    return this.#felts.length - this.#at;
  }

  next(): string {
    const felt = this.#felts[this.#at++];
    if (felt === undefined) throw new RangeError('The result has fewer felts than its type needs');
    return felt;
  }

  /** The number of items that follow, each of at least one felt. */
  nextLength(): number {
    const length = Number(this.next());
    if (length > this.left) {
      throw new RangeError('The result has fewer felts than its type needs');
    }
    return length;
  }
}

const LIMB = 128n;
const LIMB_MASK = (1n << LIMB) - 1n;
const ADDRESSES = 1n << 251n;
const WORD = 31;

const hex = (value: bigint): string => `0x${value.toString(16)}`;

function mismatch(value: unknown, expected: string): TypeError {
  const text =
    typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value, bigintsAsText) ?? 'undefined');
  return new TypeError(`Expected ${expected}, not ${text.slice(0, 80)}`);
}

const bigintsAsText = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? `${value}n` : value;

const INTEGER_TEXT = /^(?:0x[0-9a-f]+|-?\d+)$/i;

function integerOf(value: Encodable): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && INTEGER_TEXT.test(value) ? BigInt(value) : undefined;
}

function integerCodec({ min, max, limbs }: Extract<CairoType, { kind: 'integer' }>): Codec {
  const expected = `an integer from ${min} to ${max} as a bigint`;
  const checked = (value: Encodable): bigint => {
    const number = typeof value === 'bigint' ? value : integerOf(value);
    if (number === undefined || number < min || number > max) throw mismatch(value, expected);
    return number;
  };
  if (limbs > 1) {
    return {
      encode: (value, felts) => {
        let rest = checked(value);
        for (let limb = 0; limb < limbs; limb++) {
          felts.push(hex(rest & LIMB_MASK));
          rest >>= LIMB;
        }
      },
      decode: (felts) => {
        let value = 0n;
        for (let limb = 0; limb < limbs; limb++) {
          value += BigInt(felts.next()) << (LIMB * BigInt(limb));
        }
        return value;
      },
    };
  }
  if (min >= 0n) {
    return {
      encode: (value, felts) => {
        felts.push(hex(checked(value)));
      },
      decode: (felts) => BigInt(felts.next()),
    };
  }
  return {
    encode: (value, felts) => {
      const number = checked(value);
      felts.push(hex(number < 0n ? number + PRIME : number));
    },
    decode: (felts) => {
      const felt = BigInt(felts.next());
      return felt > max ? felt - PRIME : felt;
    },
  };
}

function feltTextCodec(limit: bigint, expected: string): Codec {
  return {
    encode: (value, felts) => {
      const text = typeof value === 'bigint' ? hex(value) : value;
      const felt = typeof text === 'string' ? canonicalFelt(text) : undefined;
      if (felt === undefined || (felt.length > 64 && BigInt(felt) >= limit)) {
        throw mismatch(value, expected);
      }
      felts.push(felt);
    },
    decode: (felts) => felts.next(),
  };
}

const BOOL: Codec = {
  encode: (value, felts) => {
    if (typeof value !== 'boolean') throw mismatch(value, 'a boolean');
    felts.push(value ? '0x1' : '0x0');
  },
  decode: (felts) => felts.next() !== '0x0',
};

const TEXT: Codec = {
  encode: (value, felts) => {
    if (typeof value !== 'string') throw mismatch(value, 'a string');
    const bytes = Buffer.from(value, 'utf8');
    const words = Math.floor(bytes.length / WORD);
    felts.push(`0x${words.toString(16)}`);
    for (let at = 0; at < words * WORD; at += WORD) {
      felts.push(wordOf(bytes.subarray(at, at + WORD)));
    }
    const rest = bytes.subarray(words * WORD);
    felts.push(wordOf(rest), `0x${rest.length.toString(16)}`);
  },
  decode: (felts) => {
    const words = felts.nextLength();
    let digits = '';
    for (let word = 0; word < words; word++)
      digits += felts
        .next()
        .slice(2)
        .padStart(2 * WORD, '0');
    const rest = felts.next();
    const length = Number(felts.next());
    if (length > 0) digits += rest.slice(2).padStart(2 * length, '0');
    return Buffer.from(digits, 'hex').toString('utf8');
  },
};

const wordOf = (bytes: Buffer): string => `0x${bytes.toString('hex').replace(/^0+/, '') || '0'}`;

const UNIT: Codec = { encode: () => undefined, decode: () => [] };

/** Codecs of the types of one ABI. */
export class Codecs {
  readonly #abi: Abi;
  readonly #codecs = new Map<string, Codec>();

  constructor(abi: Abi) {
    this.#abi = abi;
  }

  /** @throws TypeError if the ABI does not define the type */
  of(name: string): Codec {
    const compiled = this.#codecs.get(name);
    if (compiled) return compiled;
    const type = readCairoType(name, this.#abi);
    // A type may contain itself: its parts are looked up when they are encoded.
    const codec: { encode: Encode; decode: Decode } = { encode: UNIT.encode, decode: UNIT.decode };
    this.#codecs.set(name, codec);
    Object.assign(codec, this.#compile(type, name));
    return codec;
  }

  #compile(type: CairoType, name: string): Codec {
    switch (type.kind) {
      case 'integer':
        return integerCodec(type);
      case 'bool':
        return BOOL;
      case 'address':
        return feltTextCodec(ADDRESSES, 'an address as a string, for example "0x1"');
      case 'class':
        return feltTextCodec(PRIME, 'a class hash as a string, for example "0x1"');
      case 'text':
        return TEXT;
      case 'unit':
        return UNIT;
      case 'list':
        return listCodec(this.of(type.of), type.length);
      case 'tuple':
        return tupleCodec(type.of.map((part) => this.of(part)));
      case 'struct':
        return structCodec(
          type.members.map((member) => [member.name, this.of(member.type)]),
          shortType(name),
        );
      case 'enum':
        return enumCodec(
          type.variants.map((variant) => ({
            name: variant.name,
            codec: isUnit(variant.type) ? undefined : this.of(variant.type),
          })),
          shortType(name),
        );
    }
  }
}

function listCodec(item: Codec, length: number | undefined): Codec {
  return {
    encode: (value, felts) => {
      if (!Array.isArray(value)) throw mismatch(value, 'a list');
      if (length === undefined) felts.push(`0x${value.length.toString(16)}`);
      else if (value.length !== length) throw mismatch(value, `a list of ${length} values`);
      for (const part of value) item.encode(part, felts);
    },
    decode: (felts) => {
      const count = length ?? felts.nextLength();
      const items: StepValue[] = [];
      for (let at = 0; at < count; at++) items.push(item.decode(felts));
      return items;
    },
  };
}

function tupleCodec(parts: readonly Codec[]): Codec {
  return {
    encode: (value, felts) => {
      if (!Array.isArray(value) || value.length !== parts.length) {
        throw mismatch(value, `a list of ${parts.length} values`);
      }
      let at = 0;
      for (const part of parts) part.encode(value[at++], felts);
    },
    decode: (felts) => parts.map((part) => part.decode(felts)),
  };
}

/** Whether a value has members by name. */
export function isRecord<T extends Encodable>(
  value: T,
): value is T & { readonly [member: string]: Encodable } {
  return typeof value === 'object' && !Array.isArray(value);
}

function structCodec(members: readonly (readonly [string, Codec])[], name: string): Codec {
  return {
    encode: (value, felts) => {
      if (typeof value !== 'object' || !isRecord(value))
        throw mismatch(value, `an object of ${name}`);
      for (const [member, codec] of members) {
        const part = value[member];
        if (part === undefined) throw mismatch(value, `an object of ${name} with ${member}`);
        codec.encode(part, felts);
      }
    },
    decode: (felts) => {
      const value: Record<string, StepValue> = {};
      for (const [member, codec] of members) value[member] = codec.decode(felts);
      return value;
    },
  };
}

interface Variant {
  readonly name: string;
  /** Undefined for a variant without a value. */
  readonly codec: Codec | undefined;
}

function enumCodec(variants: readonly Variant[], name: string): Codec {
  const indexes = new Map(variants.map((variant, at) => [variant.name, at]));
  return {
    encode: (value, felts) => {
      const isName = typeof value === 'string';
      const [key] = isName ? [value] : isRecord(value) ? Object.keys(value) : [];
      const at = key === undefined ? undefined : indexes.get(key);
      if (at === undefined || key === undefined) {
        throw mismatch(value, `a variant of ${name}: ${[...indexes.keys()].join(', ')}`);
      }
      felts.push(`0x${at.toString(16)}`);
      const codec = variants[at]?.codec;
      if (!codec) return;
      const part = isRecord(value) ? value[key] : undefined;
      if (part === undefined) throw mismatch(value, `{ ${key}: value } of ${name}`);
      codec.encode(part, felts);
    },
    decode: (felts) => {
      const variant = variants[Number(felts.next())];
      if (!variant) throw new RangeError(`The result is no variant of ${name}`);
      return variant.codec ? { [variant.name]: variant.codec.decode(felts) } : variant.name;
    },
  };
}

/** Encoder of a function's arguments and decoder of its results. */
export interface FunctionCodec {
  readonly name: string;
  readonly selector: string;
  readonly inputs: readonly { readonly name: string; readonly type: string }[];
  /** Types of the results. */
  readonly outputs: readonly string[];
  /** @throws Error that has the function, the argument and the expected type */
  encode(values: readonly Encodable[]): readonly string[];
  /** Undefined for a function without a result; a list for several results. */
  decode(result: readonly string[]): StepValue | undefined;
}

/** @throws TypeError if the ABI does not define a type */
export function functionCodec(of: AbiFunction, codecs: Codecs): FunctionCodec {
  const inputs = inputsOf(of);
  const parts = inputs.map((input) => codecs.of(input.type));
  const outputs = of.outputs.map((type) => codecs.of(type));
  return {
    name: of.name,
    selector: selectorOf(of.name),
    inputs,
    outputs: of.outputs,
    encode: (values) => {
      if (values.length !== parts.length) {
        throw new TypeError(
          `${signatureOf(of)} takes ${parts.length} arguments, not ${values.length}`,
        );
      }
      const felts: string[] = [];
      for (let at = 0; at < parts.length; at++) {
        const value = values[at];
        try {
          if (value === undefined) throw mismatch(value, 'a value');
          parts[at]?.encode(value, felts);
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          throw new TypeError(`Argument ${inputs[at]?.name} of ${signatureOf(of)}: ${reason}`);
        }
      }
      return felts;
    },
    decode: (result) => {
      const felts = new FeltCursor(result);
      if (outputs.length === 1) return outputs[0]?.decode(felts);
      return outputs.length === 0 ? undefined : outputs.map((output) => output.decode(felts));
    },
  };
}
