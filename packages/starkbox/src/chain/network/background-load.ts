// Load of other users: the L2 gas and tips of a block that compete with transactions of this chain.
import { encodeShortString } from '@starkbox/abi/basics';
import type { Congestion, NetworkConditions } from './conditions.js';
import { power, randomNumbers } from './random.js';

/** Sends the transactions of others. It needs no key, because its signatures are not validated. */
export const LOAD_ACCOUNT: string = encodeShortString('STARKBOX_LOAD');

/** A part of the load: transactions of others with the same tip. */
export interface BackgroundTransaction {
  /** L2 gas. */
  readonly gas: number;
  /** Fri per unit of L2 gas. */
  readonly tip: number;
}

/** What the load of a block depends on, besides the conditions. */
export interface LoadFactors {
  /** The blocks that closed under conditions before. */
  readonly round: number;
  /** Of L2 gas in this block, in fri. */
  readonly price: bigint;
  /** The lowest price of the version. */
  readonly floor: bigint;
  /** L2 gas of a full block. */
  readonly capacity: number;
}

/** Transactions of a block, or of each capacity that is in demand. */
const MIN_TRANSACTIONS = 48;

/** The load of a block, in no order. */
export function backgroundLoad(
  { congestion, seed }: NetworkConditions,
  { round, price, floor, capacity }: LoadFactors,
): readonly BackgroundTransaction[] {
  if (!congestion) return [];
  const random = randomNumbers(seed, 'load', round);
  const ratio = price > floor ? Number(floor) / Number(price) : 1;
  const varied = 1 + congestion.variation * (2 * random() - 1);
  const demand = congestion.demand * varied * power(ratio, congestion.elasticity);
  const count = Math.max(
    MIN_TRANSACTIONS,
    congestion.transactions,
    Math.ceil(demand * MIN_TRANSACTIONS),
  );
  const sizes = Array.from({ length: count }, () => 0.5 + random());
  const unit = (demand * capacity) / sizes.reduce((sum, size) => sum + size, 0);
  return sizes
    .map((size) => ({ gas: Math.floor(size * unit), tip: tipFrom(congestion, random) }))
    .filter(({ gas }) => gas > 0);
}

/** Each factor up to the spread is as likely as its reciprocal, and as likely as factors of the same length in logarithms. */
function tipFrom({ median_tip, tip_spread }: Congestion, random: () => number): number {
  const isAbove = random() >= 0.5;
  const factor = power(tip_spread, random());
  return Math.round(isAbove ? median_tip * factor : median_tip / factor);
}

/** The part of a load that a block has room for, higher tips first. */
export function fitting(
  load: readonly BackgroundTransaction[],
  room: number,
): readonly BackgroundTransaction[] {
  let rest = room;
  const isFitting = ({ gas }: BackgroundTransaction): boolean => {
    if (gas > rest) return false;
    rest -= gas;
    return true;
  };
  const chosen = new Set(
    load.toSorted((first, second) => second.tip - first.tip).filter(isFitting),
  );
  // In the order of the draw, in which tips are mixed.
  return load.filter((transaction) => chosen.has(transaction));
}

export function gasOf(load: readonly BackgroundTransaction[]): number {
  return load.reduce((sum, { gas }) => sum + gas, 0);
}
