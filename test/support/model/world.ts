// A chain as immutable plain values, and what each command makes of them.
import * as cast from './accounts-and-contracts.js';

/** By name, what is not zero. */
export type Values = ReadonlyMap<string, string>;

export const slotName = (address: string, key: string): string => `slot ${address} ${key}`;
export const nonceName = (address: string): string => `nonce ${address}`;
export const className = (address: string): string => `class ${address}`;
export const declaredName = (hash: string): string => `declared ${hash}`;

const PRICE_NAMES = [
  'gas_price_wei',
  'data_gas_price_wei',
  'gas_price_fri',
  'data_gas_price_fri',
  'l2_gas_price_wei',
  'l2_gas_price_fri',
] as const;
export type PriceName = (typeof PRICE_NAMES)[number];
export type Prices = Readonly<Record<PriceName, number>>;
export const PRICES: readonly PriceName[] = PRICE_NAMES;
export const START_PRICES: Prices = {
  gas_price_wei: 10 ** 9,
  data_gas_price_wei: 10 ** 9,
  gas_price_fri: 10 ** 9,
  data_gas_price_fri: 10 ** 9,
  l2_gas_price_wei: 10 ** 9,
  l2_gas_price_fri: 10 ** 9,
};

export interface Included {
  readonly hash: string;
  readonly type: 'INVOKE' | 'DECLARE' | 'DEPLOY_ACCOUNT' | 'L1_HANDLER';
  readonly isReverted: boolean;
  readonly fee: bigint;
  /** Messages to L1, by their hashes. */
  readonly sent: readonly string[];
  /** The L1 transaction that caused it. */
  readonly l1Hash?: string;
}

export interface Block {
  /** Set from the answer of the node. */
  readonly hash: string | undefined;
  readonly timestamp: number;
  readonly prices: Prices;
  readonly transactions: readonly Included[];
  readonly values: Values;
  /** Balances that were written without a transaction, in sum. */
  readonly injected: bigint;
}

export interface World {
  readonly blocks: readonly Block[];
  readonly pending: readonly Included[];
  readonly values: Values;
  readonly injected: bigint;
  readonly offset: number;
  readonly exact: number | undefined;
  readonly current: Prices;
  readonly next: Prices;
  readonly impersonated: ReadonlySet<string>;
  readonly auto: boolean;
  readonly acceptedOnL1: number | undefined;
  readonly outgoing: readonly { readonly block: number; readonly hash: string }[];
  readonly consumable: ReadonlyMap<string, number>;
}

// Values.

export function withValues(
  values: Values,
  changes: Iterable<readonly [name: string, value: string | number | bigint]>,
): Values {
  const next = new Map(values);
  for (const [name, value] of changes) {
    const felt = typeof value === 'string' ? value : cast.hex(value);
    if (felt === '0x0') next.delete(name);
    else next.set(name, felt);
  }
  return next;
}

const LOW = 2n ** 128n - 1n;

/** The two slots of a u256. */
export function wide(
  address: string,
  slot: string,
  value: bigint,
): readonly (readonly [string, bigint])[] {
  return [
    [slotName(address, slot), value & LOW],
    [slotName(address, cast.hex(BigInt(slot) + 1n)), value >> 128n],
  ];
}

export function readWide(values: Values, address: string, slot: string): bigint {
  const low = values.get(slotName(address, slot)) ?? 0n;
  const high = values.get(slotName(address, cast.hex(BigInt(slot) + 1n))) ?? 0n;
  return (BigInt(high) << 128n) + BigInt(low);
}

export function balanceOf(values: Values, owner: string, token: string = cast.STRK): bigint {
  return readWide(values, token, cast.balanceSlot(owner));
}

export function withBalance(
  values: Values,
  owner: string,
  amount: bigint,
  token: string = cast.STRK,
): Values {
  return withValues(values, wide(token, cast.balanceSlot(owner), amount));
}

/** Moves tokens; undefined if there are too few. */
export function moved(
  values: Values,
  from: string,
  to: string,
  amount: bigint,
): Values | undefined {
  const balance = balanceOf(values, from);
  if (balance < amount) return undefined;
  const without = withBalance(values, from, balance - amount);
  return withBalance(without, to, balanceOf(without, to) + amount);
}

export function numberAt(values: Values, name: string): bigint {
  return BigInt(values.get(name) ?? 0n);
}

