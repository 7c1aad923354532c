// Mempool: transactions that wait for execution, by arrival, by sender and by order of execution.
import type { Transaction } from '@starkbox/engine';
import { List, PersistentMap } from '../../immutable.js';
import { atOnce, type Steps } from '../../scheduling/slices.js';
import {
  arrivalKey,
  DEFAULT_ORDER,
  type Gate,
  isExecutable,
  type MempoolOrder,
  READY,
  readyKey,
  selectedKey,
} from './rules.js';
import { SortedMap } from './sorted-map.js';

export type PoolType = 'INVOKE' | 'DECLARE' | 'DEPLOY_ACCOUNT';

/** A transaction that was sent and not executed. */
export interface PoolTransaction {
  readonly hash: string;
  readonly type: PoolType;
  readonly sender: string;
  readonly nonce: bigint;
  readonly tip: bigint;
  /** Fri that it pays for a unit of L2 gas at most. */
  readonly maxPrice: bigint;
  /** As methods return it, without its hash: JSON text. */
  readonly transaction: string;
  readonly proofFacts: readonly string[] | undefined;
  /** The class of a DECLARE: JSON text. */
  readonly contractClass: string | undefined;
  /** Ready to run; absent for a long one and after a load, and then read from the texts. */
  readonly prepared?: Transaction | undefined;
}

/** A transaction in the pool. */
export interface QueuedTransaction extends PoolTransaction {
  /** Ascending; transactions that return come before all others. */
  readonly arrival: number;
  /** Its place among those that are selected for the block under construction. */
  readonly position: number | undefined;
  /** The round of the network from which it waits, the first by default; before a later one it is delayed. */
  readonly since?: number | undefined;
}

/** A transaction that left the pool without being executed, and why. */
export interface Dropped {
  readonly hash: string;
  readonly sender: string;
  readonly nonce: bigint;
  readonly reason: string;
}

/** The waiting transactions of one account. */
interface Sender {
  /** The nonce of the account. */
  readonly account: bigint;
  /** The nonce after those that are selected. */
  readonly next: bigint;
  /** Hashes by nonce. */
  readonly queue: SortedMap<string>;
  /** Size of its transactions together. */
  readonly size: number;
}

export interface Mempool {
  readonly order: MempoolOrder;
  readonly gate: Gate | undefined;
  /** By arrival. */
  readonly waiting: SortedMap<QueuedTransaction>;
  /** Size of those that wait, together. */
  readonly size: number;
  /** Arrivals by hash. */
  readonly arrivals: PersistentMap<string, number>;
  readonly senders: PersistentMap<string, Sender>;
  /** Hashes in the order of execution: those that are selected, then those that can be, at most one of each sender. */
  readonly upcoming: SortedMap<string>;
  /** The arrivals so far are those from `first` up to `next`. */
  readonly first: number;
  readonly next: number;
  readonly nextPosition: number;
  /** The newest ones, oldest first. */
  readonly dropped: List<Dropped>;
  /** All that left so far, also those that are forgotten. */
  readonly droppedCount: number;
}

/** In the middle of the numbers, because transactions that return are counted downwards. */
const FIRST_ARRIVAL = 2 ** 40;
/** Transactions that left and are remembered. */
const MAX_DROPPED = 10_000;
/** Reasons are cut at this length: a panic may have a text of any length. */
const MAX_REASON_LENGTH = 1000;

export const EMPTY_MEMPOOL: Mempool = {
  order: DEFAULT_ORDER,
  gate: undefined,
  waiting: new SortedMap(),
  size: 0,
  arrivals: PersistentMap(),
  senders: PersistentMap(),
  upcoming: new SortedMap(),
  first: FIRST_ARRIVAL,
  next: FIRST_ARRIVAL,
  nextPosition: 0,
  dropped: List(),
  droppedCount: 0,
};

function nonceKey(nonce: bigint): string {
  return nonce.toString(16).padStart(64, '0');
}

