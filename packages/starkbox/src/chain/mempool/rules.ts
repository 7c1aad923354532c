// Rules of a mempool: which transactions can be executed, and in which order.
import { toFelt } from '@starkbox/abi/basics';
import { poseidon } from '@starkbox/engine';

/** Which of the executable transactions is next. */
export interface MempoolOrder {
  readonly kind: 'fifo' | 'tip' | 'random' | 'list';
  readonly seed: number;
  /** Of the kind `list`: hashes of transactions that come first. */
  readonly list?: readonly string[] | undefined;
}

/** Which transactions of a network can be executed now. */
export interface Gate {
  /** Those that wait from this round or an earlier one. */
  readonly round: number;
  /** Those that pay this price of L2 gas, in fri; undefined: all. */
  readonly price: bigint | undefined;
}

export interface PoolRules {
  readonly order: MempoolOrder;
  /** Undefined: all that have the next nonce of their account can be executed. */
  readonly gate: Gate | undefined;
}

export const DEFAULT_ORDER: MempoolOrder = { kind: 'fifo', seed: 0 };

/** What the order of a transaction depends on. */
interface Ordered {
  readonly hash: string;
  readonly arrival: number;
  readonly tip: bigint;
}

/** What decides whether the gate admits a transaction. */
interface Gated {
  readonly since?: number | undefined;
  readonly maxPrice: bigint;
}

/** Whether it cannot be executed before a later round of the network. */
export function isDelayed(
  { gate }: Pick<PoolRules, 'gate'>,
  { since = 0 }: Pick<Gated, 'since'>,
): boolean {
  return gate !== undefined && since > gate.round;
}

/** Whether it waits until the price falls. */
export function isUnderpriced(
  { gate }: Pick<PoolRules, 'gate'>,
  { maxPrice }: Pick<Gated, 'maxPrice'>,
): boolean {
  return gate?.price !== undefined && maxPrice < gate.price;
}

/** Whether the gate admits a transaction that has the next nonce of its account. */
export function isExecutable(rules: Pick<PoolRules, 'gate'>, gated: Gated): boolean {
  return !isDelayed(rules, gated) && !isUnderpriced(rules, gated);
}

// Keys that compare like what they stand for.

export function arrivalKey(arrival: number): string {
  return String(arrival).padStart(16, '0');
}

/** All keys of transactions that can be selected begin with it; those of selected ones are smaller. */
export const READY = '1';

export function selectedKey(position: number): string {
  return `0 ${arrivalKey(position)}`;
}

export function readyKey(order: MempoolOrder, transaction: Ordered): string {
  return `${READY} ${orderKey(order, transaction)}`;
}

const LARGEST_TIP = 2n ** 64n - 1n;

/** Positions in lists of hashes. */
const listPositions = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

function positionIn(list: readonly string[], hash: string): number {
  const cached = listPositions.get(list);
  const positions = cached ?? new Map(list.map((listed, index) => [listed, index]));
  if (!cached) listPositions.set(list, positions);
  return positions.get(hash) ?? list.length;
}

function orderKey(
  { kind, seed, list = [] }: MempoolOrder,
  { arrival, tip, hash }: Ordered,
): string {
  const last = arrivalKey(arrival);
  if (kind === 'fifo') return last;
  if (kind === 'list') return `${arrivalKey(positionIn(list, hash))} ${last}`;
  if (kind === 'tip') return `${String(LARGEST_TIP - tip).padStart(20, '0')} ${last}`;
  return `${poseidon([toFelt(seed), hash])
    .slice(2)
    .padStart(64, '0')} ${last}`;
}
