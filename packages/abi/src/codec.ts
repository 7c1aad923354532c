// Compiled encoders and decoders of Cairo values: a call of the engine takes 100 µs, so they must take a few.
import type { Abi, Parameter } from './abi.js';
import { PRIME, toFelt } from './felt.js';
import {
  addressOf,
  boolOf,
  byteArrayOf,
  classHashOf,
  feltOf,
  InvalidInput,
  integerFelts,
  integerOf,
  rawOf,
} from './scalar.js';
import {
  DEEPEST,
  type NumberShape,
  rangeOf,
  type Shape,
  typeShape,
  withoutLengths,
} from './shape.js';

/** Felts that are read one by one. Counting the values bounds the time that an ABI made to harm can take. */
export class FeltCursor {
  readonly #felts: readonly string[];
  readonly #maxValues: number;
  #values = 0;
  #depth = 0;
  #at = 0;

  constructor(felts: readonly string[], maxValues: number = Number.POSITIVE_INFINITY) {
    this.#felts = felts;
    this.#maxValues = maxValues;
  }

  get left(): number {
    return this.#felts.length - this.#at;
  }

  next(): string {
    const felt = this.#felts[this.#at++];
    if (felt === undefined) throw new RangeError('There are fewer felts than the type needs');
    return felt;
  }

  /** The number of items that follow, each of at least one felt. */
  nextLength(): number {
    return this.checkLength(Number(this.next()));
  }

