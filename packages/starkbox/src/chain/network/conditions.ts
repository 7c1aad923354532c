// Conditions of a network that a chain imitates: fee market, capacity, load, order, faults. Data without behaviour.
import { isObject } from '@starkbox/abi/basics';
import type {
  BLOCK_CAPACITY,
  CONGESTION,
  GAS_MARKET,
  L1_GAS_PRICES,
  NETWORK_CONDITIONS,
  REORG_FAULTS,
  SUBMISSION_FAULTS,
} from '@starkbox/spec';
import {
  type BlockGeneration,
  EXPECTED_BLOCK_GENERATION,
  readBlockGeneration,
  showBlockGeneration,
} from '../../block-settings.js';
import { count, felt, gasPrice, list, object, optional, pair } from '../../json/reader.js';

import { WEIGHT_NAMES } from './capacity.js';

/** Prices of L1 gas; what is absent stays. */
export type L1Prices = { readonly [Name in keyof L1_GAS_PRICES]: bigint };

const L1_PRICES = [
  'gas_price_wei',
  'gas_price_fri',
  'data_gas_price_wei',
  'data_gas_price_fri',
] as const;

/** The prices of the origin's blocks before the fork, which replace it when the conditions are set. */
export const OF_ORIGIN = 'origin';

interface GasMarket extends Required<GAS_MARKET> {
  readonly l1_prices: readonly L1Prices[] | typeof OF_ORIGIN;
}

export type Congestion = Required<CONGESTION>;

export interface Submissions extends Required<SUBMISSION_FAULTS> {
  readonly delay_blocks: readonly [least: number, most: number];
}

const ORDERS = ['fifo', 'tip', 'random'] as const;

/** The conditions of the documents with all members, so that they are their own JSON form. */
export interface NetworkConditions extends Required<NETWORK_CONDITIONS> {
  /** False: prices stay as they are set. */
  readonly gas_market: GasMarket | false;
  /** Changes of the network's capacity, or none at all. */
  readonly capacity: BLOCK_CAPACITY | 'unlimited';
  readonly congestion: Congestion | null;
  readonly submissions: Submissions;
  readonly reorgs: Required<REORG_FAULTS>;
}

const UNCHANGED_L1: GasMarket = { l1_prices: [], l1_blocks: 1 };

/** Only the fee market and the capacity of blocks. */
export const MARKET_ONLY: NetworkConditions = {
  seed: 0,
  block_generation_on: null,
  gas_market: UNCHANGED_L1,
  capacity: {},
  congestion: null,
  order: null,
  lifetime_blocks: null,
  submissions: { lost: 0, delayed: 0, delay_blocks: [1, 1] },
  reorgs: { probability: 0, depth: 1 },
};

/**
 * Reads conditions in JSON form; absent members are off.
 *
 * @throws TypeError with the path and the expected type
 */
export function readConditions(value: unknown, where = 'conditions'): NetworkConditions {
  const members = withMembers(value, where, Object.keys(MARKET_ONLY));
  const read = <T>(
    name: keyof NetworkConditions,
    absent: T,
    reader: (member: unknown, path: string) => T,
  ): T => optional(members[name], `${where}.${name}`, reader) ?? absent;
  const { submissions, reorgs } = MARKET_ONLY;
  return {
    seed: read('seed', 0, count),
    block_generation_on: read('block_generation_on', null, readGeneration),
    gas_market: read('gas_market', false, readMarket),
    capacity: read('capacity', 'unlimited', readCapacity),
    congestion: read('congestion', null, readCongestion),
    order: read('order', null, readOrder),
    lifetime_blocks: read('lifetime_blocks', null, positive),
    submissions: read('submissions', submissions, readSubmissions),
    reorgs: read('reorgs', reorgs, readReorgs),
  };
}