// Reading.

/** Length of what a transaction keeps in memory: about as many bytes. */
export function sizeOf({
  transaction,
  contractClass = '',
  proofFacts = [],
}: PoolTransaction): number {
  return proofFacts.reduce(
    (sum, fact) => sum + fact.length,
    transaction.length + contractClass.length,
  );
}

export function countSelected({ upcoming }: Mempool): number {
  return upcoming.rank(READY);
}

export function inMempool(
  { waiting, arrivals }: Mempool,
  hash: string,
): QueuedTransaction | undefined {
  const arrival = arrivals.get(hash);
  return arrival === undefined ? undefined : waiting.get(arrivalKey(arrival));
}

/** The transaction of a sender with a nonce. */
export function findByNonce(
  pool: Mempool,
  sender: string,
  nonce: bigint,
): QueuedTransaction | undefined {
  const hash = pool.senders.get(sender)?.queue.get(nonceKey(nonce));
  return hash === undefined ? undefined : inMempool(pool, hash);
}

/** Whether a transaction with a smaller nonce must arrive first. */
export function lacksNonce({ senders }: Mempool, { sender, nonce }: PoolTransaction): boolean {
  const { account = 0n, queue } = senders.get(sender) ?? {};
  return queue === undefined || BigInt(queue.rank(nonceKey(nonce))) !== nonce - account;
}

/** What the lists of dropped transactions of two pools differ in: by number, `undefined` for one that is forgotten. */
export function* droppedBetween(
  before: Mempool,
  after: Mempool,
): Generator<readonly [number: number, dropped: Dropped | undefined], void, undefined> {
  if (before.dropped === after.dropped) return;
  const firstBefore = before.droppedCount - before.dropped.size;
  const firstAfter = after.droppedCount - after.dropped.size;
  const isLonger =
    before.droppedCount > firstAfter &&
    after.dropped.get(before.droppedCount - 1 - firstAfter) === before.dropped.last();
  const start = isLonger ? before.droppedCount : firstAfter;
  const end = isLonger ? firstAfter : before.droppedCount;
  for (let number = firstBefore; number < end; number += 1) {
    if (number < firstAfter || number >= after.droppedCount) yield [number, undefined];
  }
  for (let number = start; number < after.droppedCount; number += 1) {
    const dropped = after.dropped.get(number - firstAfter);
    const earlier = number < firstBefore ? undefined : before.dropped.get(number - firstBefore);
    if (dropped !== earlier) yield [number, dropped];
  }
}

// Changes.

/** Where and when a transaction enters. */
export interface Arrival {
  readonly end?: 'last' | 'first';
  readonly since?: number | undefined;
}

/**
 * The pool with a transaction that its sender has no other of the same nonce of.
 *
 * @param account the nonce of its account
 * @param arrival one that returns comes before all others
 */
export function withWaiting(
  pool: Mempool,
  transaction: PoolTransaction,
  account: bigint,
  { end = 'last', since }: Arrival = {},
): Mempool {
  const arrival = end === 'last' ? pool.next : pool.first - 1;
  const queued = {
    ...transaction,
    arrival,
    position: undefined,
    ...(since === undefined ? {} : { since }),
  };
  return withArrived(withArrival(pool, arrival), queued, account);
}

export function withArrival(pool: Mempool, arrival: number): Mempool {
  return { ...pool, first: Math.min(pool.first, arrival), next: Math.max(pool.next, arrival + 1) };
}

export function withArrived(pool: Mempool, queued: QueuedTransaction, account: bigint): Mempool {
  const { hash, arrival, sender, nonce } = queued;
  const senderState = pool.senders.get(sender) ?? {
    account,
    next: account,
    queue: new SortedMap(),
    size: 0,
  };
  const size = sizeOf(queued);
  const grown: Mempool = {
    ...pool,
    waiting: pool.waiting.set(arrivalKey(arrival), queued),
    size: pool.size + size,
    arrivals: pool.arrivals.set(hash, arrival),
    senders: pool.senders.set(sender, {
      ...senderState,
      queue: senderState.queue.set(nonceKey(nonce), hash),
      size: senderState.size + size,
    }),
  };
  return nonce === senderState.next ? withReady(grown, sender) : grown;
}

