// JSON codec of the mempool.
import { hex } from '../../felt.js';
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
  restoredMempool,
} from '../mempool/mempool.js';
import { checkSent } from './check-records.js';

const TYPES = ['INVOKE', 'DECLARE', 'DEPLOY_ACCOUNT'] as const;
const TIP_BOUND = 2n ** 64n;

/** Plain data for JSON; none of a pool in which nothing waits and nothing was dropped. */
export function mempoolToJson({ waiting, dropped }: Mempool): object | undefined {
  if (waiting.size === 0 && dropped.isEmpty()) return undefined;
  return {
    waiting: [...waiting.from()].map(([, one]) => waitingToJson(one)),
    dropped: dropped.toArray().map(droppedToJson),
  };
}

/** Reads the result of `mempoolToJson`, for `settledMempool`. */
export function mempoolFromJson(value: unknown): Mempool {
  if (value === undefined) return EMPTY_MEMPOOL;
  const { waiting, dropped } = object(value, 'mempool');
  return restoredMempool(
    list(waiting, 'mempool.waiting', waitingFromJson),
    list(dropped, 'mempool.dropped', droppedFromJson),
  );
}

export function waitingToJson(one: QueuedTransaction): object {
  return {
    arrival: one.arrival,
    position: one.position ?? null,
    hash: one.hash,
    sender: one.sender,
    transaction: one.transaction,
    proof_facts: one.proofFacts ?? null,
    contract_class: one.contractClass ?? null,
  };
}

export function waitingFromJson(value: unknown, where = 'transaction'): QueuedTransaction {
  const one = object(value, where);
  return {
    arrival: count(one['arrival'], `${where}.arrival`),
    position: optional(one['position'], `${where}.position`, count),
    ...poolTransaction(
      felt(one['hash'], `${where}.hash`),
      felt(one['sender'], `${where}.sender`),
      string(one['transaction'], `${where}.transaction`),
      where,
    ),
    proofFacts: optional(one['proof_facts'], `${where}.proof_facts`, felts),
    contractClass: optional(one['contract_class'], `${where}.contract_class`, string),
  };
}

/** The transaction in a text as methods return it; throws a `TypeError` for other texts. */
export function poolTransaction(
  hash: string,
  sender: string,
  transaction: string,
  where = 'transaction',
): Omit<PoolTransaction, 'proofFacts' | 'contractClass'> {
  const sent = objectText(transaction, `${where}.transaction`);
  const type = oneOf(sent['type'], `${where}.transaction.type`, TYPES);
  checkSent(sent, type, `${where}.transaction`);
  const tip = BigInt(string(sent['tip'], `${where}.transaction.tip`));
  if (tip >= TIP_BOUND) throw new TypeError(`${where}.transaction.tip: expected 64 bits`);
  const nonce = BigInt(felt(sent['nonce'], `${where}.transaction.nonce`));
  return { hash, type, sender, nonce, tip, transaction };
}

export function droppedToJson({ hash, sender, nonce, reason }: Dropped): object {
  return { hash, sender, nonce: hex(nonce), reason };
}

export function droppedFromJson(value: unknown, where = 'dropped'): Dropped {
  const one = object(value, where);
  return {
    hash: felt(one['hash'], `${where}.hash`),
    sender: felt(one['sender'], `${where}.sender`),
    nonce: BigInt(felt(one['nonce'], `${where}.nonce`)),
    reason: string(one['reason'], `${where}.reason`),
  };
}