  checkLength(length: number): number {
    if (length > this.left) throw new RangeError('There are fewer felts than the type needs');
    if (length > this.#maxValues) throw new RangeError('The list is too long');
    return length;
  }

  enter(): void {
    if (++this.#values > this.#maxValues) throw new RangeError('There are too many values');
    if (++this.#depth > DEEPEST) throw new RangeError('The types are nested too deeply');
  }

  leave(): void {
    this.#depth -= 1;
  }
}

/** Makes values of one form out of what a decoder reads. */
export interface Build<T> {
  readonly unit: T;
  readonly felt: (felt: string, kind: 'felt' | 'address' | 'class' | 'eth address') => T;
  /** @param type such as `u256` */
  readonly number: (value: bigint, type: string) => T;
  readonly bool: (value: boolean) => T;
  readonly text: (text: string) => T;
  readonly list: (items: readonly T[]) => T;
  readonly record: (values: readonly T[], members: readonly Parameter[], struct?: string) => T;
  /** @param value undefined for a variant without a value */
  readonly choice: (variant: string, value: T | undefined, type: string) => T;
}

/** A value for each ABI, made when it is first asked for. */
export function forEachAbi<T extends object>(make: (abi: Abi) => T): (abi: Abi) => T {
  const values = new WeakMap<Abi, T>();
  return (abi) => {
    const before = values.get(abi);
    if (before) return before;
    const value = make(abi);
    values.set(abi, value);
    return value;
  };
}

type Decode<T> = (felts: FeltCursor) => T;

const isUnit = ({ type }: Parameter): boolean => type.trim() === '()';
const LIMB = 128n;

/** Decoders of the types of one ABI. They throw an error if felts do not fit the type. */
export class Decoders<T> {
  readonly #abi: Abi;
  readonly #build: Build<T>;
  readonly #decoders = new Map<string, Decode<T>>();

  constructor(abi: Abi, build: Build<T>) {
    this.#abi = abi;
    this.#build = build;
  }

  of(type: string): Decode<T> {
    const before = this.#decoders.get(type);
    if (before) return before;
    // A type may contain itself: it is compiled when it is first decoded.
    let compiled: Decode<T> | undefined;
    const decode: Decode<T> = (felts) => {
      felts.enter();
      compiled ??= this.#compile(type);
      const value = compiled(felts);
      felts.leave();
      return value;
    };
    this.#decoders.set(type, decode);
    return decode;
  }

  #compile(type: string): Decode<T> {
    const build = this.#build;
    const shape = typeShape(type, this.#abi);
    switch (shape.kind) {
      case 'felt': {
        const kind = shape.bits === 160 ? 'eth address' : 'felt';
        return (felts) => build.felt(felts.next(), kind);
      }
      case 'address':
        return (felts) => build.felt(felts.next(), 'address');
      case 'class':
        return (felts) => build.felt(felts.next(), 'class');
      case 'bool':
        return (felts) => build.bool(readBool(felts.next()));
      case 'integer':
        return integerDecoder(shape, build);
      case 'text':
        return (felts) => build.text(readByteArray(felts));
      case 'unit':
        return () => build.unit;
      case 'list': {
        const item = this.of(shape.of);
        return (felts) => {
          const { length } = shape;
          const count = length === undefined ? felts.nextLength() : felts.checkLength(length);
          const items: T[] = [];
          for (let at = 0; at < count; at++) items.push(item(felts));
          return build.list(items);
        };
      }
      case 'record': {
        const members = withoutLengths(shape.members);
        const parts = members.map((member) => this.of(member.type));
        const name = shape.isTuple ? undefined : plainName(type);
        return (felts) => {
          const values: T[] = [];
          for (const part of parts) values.push(part(felts));
          return build.record(values, members, name);
        };
      }
      case 'choice':
        return this.#choice(shape.variants, plainName(type));
      case 'raw':
        throw new TypeError(`${shape.why} ${type}`);
    }
  }

  #choice(variants: readonly Parameter[], type: string): Decode<T> {
    const parts = variants.map((variant) => ({
      name: variant.name,
      decode: isUnit(variant) ? undefined : this.of(variant.type),
    }));
    return (felts) => {
      const variant = parts[Number(felts.next())];
      if (!variant) throw new RangeError('There is no such variant');
      return this.#build.choice(variant.name, variant.decode?.(felts), type);
    };
  }
}

const plainName = (type: string): string => type.trim().replace(/^@/, '');

function readBool(felt: string): boolean {
  if (felt === '0x0') return false;
  if (BigInt(felt) > 1n) throw new RangeError('The value is not a boolean');
  return BigInt(felt) === 1n;
}

function integerDecoder<T>(shape: Extract<Shape, { kind: 'integer' }>, build: Build<T>): Decode<T> {
  const { min, max, limbs } = rangeOf({ ...shape, isNonZero: false });
  const type = `${shape.signed ? 'i' : 'u'}${shape.bits}`;
  const misfit = (): Error => new RangeError(`The value does not fit into ${shape.bits} bits`);
  if (limbs === 1) {
    return (felts) => {
      const felt = BigInt(felts.next());
      const value = min < 0n && felt > max ? felt - PRIME : felt;
      if (value > max || value < min) throw misfit();
      return build.number(value, type);
    };
  }
  return (felts) => {
    let value = 0n;
    for (let limb = 0n; limb < limbs; limb++) {
      const part = BigInt(felts.next());
      if (part >> LIMB) throw misfit();
      value += part << (LIMB * limb);
    }
    return build.number(value, type);
  };
}

function readByteArray(felts: FeltCursor): string {
  const words = felts.nextLength();
  const digits: string[] = [];
  const push = (felt: string, length: number): void => {
    const word = felt.slice(2).padStart(length * 2, '0');
    if (word.length !== length * 2) throw new RangeError('A word is too long');
    digits.push(word);
  };
  for (let word = 0; word < words; word++) push(felts.next(), 31);
  const rest = felts.next();
  const length = Number(felts.next());
  if (length > 30) throw new RangeError('The last word is too long');
  if (length > 0) push(rest, length);
  const whole = digits.join('');
  const bytes = new Uint8Array(whole.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = Number.parseInt(whole.slice(at * 2, at * 2 + 2), 16);
  }
  return new TextDecoder().decode(bytes);
}

export type Encode = (value: unknown, felts: string[]) => void;

/**
 * Encoders of the types of one ABI. A number may be a bigint, a safe integer or a text; a struct is a list or an object,
 * an enum the name of its variant or an object with that name. They throw `InvalidInput` if a value does not fit.
 */
export class Encoders {
  readonly #abi: Abi;
  readonly #encoders = new Map<string, Encode>();

  constructor(abi: Abi) {
    this.#abi = abi;
  }

  of(type: string): Encode {
    const before = this.#encoders.get(type);
    if (before) return before;
    let compiled: Encode | undefined;
    const encode: Encode = (value, felts) => {
      compiled ??= this.#compile(typeShape(type, this.#abi));
      compiled(value, felts);
    };
    this.#encoders.set(type, encode);
    return encode;
  }

  #compile(shape: Shape): Encode {
    switch (shape.kind) {
      case 'felt':
      case 'integer':
        return numberEncoder(shape);
      case 'bool':
        return (value, felts) => {
          felts.push(boolOf(wordOf(value)));
        };
      case 'address':
        return (value, felts) => {
          felts.push(addressOf(wordOf(value), () => undefined));
        };
      case 'class':
        return (value, felts) => {
          felts.push(classHashOf(wordOf(value)));
        };
      case 'text':
        return (value, felts) => {
          felts.push(...byteArrayOf(textOf(value)));
        };
      case 'unit':
        return () => undefined;
      case 'list':
        return listEncoder(this.of(shape.of), shape.length);
      case 'record': {
        const members = withoutLengths(shape.members);
        return recordEncoder(
          members.map(({ name, type }) => ({ name, encode: this.of(type) })),
          shape.isTuple,
        );
      }
      case 'choice':
        return choiceEncoder(
          shape.variants.map((variant) => ({
            name: variant.name,
            encode: isUnit(variant) ? undefined : this.of(variant.type),
          })),
        );
      case 'raw':
        return (value, felts) => {
          felts.push(...rawOf(Array.isArray(value) ? value.join(' ') : textOf(value)));
        };
    }
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'object' || value === undefined ? '' : String(value);

/** Addresses and class hashes may also be bigints. */
function wordOf(value: unknown): string {
  return typeof value === 'bigint' ? toFelt(value) : textOf(value).trim();
}

function numberEncoder(shape: NumberShape): Encode {
  const range = rangeOf(shape);
  return (value, felts) => {
    if (typeof value === 'number' && !Number.isSafeInteger(value)) {
      throw new InvalidInput(
        `${value} is not exact as a JSON number: write it as a string, for example "0x10".`,
      );
    }
    if (typeof value === 'bigint' || typeof value === 'number') {
      integerFelts(BigInt(value), range, felts);
    } else if (shape.kind === 'felt') {
      felts.push(feltOf(textOf(value).trim(), shape.bits));
    } else {
      felts.push(...integerOf(textOf(value).trim(), range));
    }
  };
}

function listEncoder(item: Encode, length: number | undefined): Encode {
  return (value, felts) => {
    if (!Array.isArray(value)) throw new InvalidInput('Enter a list, for example ["0x1", "0x2"].');
    if (length === undefined) felts.push(toFelt(value.length));
    else if (value.length !== length) throw new InvalidInput(`This type takes ${length} values.`);
    for (const part of value) item(part, felts);
  };
}

interface NamedEncoder<E> {
  readonly name: string;
  readonly encode: E;
}

function recordEncoder(members: readonly NamedEncoder<Encode>[], isTuple: boolean): Encode {
  return (value, felts) => {
    if (Array.isArray(value)) {
      if (value.length !== members.length)
        throw new InvalidInput(`This type takes ${members.length} values.`);
      let at = 0;
      for (const { encode } of members) encode(value[at++], felts);
      return;
    }
    if (typeof value !== 'object' || value === null || isTuple) {
      throw new InvalidInput(
        isTuple ? 'Enter a list of the values.' : 'Enter an object with a value for each member.',
      );
    }
    for (const { name, encode } of members) encode(Reflect.get(value, name), felts);
  };
}

function choiceEncoder(variants: readonly NamedEncoder<Encode | undefined>[]): Encode {
  const indexes = new Map(variants.map(({ name }, at) => [name, at]));
  return (value, felts) => {
    const [name, part] =
      typeof value === 'string' ? [value] : (Object.entries(value ?? {})[0] ?? ['']);
    const at = indexes.get(name) ?? -1;
    const variant = variants[at];
    if (!variant) {
      const names = variants.slice(0, 10).map((choice) => choice.name.slice(0, 40));
      throw new InvalidInput(`Write one of ${names.join(', ')}.`);
    }
    felts.push(toFelt(at));
    variant.encode?.(part, felts);
  };
}
