// JSON codec of the mempool.
import { toFelt } from '@starkbox/abi/basics';
import {
  count,
  felt,
  felts,
  list,
  object,
  objectText,
  oneOf,
  optional,
  string,
} from '../../json/reader.js';
import {
  type Dropped,
  EMPTY_MEMPOOL,
  type Mempool,
  type PoolTransaction,
  type QueuedTransaction,
} from '../mempool/mempool.js';
import { restoreMempool } from '../mempool/restore.js';
import { checkSent } from './check-records.js';

const TYPES = ['INVOKE', 'DECLARE', 'DEPLOY_ACCOUNT'] as const;
const TIP_BOUND = 2n ** 64n;

/** Plain data for JSON; none of a pool in which nothing waits and nothing was dropped. */
export function mempoolToJson({ waiting, dropped, droppedCount }: Mempool): object | undefined {
  if (waiting.size === 0 && dropped.isEmpty()) return undefined;
  return {
    waiting: [...waiting.from()].map(([, queued]) => waitingToJson(queued)),
    dropped: dropped.toArray().map(droppedToJson),
    ...(droppedCount === dropped.size ? {} : { dropped_count: droppedCount }),
  };
}

/** Reads the result of `mempoolToJson`, for `settleMempool`. */
export function mempoolFromJson(value: unknown): Mempool {
  if (value === undefined) return EMPTY_MEMPOOL;
  const { waiting, dropped, dropped_count: total } = object(value, 'mempool');
  return restoreMempool(
    list(waiting, 'mempool.waiting', waitingFromJson),
    list(dropped, 'mempool.dropped', droppedFromJson),
    optional(total, 'mempool.dropped_count', count),
  );
}

export function waitingToJson(queued: QueuedTransaction): object {
  return {
    arrival: queued.arrival,
    position: queued.position ?? null,
    hash: queued.hash,
    sender: queued.sender,
    transaction: queued.transaction,
    proof_facts: queued.proofFacts ?? null,
    contract_class: queued.contractClass ?? null,
    ...(queued.since === undefined ? {} : { since: queued.since }),
  };
}

export function waitingFromJson(value: unknown, where = 'transaction'): QueuedTransaction {
  const members = object(value, where);
  const since = optional(members['since'], `${where}.since`, count);
  return {
    arrival: count(members['arrival'], `${where}.arrival`),
    position: optional(members['position'], `${where}.position`, count),
    ...poolTransaction(
      felt(members['hash'], `${where}.hash`),
      felt(members['sender'], `${where}.sender`),
      string(members['transaction'], `${where}.transaction`),
      where,
    ),
    proofFacts: optional(members['proof_facts'], `${where}.proof_facts`, felts),
    contractClass: optional(members['contract_class'], `${where}.contract_class`, string),
    ...(since === undefined ? {} : { since }),
  };
}

/** The transaction in a text as methods return it; throws a `TypeError` for other texts. */
export function poolTransaction(
  hash: string,
  sender: string,
  transaction: string,
  where = 'transaction',
): Omit<PoolTransaction, 'proofFacts' | 'contractClass'> {
  const values = objectText(transaction, `${where}.transaction`);
  const type = oneOf(values['type'], `${where}.transaction.type`, TYPES);
  checkSent(values, type, `${where}.transaction`);
  const tip = BigInt(string(values['tip'], `${where}.transaction.tip`));
  if (tip >= TIP_BOUND) throw new TypeError(`${where}.transaction.tip: expected 64 bits`);
  const nonce = BigInt(felt(values['nonce'], `${where}.transaction.nonce`));
  return { hash, type, sender, nonce, tip, maxPrice: maxPriceOf(values, where), transaction };
}

function maxPriceOf(values: Readonly<Record<string, unknown>>, where: string): bigint {
  const path = `${where}.transaction.resource_bounds`;
  const { l2_gas: l2Gas } = object(values['resource_bounds'], path);
  const { max_price_per_unit: price } = object(l2Gas, `${path}.l2_gas`);
  return BigInt(string(price, `${path}.l2_gas.max_price_per_unit`));
}

export function droppedToJson({ hash, sender, nonce, reason }: Dropped): object {
  return { hash, sender, nonce: toFelt(nonce), reason };
}

export function droppedFromJson(value: unknown, where = 'dropped'): Dropped {
  const members = object(value, where);
  return {
    hash: felt(members['hash'], `${where}.hash`),
    sender: felt(members['sender'], `${where}.sender`),
    nonce: BigInt(felt(members['nonce'], `${where}.nonce`)),
    reason: string(members['reason'], `${where}.reason`),
  };
}
