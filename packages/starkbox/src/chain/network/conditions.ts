// Conditions of a network that a chain imitates: fee market, capacity, load, order, faults. Data without behaviour.
import { isObject } from '@starkbox/abi/basics';
import type { CapacityFigures } from '@starkbox/engine';
import type { NETWORK_CONDITIONS } from '@starkbox/spec';
import {
  type BlockGeneration,
  EXPECTED_BLOCK_GENERATION,
  readBlockGeneration,
  shownBlockGeneration,
} from '../../block-settings.js';
import { count, felt, gasPrice, list, object, optional, pair } from '../../json/reader.js';

import { WEIGHT_NAMES } from './capacity.js';

/** Prices of L1 gas, as a script gives them; what is absent stays. */
export type L1Prices = Readonly<Partial<Record<(typeof L1_PRICES)[number], bigint>>>;

const L1_PRICES = [
  'gas_price_wei',
  'gas_price_fri',
  'data_gas_price_wei',
  'data_gas_price_fri',
] as const;

/** The prices of the origin's blocks before the fork, which replace it when the conditions are set. */
export const OF_ORIGIN = 'origin';

/** Prices that follow the rule of the protocol. */
export interface GasMarket {
  /** Prices of L1 gas, one entry after the other, and again from the first; empty: they stay. */
  readonly l1Prices: readonly L1Prices[] | typeof OF_ORIGIN;
  /** Blocks until the next entry. */
  readonly l1Blocks: number;
}

/** Load of other users. */
export interface Congestion {
  /** Gas that others ask for in a block, as a share of its capacity; above 1, blocks are full. */
  readonly demand: number;
  /** From block to block, demand varies by up to this share. */
  readonly variation: number;
  /** By which power demand falls as the price rises above the floor. */
  readonly elasticity: number;
  /** Fri per unit of L2 gas. */
  readonly medianTip: number;
  /** Tips lie between the median divided by it and the median times it. */
  readonly tipSpread: number;
  /** Transactions of others that blocks really have, at most. */
  readonly transactions: number;
}

export interface Submissions {
  /** Share of submissions that are acknowledged and then lost. */
  readonly lost: number;
  /** Share of submissions that arrive later. */
  readonly delayed: number;
  /** By how many blocks: at least and at most. */
  readonly delayBlocks: readonly [least: number, most: number];
}

export interface Reorgs {
  /** Of a reorganisation after a block. */
  readonly probability: number;
  /** Blocks that one removes at most. */
  readonly depth: number;
}

export const ORDERS = ['fifo', 'tip', 'random'] as const;

/** A rule, or hashes of transactions that come first, before all others in order of arrival. */
export type TransactionOrder = (typeof ORDERS)[number] | readonly string[];

export interface NetworkConditions {
  readonly seed: number;
  /** Undefined: unchanged. */
  readonly blockGeneration: BlockGeneration | undefined;
  /** Undefined: prices stay as they are set. */
  readonly gasMarket: GasMarket | undefined;
  /** Changes of the network's capacity; undefined: blocks have no limit. */
  readonly capacity: Partial<CapacityFigures> | undefined;
  readonly congestion: Congestion | undefined;
  /** Undefined: as the chain's options say. */
  readonly order: TransactionOrder | undefined;
  /** Blocks after which a waiting transaction is dropped; undefined: never. */
  readonly lifetimeBlocks: number | undefined;
  readonly submissions: Submissions;
  readonly reorgs: Reorgs;
}

const NO_FAULTS: Pick<NetworkConditions, 'submissions' | 'reorgs'> = {
  submissions: { lost: 0, delayed: 0, delayBlocks: [1, 1] },
  reorgs: { probability: 0, depth: 1 },
};

/** Only the fee market and the capacity of blocks. */
export const MARKET_ONLY: NetworkConditions = {
  seed: 0,
  blockGeneration: undefined,
  gasMarket: { l1Prices: [], l1Blocks: 1 },
  capacity: {},
  congestion: undefined,
  order: undefined,
  lifetimeBlocks: undefined,
  ...NO_FAULTS,
};

