// Difference between two worlds of a chain, as observers need it.

import type { Header } from '../history/header.js';
import type { Mempool, QueuedTransaction } from '../mempool/mempool.js';
import { pendingNumber } from './find-block.js';
import { isKnown, type Located, type World } from './world.js';

export interface WorldDiff {
  /** Blocks that are no longer part of the chain, oldest and newest. */
  readonly undone: { readonly first: Header; readonly last: Header } | undefined;
  /** Common blocks whose finality changed; empty if `from` is greater than `to`. */
  readonly refinalised: Range;
  /** Blocks that were not part of the chain before; empty if `from` is greater than `to`. */
  readonly added: Range;
  /** Index of the first transaction in the pending block that is new. */
  readonly pendingFrom: number;
  /** Transactions of the former pending block that are no longer part of the chain. */
  readonly dropped: readonly Located[];
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

export function diffWorlds(before: World, after: World): WorldDiff {
  const common = commonBlock(before, after);
  const [first, last] = [before.history.header(common + 1), before.history.latest];
  const from = pendingFrom(before, after);
  return {
    undone: first && last ? { first, last } : undefined,
    refinalised: findRefinalised(before, after, common),
    added: { from: common + 1, to: after.history.next - 1 },
    pendingFrom: from,
    dropped: findDropped(before, after, from),
  };
}

/** A transaction of the mempool that is new there, or whose selection changed. */
export interface MempoolChange {
  readonly one: QueuedTransaction;
  readonly isNew: boolean;
}

/** What changed in the mempool beside transactions that left it; oldest arrival first. */
export function* changedInMempool(
  before: Mempool,
  after: Mempool,
): Generator<MempoolChange, void, undefined> {
  for (const { before: was, after: queued } of before.waiting.differences(after.waiting)) {
    const isNew = was?.hash !== queued?.hash;
    if (queued && (isNew || was?.position !== queued.position)) yield { one: queued, isNew };
  }
}

/** Hashes of all transactions, pending ones included, that are no longer part of the chain. */
export function removedTransactions(before: World, after: World): readonly string[] {
  const removed: string[] = [];
  for (let block = commonBlock(before, after) + 1; block < before.history.next; block += 1) {
    for (const hash of before.history.hashes(block)) if (!isKnown(after, hash)) removed.push(hash);
  }
  for (const { record } of findDropped(before, after, pendingFrom(before, after))) {
    removed.push(record.hash);
  }
  return removed;
}

/** The newest common block. A hash covers the parent hash, so binary search finds it. */
export function commonBlock({ history: before }: World, { history: after }: World): number {
  const shared = (number: number): boolean => {
    const hash = before.hash(number);
    return hash !== undefined && hash === after.hash(number);
  };
  let low = before.first - 1;
  let high = Math.min(before.next, after.next) - 1;
  // Usually one world is a continuation of the other.
  if (shared(high)) return high;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (shared(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function findRefinalised(before: World, after: World, common: number): Range {
  const first = before.history.first;
  const [acceptedBefore, other] = [before, after].map(
    ({ acceptedOnL1 = first - 1 }) => acceptedOnL1,
  );
  const [low = first, high = first] = [acceptedBefore, other].toSorted(
    (a = first, b = first) => a - b,
  );
  // Blocks before the first one belong to the origin and have no observers.
  return { from: Math.max(low + 1, first), to: Math.min(high, common) };
}

function pendingFrom(before: World, after: World): number {
  if (pendingNumber(before) !== pendingNumber(after)) return 0;
  const old = before.pending.transactions;
  const now = after.pending.transactions;
  const lastOld = old.last();
  if (!lastOld) return 0;
  return now.get(old.size - 1)?.record.hash === lastOld.record.hash ? old.size : 0;
}

function findDropped(before: World, after: World, pendingFrom: number): readonly Located[] {
  const { transactions } = before.pending;
  // A step that only adds transactions drops none.
  if (transactions.size === 0 || pendingFrom === transactions.size) return [];
  const block = pendingNumber(before);
  return transactions
    .toArray()
    .map(({ record }, index) => ({ record, block, index }))
    .filter(({ record }) => !isKnown(after, record.hash));
}
