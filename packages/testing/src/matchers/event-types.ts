// Types of events and their values, from an ABI that TypeScript sees as a constant.
//
// starknet.js exports contracts typed by abi-wan-kanabi, but not its inference of events. That inference also has
// the types that calls are encoded from (`CairoOption`, `CairoCustomEnum`, whole structs), which are not compared here.
import type { Contract, TypedContractV2 } from 'starknet';
import type { Expected, ExpectedMembers } from './values.js';

type AbiConst = Parameters<Contract['typedv2']>[0];

/** The ABI of a contract that was typed by `typedv2`; for other contracts, one with any events. */
export type AbiOf<C> = C extends TypedContractV2<infer A> ? A : AbiConst;

type Entry<A extends AbiConst, K> = Extract<A[number], K>;
type EventStruct<A extends AbiConst> = Entry<
  A,
  { readonly type: 'event'; readonly kind: 'struct' }
>;
type EventVariant<A extends AbiConst> = Entry<
  A,
  { readonly type: 'event'; readonly kind: 'enum' }
>['variants'][number];

type LastName<S> = S extends `${string}::${infer Rest}` ? LastName<Rest> : S;

/** An event is emitted under the name of its variant. */
type NamedVariant<A extends AbiConst> = Extract<
  EventVariant<A>,
  { readonly type: EventStruct<A>['name'] }
>;
/** Without an enum that holds it, under its own. */
type RootName<A extends AbiConst> = Exclude<EventStruct<A>['name'], EventVariant<A>['type']>;

/** Names of the events of an ABI, without their paths. */
export type EventName<A extends AbiConst> = NamedVariant<A>['name'] | LastName<RootName<A>>;

type StructOf<A extends AbiConst, N> =
  | Extract<
      EventStruct<A>,
      { readonly name: Extract<NamedVariant<A>, { readonly name: N }>['type'] }
    >
  | (RootName<A> extends infer R
      ? LastName<R> extends N
        ? Extract<EventStruct<A>, { readonly name: R }>
        : never
      : never);

/** Members of an event, each of which may be left out. */
export type EventValues<A extends AbiConst, N> =
  string extends EventName<A>
    ? ExpectedMembers
    : StructOf<A, N> extends infer E
      ? E extends { readonly members: readonly Member[] }
        ? Values<A, E['members'][number]>
        : never
      : never;

interface Member {
  readonly name: string;
  readonly type: string;
}

type Values<A extends AbiConst, M extends Member> = [M] extends [never]
  ? Readonly<Record<string, never>>
  : { readonly [One in M as One['name']]?: ValueOf<A, One['type']> };

type Felt = bigint | number | string;
type Integer = bigint | number | `0x${string}` | `${bigint}`;

interface Scalars {
  'core::felt252': Felt;
  'core::bytes_31::bytes31': Felt;
  'core::starknet::contract_address::ContractAddress': Felt;
  'core::starknet::eth_address::EthAddress': Felt;
  'core::starknet::class_hash::ClassHash': Felt;
  'core::bool': boolean;
  'core::byte_array::ByteArray': string;
}

/** An expected value for a Cairo type. */
type ValueOf<A extends AbiConst, T extends string> = T extends keyof Scalars
  ? Scalars[T]
  : T extends `core::integer::${'u' | 'i'}${number}`
    ? Integer
    : T extends `core::array::${'Array' | 'Span'}::<${infer I}>` | `[${infer I}; ${number}]`
      ? readonly ValueOf<A, I>[]
      : T extends `core::${'zeroable::NonZero' | 'box::Box'}::<${infer I}>` | `@${infer I}`
        ? ValueOf<A, I>
        : T extends `(${infer I})`
          ? Tuple<A, I>
          : DefinedValue<A, T>;

/** A tuple whose parts have brackets is not parsed. */
type Tuple<A extends AbiConst, S extends string> = S extends `${string}${'(' | '<' | '['}${string}`
  ? readonly Expected[]
  : S extends `${infer First}, ${infer Rest}`
    ? readonly [ValueOf<A, First>, ...Tuple<A, Rest>]
    : readonly [ValueOf<A, S>];

/** A struct by its members; an enum by the name of its variant, or with its value. */
type DefinedValue<A extends AbiConst, T extends string> =
  Entry<A, { readonly type: 'struct' | 'enum'; readonly name: T }> extends infer D
    ? [D] extends [never]
      ? Expected
      : D extends { readonly type: 'struct'; readonly members: readonly Member[] }
        ? Values<A, D['members'][number]>
        : D extends { readonly type: 'enum'; readonly variants: readonly Member[] }
          ? D['variants'][number]['name'] | Choice<A, D['variants'][number]>
          : never
    : never;

type Choice<A extends AbiConst, V extends Member> = V extends { readonly type: '()' }
  ? never
  : { readonly [N in V['name']]: ValueOf<A, V['type']> };