// The whole.

export function genesisValues(): Values {
  const owned = [...cast.accounts.map(({ address }) => address), cast.minter.address];
  const initialBalanceOf = (owner: string): bigint =>
    owner === cast.minter.address ? cast.MINTER_BALANCE : cast.INITIAL_BALANCE;
  const supply = owned.reduce((sum, owner) => sum + initialBalanceOf(owner), 0n);
  return withValues(
    new Map(),
    [cast.STRK, cast.ETH]
      .flatMap((token): (readonly [string, string | bigint])[] => [
        ...owned.flatMap((owner) => wide(token, cast.balanceSlot(owner), initialBalanceOf(owner))),
        ...wide(token, cast.SUPPLY, supply),
      ])
      .concat(
        [...cast.accounts, cast.minter].flatMap((account) => [
          [className(account.address), cast.accountClass.hash],
          ...cast
            .accountSlots(account)
            .map(([key, value]) => [slotName(account.address, key), value] as const),
        ]),
      ),
  );
}

export function firstWorld(wall: number, startTime: number | undefined): World {
  return closed(
    {
      blocks: [],
      pending: [],
      values: genesisValues(),
      injected: 0n,
      offset: startTime === undefined ? 0 : startTime - wall,
      exact: startTime,
      current: START_PRICES,
      next: START_PRICES,
      impersonated: new Set(),
      auto: false,
      acceptedOnL1: undefined,
      outgoing: [],
      consumable: new Map(),
    },
    wall,
  );
}

/** Only a time that was asked for may be earlier than that of the parent. */
export function nextTime({ offset, exact, blocks }: World, wall: number): number {
  return exact ?? Math.max(0, blocks.at(-1)?.timestamp ?? 0, wall + offset);
}

/** How much older a block must be for contracts to know its hash. */
const HASH_AGE = 10;

function withOldHash(values: Values, blocks: readonly Block[]): Values {
  const number = blocks.length - HASH_AGE;
  const old = blocks[number];
  return old ? withValues(values, [[slotName('0x1', cast.hex(number)), old.hash ?? '']]) : values;
}

export function closed(world: World, wall: number): World {
  const { values, pending, injected } = world;
  const block: Block = {
    hash: undefined,
    timestamp: nextTime(world, wall),
    prices: pending.length === 0 ? world.next : world.current,
    transactions: pending,
    values,
    injected,
  };
  const blocks = [...world.blocks, block];
  const messageHashes = pending.flatMap((transaction) => transaction.sent);
  const consumable = new Map(world.consumable);
  for (const hash of messageHashes) consumable.set(hash, (consumable.get(hash) ?? 0) + 1);
  return {
    ...world,
    blocks,
    pending: [],
    values: withOldHash(values, blocks),
    exact: undefined,
    current: world.next,
    outgoing: [
      ...world.outgoing,
      ...messageHashes.map((hash) => ({ block: blocks.length - 1, hash })),
    ],
    consumable,
  };
}

/** With what the node said of the newest block. */
export function withNewestHash(world: World, hash: string): World {
  const newest = world.blocks.at(-1);
  if (!newest || newest.hash !== undefined) return world;
  return { ...world, blocks: [...world.blocks.slice(0, -1), { ...newest, hash }] };
}

export function withoutBlocksFrom(world: World, from: number): World {
  const blocks = world.blocks.slice(0, from);
  const last = blocks.at(-1);
  const consumable = new Map(world.consumable);
  for (const { block, hash } of world.outgoing) {
    const count = consumable.get(hash) ?? 0;
    if (block >= from && count > 0) consumable.set(hash, count - 1);
  }
  return {
    ...world,
    blocks,
    pending: [],
    values: withOldHash(last?.values ?? new Map(), blocks),
    injected: last?.injected ?? 0n,
    acceptedOnL1:
      world.acceptedOnL1 === undefined ? undefined : Math.min(world.acceptedOnL1, from - 1),
    outgoing: world.outgoing.filter(({ block }) => block < from),
    consumable,
  };
}

export function transactionsOf(world: World): readonly Included[] {
  return [...world.blocks.flatMap(({ transactions }) => transactions), ...world.pending];
}

/** The values at a block, also at the one under construction and before the first. */
export function valuesAt(world: World, number: number): Values {
  return number === world.blocks.length
    ? world.values
    : (world.blocks[number]?.values ?? new Map());
}
