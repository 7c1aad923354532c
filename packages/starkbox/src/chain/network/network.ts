// The imitated network of a chain: its conditions, and what they depend on besides the blocks.
import { BlockWeights, EngineError } from '@starkbox/engine';
import { List } from '../../immutable.js';
import { count, list, object, optional, string } from '../../json/reader.js';
import { type NetworkConditions, readConditions } from './conditions.js';

/** A closed block as the market saw it. */
export interface ClosedRound {
  readonly block: number;
  /** Fri per unit of L2 gas in this block. */
  readonly price: bigint;
  /** L2 gas of its transactions. */
  readonly gasUsed: number;
  /** L2 gas of others that is counted and not executed. */
  readonly backgroundGas: number;
  /** The largest share of its capacity that is taken, from 0 to 1; undefined: without a limit. */
  readonly fullness: number | undefined;
  readonly transactions: number;
}

/** Immutable, as the world that holds it. */
export interface Network {
  readonly conditions: NetworkConditions;
  /** Blocks closed under conditions; a reorganisation does not reduce it. */
  readonly rounds: number;
  /** Transactions that clients submitted under conditions. */
  readonly submissions: number;
  /** Of the pending block; undefined unless blocks have a capacity. */
  readonly weights: BlockWeights | undefined;
  /** The price of L2 gas in wei keeps the ratio of these prices to the price in fri. */
  readonly rate: L2Prices;
  /** The newest ones, oldest first. */
  readonly recent: List<ClosedRound>;
}

/** Prices of L2 gas. */
export interface L2Prices {
  readonly l2_gas_price_wei: bigint;
  readonly l2_gas_price_fri: bigint;
}

/** Rounds that are kept. */
export const MAX_RECENT = 100;

/**
 * The network after its conditions were set; counters and weights continue.
 *
 * @param prices of the following blocks
 */
export function withConditions(
  network: Network | undefined,
  conditions: NetworkConditions,
  { l2_gas_price_wei, l2_gas_price_fri }: L2Prices,
): Network {
  const { rounds = 0, submissions = 0, weights, recent = List<ClosedRound>() } = network ?? {};
  return {
    conditions,
    rounds,
    submissions,
    weights: conditions.capacity === 'unlimited' ? undefined : (weights ?? BlockWeights.empty()),
    rate: network?.rate ?? { l2_gas_price_wei, l2_gas_price_fri },
    recent,
  };
}

export function networkToJson({
  conditions,
  rounds,
  submissions,
  weights,
  rate,
  recent,
}: Network): object {
  return {
    conditions,
    rounds,
    submissions,
    weights: weights?.toText() ?? null,
    rate: { wei: String(rate.l2_gas_price_wei), fri: String(rate.l2_gas_price_fri) },
    recent: recent.toArray().map(({ price, ...round }) => ({ ...round, price: String(price) })),
  };
}

/** Reads the result of `networkToJson`. */
export function networkFromJson(value: unknown): Network {
  const { conditions, rounds, submissions, weights, rate, recent } = object(value, 'network');
  const { wei, fri } = object(rate, 'network.rate');
  return {
    conditions: readConditions(conditions, 'network.conditions'),
    rounds: count(rounds, 'network.rounds'),
    submissions: count(submissions, 'network.submissions'),
    weights: optional(weights, 'network.weights', (text, where) =>
      readWeights(string(text, where), where),
    ),
    rate: {
      l2_gas_price_wei: readPrice(wei, 'network.rate.wei'),
      l2_gas_price_fri: readPrice(fri, 'network.rate.fri'),
    },
    recent: List(list(recent, 'network.recent', readRound)),
  };
}

function readRound(value: unknown, where: string): ClosedRound {
  const { block, price, gasUsed, backgroundGas, fullness, transactions } = object(value, where);
  return {
    block: count(block, `${where}.block`),
    price: readPrice(price, `${where}.price`),
    gasUsed: count(gasUsed, `${where}.gasUsed`),
    backgroundGas: count(backgroundGas, `${where}.backgroundGas`),
    fullness: optional(fullness, `${where}.fullness`, share),
    transactions: count(transactions, `${where}.transactions`),
  };
}

function readPrice(value: unknown, where: string): bigint {
  const digits = string(value, where);
  if (!/^[1-9]\d{0,38}$/.test(digits)) throw new TypeError(`${where}: expected decimal digits`);
  return BigInt(digits);
}

function readWeights(text: string, where: string): BlockWeights {
  try {
    return BlockWeights.fromText(text);
  } catch (error) {
    if (error instanceof EngineError) throw new TypeError(`${where}: ${error.message}`);
    throw error;
  }
}

function share(value: unknown, where: string): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw new TypeError(`${where}: expected a number from 0 to 1`);
}