const MAX_DEMAND = 100;
const MAX_SPREAD = 1_000_000;
/** Each is executed. */
const MAX_TRANSACTIONS = 200;
const MAX_DEPTH = 100;
/** Entries of a series of prices; the mempool holds as many transactions. */
const MAX_LISTED = 10_000;

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
    median_tip: whole(
      read('median_tip', 0, Number.MAX_SAFE_INTEGER / MAX_SPREAD),
      `${where}.median_tip`,
    ),
    tip_spread: within(members['tip_spread'] ?? 1, `${where}.tip_spread`, 1, MAX_SPREAD),
    transactions: whole(read('transactions', 8, MAX_TRANSACTIONS), `${where}.transactions`),
  };
}

function readMarket(value: unknown, where: string): GasMarket | false {
  if (value === false) return false;
  if (value === true) return UNCHANGED_L1;
  const { l1_prices: prices = [], l1_blocks: blocks = 1 } = withMembers(value, where, [
    'l1_prices',
    'l1_blocks',
  ]);
  return {
    l1_prices: prices === OF_ORIGIN ? prices : listed(prices, `${where}.l1_prices`, readL1Prices),
    l1_blocks: positive(blocks, `${where}.l1_blocks`),
  };
}

function readL1Prices(value: unknown, where: string): L1Prices {
  const members = withMembers(value, where, L1_PRICES);
  const prices: { -readonly [Name in keyof L1Prices]: bigint } = {};
  for (const name of L1_PRICES) {
    const price = members[name];
    if (price === undefined) continue;
    prices[name] = gasPrice(price, `${where}.${name}`);
  }
  return prices;
}

function readCapacity(value: unknown, where: string): NetworkConditions['capacity'] {
  if (value === 'unlimited') return value;
  if (value === 'network') return {};
  if (!isObject(value))
    throw new TypeError(`${where}: expected 'unlimited', 'network' or an object`);
  const members = withMembers(value, where, WEIGHT_NAMES);
  const limits: { -readonly [Name in keyof BLOCK_CAPACITY]: number } = {};
  for (const name of WEIGHT_NAMES) {
    if (members[name] !== undefined) limits[name] = positive(members[name], `${where}.${name}`);
  }
  return limits;
}

function readOrder(value: unknown, where: string): NonNullable<NetworkConditions['order']> {
  if (Array.isArray(value)) return listed(value, where, felt);
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
    delay_blocks: [least, most],
  };
}

function readReorgs(value: unknown, where: string): NetworkConditions['reorgs'] {
  const { probability = 0, depth = 1 } = withMembers(value, where, ['probability', 'depth']);
  return {
    // With certainty, no block would stay.
    probability: within(probability, `${where}.probability`, 0, 0.9),
    depth: whole(within(depth, `${where}.depth`, 1, MAX_DEPTH), `${where}.depth`),
  };
}

function readGeneration(value: unknown, where: string): string {
  const generation = readBlockGeneration(String(value));
  if (generation === undefined)
    throw new TypeError(`${where}: must be ${EXPECTED_BLOCK_GENERATION}`);
  return showBlockGeneration(generation);
}

/** Undefined: unchanged. */
export function generationOf({
  block_generation_on: text,
}: NetworkConditions): BlockGeneration | undefined {
  return text === null ? undefined : readBlockGeneration(text);
}

/** Prices of L1 gas in a round; empty where they stay. */
export function l1PricesAt({ l1_prices, l1_blocks }: GasMarket, round: number): L1Prices {
  if (l1_prices === OF_ORIGIN) return {};
  return l1_prices[Math.floor(round / l1_blocks) % l1_prices.length] ?? {};
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

function listed<T>(
  value: unknown,
  where: string,
  read: (item: unknown, where: string) => T,
): readonly T[] {
  if (!Array.isArray(value) || value.length <= MAX_LISTED) return list(value, where, read);
  throw new TypeError(`${where}: expected at most ${MAX_LISTED} entries; got ${value.length}`);
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