const MEMBERS = [
  'seed',
  'block_generation_on',
  'gas_market',
  'capacity',
  'congestion',
  'order',
  'lifetime_blocks',
  'submissions',
  'reorgs',
];

/**
 * Reads conditions in JSON form; absent members are off.
 *
 * @throws TypeError with the path and the expected type
 */
export function readConditions(value: unknown, where = 'conditions'): NetworkConditions {
  const members = withMembers(value, where, MEMBERS);
  const at = (name: string): string => `${where}.${name}`;
  const { seed = 0, congestion, order, lifetime_blocks: lifetime } = members;
  return {
    seed: count(seed, at('seed')),
    blockGeneration: optional(
      members['block_generation_on'],
      at('block_generation_on'),
      generationIn,
    ),
    gasMarket: readMarket(members['gas_market'] ?? false, at('gas_market')),
    capacity: readCapacity(members['capacity'] ?? 'unlimited', at('capacity')),
    congestion: optional(congestion, at('congestion'), readCongestion),
    order: optional(order, at('order'), readOrder),
    lifetimeBlocks: optional(lifetime, at('lifetime_blocks'), positive),
    submissions:
      optional(members['submissions'], at('submissions'), readSubmissions) ?? NO_FAULTS.submissions,
    reorgs: optional(members['reorgs'], at('reorgs'), readReorgs) ?? NO_FAULTS.reorgs,
  };
}

/** Conditions in JSON form, with all members. */
export function conditionsToJson(conditions: NetworkConditions): Required<NETWORK_CONDITIONS> {
  const { blockGeneration, gasMarket, capacity, congestion, order, submissions, reorgs } =
    conditions;
  return {
    seed: conditions.seed,
    block_generation_on:
      blockGeneration === undefined ? null : shownBlockGeneration(blockGeneration),
    gas_market: gasMarket
      ? { l1_prices: gasMarket.l1Prices, l1_blocks: gasMarket.l1Blocks }
      : false,
    capacity: capacity ?? 'unlimited',
    congestion: congestion
      ? {
          demand: congestion.demand,
          variation: congestion.variation,
          elasticity: congestion.elasticity,
          median_tip: congestion.medianTip,
          tip_spread: congestion.tipSpread,
          transactions: congestion.transactions,
        }
      : null,
    order: order ?? null,
    lifetime_blocks: conditions.lifetimeBlocks ?? null,
    submissions: {
      lost: submissions.lost,
      delayed: submissions.delayed,
      delay_blocks: submissions.delayBlocks,
    },
    reorgs,
  };
}

const MAX_DEMAND = 100;
const MAX_SPREAD = 1_000_000;
/** Each is executed. */
const MAX_TRANSACTIONS = 200;
const MAX_DEPTH = 100;

export function readCongestion(value: unknown, where: string): Congestion {
  const members = withMembers(value, where, [
    'demand',
    'variation',
    'elasticity',
    'median_tip',
    'tip_spread',
    'transactions',
  ]);
  const read = (name: string, absent: number, most: number): number =>
    within(members[name] ?? absent, `${where}.${name}`, 0, most);
  return {
    demand: within(members['demand'], `${where}.demand`, 0, MAX_DEMAND),
    variation: read('variation', 0, 1),
    elasticity: read('elasticity', 0, 4),
    medianTip: whole(
      read('median_tip', 0, Number.MAX_SAFE_INTEGER / MAX_SPREAD),
      `${where}.median_tip`,
    ),
    tipSpread: within(members['tip_spread'] ?? 1, `${where}.tip_spread`, 1, MAX_SPREAD),
    transactions: whole(read('transactions', 8, MAX_TRANSACTIONS), `${where}.transactions`),
  };
}