/** Enters the next transaction of a sender into the order of execution, if the gate admits it. */
function withReady(pool: Mempool, sender: string): Mempool {
  const queued = nextOf(pool, sender);
  if (!queued || !isExecutable(pool, queued)) return pool;
  const upcoming = pool.upcoming.set(readyKey(pool.order, queued), queued.hash);
  return { ...pool, upcoming };
}

function withoutReady(pool: Mempool, sender: string): Mempool {
  const queued = nextOf(pool, sender);
  if (!queued) return pool;
  return { ...pool, upcoming: pool.upcoming.delete(readyKey(pool.order, queued)) };
}

/** The transaction of a sender after those that are selected. */
function nextOf(pool: Mempool, sender: string): QueuedTransaction | undefined {
  const senderState = pool.senders.get(sender);
  return senderState && findByNonce(pool, sender, senderState.next);
}

/** The pool with the next transaction selected, or `undefined` if none can be executed. */
export function withSelected(
  pool: Mempool,
  hash: string | undefined = pool.upcoming.first(READY),
): readonly [Mempool, QueuedTransaction] | undefined {
  const queued = hash === undefined ? undefined : inMempool(pool, hash);
  const senderState = queued && pool.senders.get(queued.sender);
  if (!queued || !senderState) return undefined;
  const { nextPosition: position } = pool;
  const chosen: QueuedTransaction = { ...queued, position };
  const freed = withoutReady(pool, queued.sender);
  const changed: Mempool = {
    ...freed,
    waiting: pool.waiting.set(arrivalKey(queued.arrival), chosen),
    upcoming: freed.upcoming.set(selectedKey(position), queued.hash),
    senders: pool.senders.set(queued.sender, { ...senderState, next: senderState.next + 1n }),
    nextPosition: position + 1,
  };
  return [withReady(changed, queued.sender), chosen];
}

/** The pool with a transaction to execute next: the first selected one, else one more is selected. */
export function withNext(pool: Mempool): readonly [Mempool, QueuedTransaction] | undefined {
  const hash = pool.upcoming.first();
  const queued = hash === undefined ? undefined : inMempool(pool, hash);
  return queued?.position === undefined ? withSelected(pool) : [pool, queued];
}

/** The pool after its block was closed: what is selected and not executed waits again. */
export function* withoutSelection(pool: Mempool): Steps<Mempool> {
  let changed = pool;
  for (const [key, hash] of pool.upcoming.from()) {
    if (key >= READY) break;
    const queued = inMempool(changed, hash);
    const senderState = queued && changed.senders.get(queued.sender);
    if (queued?.position !== undefined && senderState) {
      changed = yield* withNextNonce(changed, queued.sender, senderState, senderState.account);
    }
    yield;
  }
  return changed;
}

/** The pool without a transaction; selected ones of the same sender after it wait again. */
export function withoutWaiting(pool: Mempool, { hash, sender, nonce }: PoolTransaction): Mempool {
  const queued = inMempool(pool, hash);
  const senderState = pool.senders.get(sender);
  if (!queued || !senderState) return pool;
  const freed =
    nonce < senderState.next ? atOnce(withNextNonce(pool, sender, senderState, nonce)) : pool;
  return forget(withoutReadyOf(freed, queued), queued);
}

function withoutReadyOf(pool: Mempool, queued: QueuedTransaction): Mempool {
  return pool.senders.get(queued.sender)?.next === queued.nonce
    ? withoutReady(pool, queued.sender)
    : pool;
}

