// Arbitraries of Cairo values: drawn from the pool of a run, and shrunk by fast-check.
import { type Abi, readAbi } from '@starkbox/abi';
import { canonicalFelt, PRIME } from '@starkbox/abi/basics';
import { rangeOf } from '@starkbox/abi/internal';
import * as fc from 'fast-check';
import type { StepValue } from '../model/history.js';
import { type CairoType, isUnit, reachableTypes } from './cairo-type.js';
import { type Draw, Draws, EMPTY_POOL, type ValuePool } from './drawing.js';

/** Longest list and string that is shrunk. */
const MAX_ITEMS = 10_000;
/** How long lists and strings are. */
export interface ListLimits {
  readonly maxLength: number;
  readonly size: 'max';
}

const LISTS: ListLimits = { maxLength: MAX_ITEMS, size: 'max' };
const PLAIN = { noNullPrototype: true } as const;

/** Shrinks to the values of a list that precede a value, or to all of them. */
class ListedArbitrary extends fc.Arbitrary<string> {
  readonly #simplest: readonly string[];

  constructor(simplest: readonly string[]) {
    super();
    this.#simplest = simplest;
  }

  generate(random: fc.Random): fc.Value<string> {
    const at = random.nextInt(0, Math.max(0, this.#simplest.length - 1));
    return new fc.Value(this.#simplest[at] ?? '0x0', undefined);
  }

  canShrinkWithoutContext(value: unknown): value is string {
    return typeof value === 'string' && canonicalFelt(value) !== undefined;
  }

  shrink(value: string): fc.Stream<fc.Value<string>> {
    const at = this.#simplest.indexOf(value);
    const simpler = at < 0 ? this.#simplest : this.#simplest.slice(0, at);
    return fc.Stream.of(...simpler.map((address) => new fc.Value(address, undefined)));
  }
}

/** Tries the simplest value before the values of an arbitrary. */
class WithSimplest extends fc.Arbitrary<StepValue> {
  readonly #values: fc.Arbitrary<StepValue>;
  readonly #simplest: StepValue;

  constructor(values: fc.Arbitrary<StepValue>, simplest: StepValue) {
    super();
    this.#values = values;
    this.#simplest = simplest;
  }

  generate(random: fc.Random, bias: number | undefined): fc.Value<StepValue> {
    return this.#values.generate(random, bias);
  }

  canShrinkWithoutContext(value: unknown): value is StepValue {
    return this.#values.canShrinkWithoutContext(value);
  }

  shrink(value: StepValue, context?: unknown): fc.Stream<fc.Value<StepValue>> {
    const rest = this.#values.shrink(value, context);
    if (Object.is(value, this.#simplest) || context !== undefined) return rest;
    return fc.Stream.of(new fc.Value<StepValue>(this.#simplest, undefined)).join(rest);
  }
}

/** Addresses, simplest first. */
export function addressShrinker(simplest: readonly string[]): fc.Arbitrary<string> {
  return new ListedArbitrary(simplest);
}

/** The arbitrary of fast-check that shrinks values of a type, and draws all of them with equal chances. */
export function shrinkerOf(
  abi: Abi,
  name: string,
  simplestAddresses: readonly string[],
  lists: ListLimits = LISTS,
): fc.Arbitrary<StepValue> {
  const types = reachableTypes(name, abi);
  const address = addressShrinker(simplestAddresses);
  const shrinkers = fc.letrec<Record<string, StepValue>>((tie) => {
    const built: Record<string, fc.Arbitrary<StepValue>> = {};
    for (const [of, type] of types) built[of] = build(type, tie, address, lists);
    return built;
  });
  const shrinker = shrinkers[name];
  if (!shrinker) throw new TypeError(`The ABI does not define the type ${name}`);
  return shrinker;
}

type Tie = (name: string) => fc.Arbitrary<StepValue>;

function build(
  type: CairoType,
  tie: Tie,
  address: fc.Arbitrary<string>,
  lists: ListLimits,
): fc.Arbitrary<StepValue> {
  switch (type.kind) {
    case 'felt':
    case 'integer': {
      const { min, max } = rangeOf(type);
      return fc.bigInt({ min, max });
    }
    case 'bool':
      return fc.boolean();
    case 'address':
      return address;
    case 'class':
      return fc.bigInt({ min: 0n, max: PRIME - 1n }).map(
        (felt) => `0x${felt.toString(16)}`,
        (text) => BigInt(String(text)),
      );
    case 'text':
      return fc.string(lists);
    case 'unit':
      return fc.tuple<StepValue[]>();
    case 'list':
      return type.length === undefined
        ? fc.array(tie(type.of), lists)
        : fc.tuple(...Array.from({ length: type.length }, () => tie(type.of)));
    case 'record':
      if (type.isTuple) return fc.tuple(...type.members.map((member) => tie(member.type)));
      return fc.record(
        Object.fromEntries(type.members.map((member) => [member.name, tie(member.type)])),
        PLAIN,
      );
    case 'choice': {
      const variants = type.variants.map((variant) =>
        isUnit(variant)
          ? fc.constant(variant.name)
          : fc.record({ [variant.name]: tie(variant.type) }, PLAIN),
      );
      const simplest = type.variants.find(isUnit)?.name;
      const choice = fc.oneof<fc.Arbitrary<StepValue>[]>(...variants);
      return simplest === undefined ? choice : new WithSimplest(choice, simplest);
    }
  }
}

/** Values of a type: drawn from a pool, shrunk by fast-check. */
export class ValueArbitrary extends fc.Arbitrary<StepValue> {
  readonly #draw: Draw;
  readonly #pool: ValuePool;
  readonly #shrinker: fc.Arbitrary<StepValue>;

  constructor(draw: Draw, pool: ValuePool, shrinker: fc.Arbitrary<StepValue>) {
    super();
    this.#draw = draw;
    this.#pool = pool;
    this.#shrinker = shrinker;
  }

  generate(random: fc.Random): fc.Value<StepValue> {
    return new fc.Value(this.#draw(random, this.#pool, 0), undefined);
  }

  canShrinkWithoutContext(value: unknown): value is StepValue {
    return this.#shrinker.canShrinkWithoutContext(value);
  }

  shrink(value: StepValue, context?: unknown): fc.Stream<fc.Value<StepValue>> {
    return this.#shrinker.shrink(value, context);
  }
}

/** Options of `arbitraryOf`. */
export interface ValueOptions {
  /** Addresses to draw, the simplest first. */
  readonly addresses?: readonly string[];
  /** Numbers to draw besides boundary values and small numbers. */
  readonly numbers?: readonly bigint[];
  /** Class hashes to draw. */
  readonly classHashes?: readonly string[];
}

type Bits = 8 | 16 | 32 | 64 | 128;
type Integer = `${'u' | 'i'}${Bits}` | 'u256' | 'u512';
type IntegerType = Integer | `core::integer::${Integer}` | 'felt252' | 'core::felt252' | 'bytes31';

/**
 * Returns an arbitrary of the values of a Cairo type. Integers and felts are bigints, addresses and class hashes are
 * hex strings, structs are objects, and an enum is the name of its variant or an object with that name.
 *
 * @param abi the ABI as a class or a starknet.js contract has it
 * @param type the name of the type, for example `u256`, `Array<ContractAddress>` or `app::Order`
 * @throws TypeError if the ABI does not define the type
 */
export function arbitraryOf(
  abi: unknown,
  type: IntegerType,
  options?: ValueOptions,
): fc.Arbitrary<bigint>;
export function arbitraryOf(
  abi: unknown,
  type: 'bool' | 'core::bool',
  options?: ValueOptions,
): fc.Arbitrary<boolean>;
export function arbitraryOf(
  abi: unknown,
  type: 'ContractAddress' | 'ClassHash' | 'ByteArray',
  options?: ValueOptions,
): fc.Arbitrary<string>;
export function arbitraryOf(
  abi: unknown,
  type: string,
  options?: ValueOptions,
): fc.Arbitrary<StepValue>;
export function arbitraryOf(
  abi: unknown,
  type: string,
  { addresses = ['0x1', '0x2', '0x3'], numbers = [], classHashes = [] }: ValueOptions = {},
): fc.Arbitrary<StepValue> {
  const read = readAbi(abi);
  const name = fullName(type);
  const pool: ValuePool = {
    ...EMPTY_POOL,
    actors: addresses,
    recent: { ...EMPTY_POOL.recent, numbers },
    classHashes,
  };
  return new ValueArbitrary(new Draws(read).of(name), pool, shrinkerOf(read, name, addresses));
}

/** Types of the core library, whose paths may be left out. */
const CORE_PATHS: ReadonlyMap<string, string> = new Map([
  ...['felt252', 'bool'].map((name) => [name, `core::${name}`] as const),
  ...[8, 16, 32, 64, 128].flatMap((bits) =>
    ['u', 'i'].map((sign) => [`${sign}${bits}`, `core::integer::${sign}${bits}`] as const),
  ),
  ['u256', 'core::integer::u256'],
  ['u512', 'core::integer::u512'],
  ['ContractAddress', 'core::starknet::contract_address::ContractAddress'],
  ['ClassHash', 'core::starknet::class_hash::ClassHash'],
  ['EthAddress', 'core::starknet::eth_address::EthAddress'],
  ['bytes31', 'core::bytes_31::bytes31'],
  ['ByteArray', 'core::byte_array::ByteArray'],
  ['Array', 'core::array::Array'],
  ['Span', 'core::array::Span'],
  ['Option', 'core::option::Option'],
  ['Result', 'core::result::Result'],
  ['NonZero', 'core::zeroable::NonZero'],
  ['Box', 'core::box::Box'],
]);

/** `Array<u8>` → `core::array::Array::<core::integer::u8>`, as ABIs write it. */
function fullName(type: string): string {
  return type
    .replace(/(?<![\w:])\w+(?!\w|::\w)/g, (word) => CORE_PATHS.get(word) ?? word)
    .replace(/(?<=\w)</g, '::<');
}