function readMarket(value: unknown, where: string): GasMarket | undefined {
  if (value === false) return undefined;
  if (value === true) return { l1Prices: [], l1Blocks: 1 };
  const { l1_prices: prices = [], l1_blocks: blocks = 1 } = withMembers(value, where, [
    'l1_prices',
    'l1_blocks',
  ]);
  return {
    l1Prices: prices === OF_ORIGIN ? prices : list(prices, `${where}.l1_prices`, readL1Prices),
    l1Blocks: positive(blocks, `${where}.l1_blocks`),
  };
}

function readL1Prices(value: unknown, where: string): L1Prices {
  const members = withMembers(value, where, L1_PRICES);
  const prices: { -readonly [name in keyof L1Prices]: L1Prices[name] } = {};
  for (const name of L1_PRICES) {
    const price = members[name];
    if (price === undefined) continue;
    prices[name] = gasPrice(price, `${where}.${name}`);
  }
  return prices;
}

function readCapacity(value: unknown, where: string): Partial<CapacityFigures> | undefined {
  if (value === 'unlimited') return undefined;
  if (value === 'network') return {};
  if (!isObject(value))
    throw new TypeError(`${where}: expected 'unlimited', 'network' or an object`);
  const members = withMembers(value, where, WEIGHT_NAMES);
  const limits: Partial<Record<keyof CapacityFigures, number>> = {};
  for (const name of WEIGHT_NAMES) {
    if (members[name] !== undefined) limits[name] = positive(members[name], `${where}.${name}`);
  }
  return limits;
}

function readOrder(value: unknown, where: string): TransactionOrder {
  if (Array.isArray(value)) return list(value, where, felt);
  const order = ORDERS.find((name) => name === value);
  if (!order) throw new TypeError(`${where}: expected ${ORDERS.join(', ')} or a list of hashes`);
  return order;
}

function readSubmissions(value: unknown, where: string): Submissions {
  const members = withMembers(value, where, ['lost', 'delayed', 'delay_blocks']);
  const { lost = 0, delayed = 0, delay_blocks: blocks = [1, 1] } = members;
  const [least, most] = pair(blocks, `${where}.delay_blocks`, positive, positive);
  if (least > most) throw new TypeError(`${where}.delay_blocks: expected the smaller number first`);
  return {
    lost: within(lost, `${where}.lost`, 0, 1),
    delayed: within(delayed, `${where}.delayed`, 0, 1),
    delayBlocks: [least, most],
  };
}

function readReorgs(value: unknown, where: string): Reorgs {
  const { probability = 0, depth = 1 } = withMembers(value, where, ['probability', 'depth']);
  return {
    // With certainty, no block would stay.
    probability: within(probability, `${where}.probability`, 0, 0.9),
    depth: whole(within(depth, `${where}.depth`, 1, MAX_DEPTH), `${where}.depth`),
  };
}

function generationIn(value: unknown, where: string): BlockGeneration {
  const generation = readBlockGeneration(String(value));
  if (generation === undefined)
    throw new TypeError(`${where}: must be ${EXPECTED_BLOCK_GENERATION}`);
  return generation;
}

/** Prices of L1 gas in a round; empty where they stay. */
export function l1PricesAt({ l1Prices, l1Blocks }: GasMarket, round: number): L1Prices {
  if (l1Prices === OF_ORIGIN) return {};
  return l1Prices[Math.floor(round / l1Blocks) % l1Prices.length] ?? {};
}

/** The members of an object that has no others than these: a misspelt one would have no effect. */
function withMembers(
  value: unknown,
  where: string,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const members = object(value, where);
  const unknown = Object.keys(members).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`${where}: unknown member '${unknown}'; expected ${names.join(', ')}`);
  }
  return members;
}

function within(value: unknown, where: string, least: number, most: number): number {
  if (typeof value === 'number' && value >= least && value <= most) return value;
  throw new TypeError(`${where}: expected a number from ${least} to ${most}`);
}

function whole(value: number, where: string): number {
  if (!Number.isInteger(value)) throw new TypeError(`${where}: expected a whole number`);
  return value;
}

function positive(value: unknown, where: string): number {
  const number = count(value, where);
  if (number === 0) throw new TypeError(`${where}: expected a whole number from 1`);
  return number;
}