/** Removes a transaction that is neither selected nor in the order of execution. */
function forget(pool: Mempool, queued: QueuedTransaction): Mempool {
  const { hash, arrival, sender, nonce } = queued;
  const senderState = pool.senders.get(sender);
  const queue = senderState?.queue.delete(nonceKey(nonce));
  const size = sizeOf(queued);
  return {
    ...pool,
    waiting: pool.waiting.delete(arrivalKey(arrival)),
    size: pool.size - size,
    arrivals: pool.arrivals.delete(hash),
    senders:
      senderState && queue && queue.size > 0
        ? pool.senders.set(sender, { ...senderState, queue, size: senderState.size - size })
        : pool.senders.delete(sender),
  };
}

/** Sets the nonce that a sender's selection ends at: smaller than before, or that of its account. */
function* withNextNonce(
  pool: Mempool,
  sender: string,
  senderState: Sender,
  next: bigint,
): Steps<Mempool> {
  let changed = withoutReady(pool, sender);
  const end = nonceKey(senderState.next);
  for (const [key, hash] of senderState.queue.from(nonceKey(next))) {
    if (key >= end) break;
    changed = withoutPosition(changed, hash);
    yield;
  }
  changed = { ...changed, senders: changed.senders.set(sender, { ...senderState, next }) };
  return withReady(changed, sender);
}

function withoutPosition(pool: Mempool, hash: string): Mempool {
  const queued = inMempool(pool, hash);
  if (queued?.position === undefined) return pool;
  return {
    ...pool,
    waiting: pool.waiting.set(arrivalKey(queued.arrival), { ...queued, position: undefined }),
    upcoming: pool.upcoming.delete(selectedKey(queued.position)),
  };
}

/**
 * The pool without a selected transaction that was executed; the others of its sender keep their
 * places.
 */
export function withoutExecuted(pool: Mempool, executed: QueuedTransaction): Mempool {
  const senderState = pool.senders.get(executed.sender);
  if (!senderState || executed.position === undefined) return pool;
  const account = executed.nonce + 1n;
  const moved: Mempool = {
    ...pool,
    upcoming: pool.upcoming.delete(selectedKey(executed.position)),
    senders: pool.senders.set(executed.sender, { ...senderState, account }),
  };
  return forget(moved, executed);
}

/** The pool after the nonce of an account was changed; transactions below it are dropped. */
export function* withAccountNonce(pool: Mempool, sender: string, account: bigint): Steps<Mempool> {
  const senderState = pool.senders.get(sender);
  if (!senderState || senderState.account === account) return pool;
  let changed = yield* withNextNonce(
    pool,
    sender,
    { ...senderState, account },
    senderState.account,
  );
  const end = nonceKey(account);
  for (const [key, hash] of senderState.queue.from()) {
    if (key >= end) break;
    const outdated = inMempool(changed, hash);
    if (outdated)
      changed = withDropped(changed, outdated, `The nonce of the account is already ${account}.`);
    yield;
  }
  const remaining = changed.senders.get(sender);
  return remaining ? yield* withNextNonce(changed, sender, remaining, account) : changed;
}

/** The pool without a transaction, which is remembered with the reason. */
export function withDropped(pool: Mempool, transaction: PoolTransaction, reason: string): Mempool {
  const { hash, sender, nonce } = transaction;
  const entry = { hash, sender, nonce, reason: reason.slice(0, MAX_REASON_LENGTH) };
  const dropped = pool.dropped.push(entry);
  return {
    ...withoutWaiting(pool, transaction),
    dropped: dropped.size > MAX_DROPPED ? dropped.shift() : dropped,
    droppedCount: pool.droppedCount + 1,
  };
}

/** No transaction waits; the order and the dropped ones stay. */
export function withoutAll(pool: Mempool): Mempool {
  const { order, first, next, nextPosition, dropped, droppedCount } = pool;
  return { ...EMPTY_MEMPOOL, order, first, next, nextPosition, dropped, droppedCount };
}
