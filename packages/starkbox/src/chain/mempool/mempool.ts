// Mempool: transactions that wait for execution, by arrival, by sender and by order of execution.
import { poseidon, type Transaction } from '@starkbox/engine';
import { hex } from '../../felt.js';
import { List, PersistentMap } from '../../immutable.js';
import { atOnce, Slices, type Steps } from '../../scheduling/slices.js';
import { SortedMap } from './sorted-map.js';

export type PoolType = 'INVOKE' | 'DECLARE' | 'DEPLOY_ACCOUNT';

/** A transaction that was sent and not executed. */
export interface PoolTransaction {
  readonly hash: string;
  readonly type: PoolType;
  readonly sender: string;
  readonly nonce: bigint;
  readonly tip: bigint;
  /** As methods return it, without its hash: JSON text. */
  readonly transaction: string;
  readonly proofFacts: readonly string[] | undefined;
  /** The class of a DECLARE: JSON text. */
  readonly contractClass: string | undefined;
  /** Ready to run; absent after a load, and then read from the texts. */
  readonly prepared?: Transaction | undefined;
}

/** A transaction in the pool. */
export interface QueuedTransaction extends PoolTransaction {
  /** Ascending; transactions that return come before all others. */
  readonly arrival: number;
  /** Its place among those that are selected for the block under construction. */
  readonly position: number | undefined;
}

/** Which of the executable transactions is next. */
export interface MempoolOrder {
  readonly kind: 'fifo' | 'tip' | 'random';
  readonly seed: number;
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
}

export interface Mempool {
  readonly order: MempoolOrder;
  /** By arrival. */
  readonly waiting: SortedMap<QueuedTransaction>;
  /** Arrivals by hash. */
  readonly arrivals: PersistentMap<string, number>;
  readonly senders: PersistentMap<string, Sender>;
  /** Hashes of those that can be selected, at most one of each sender, by order of execution. */
  readonly ready: SortedMap<string>;
  /** Hashes of those that are selected, by position. */
  readonly selected: SortedMap<string>;
  /** The arrivals so far are those from `first` up to `next`. */
  readonly first: number;
  readonly next: number;
  readonly nextPosition: number;
  /** The newest ones, oldest first. */
  readonly dropped: List<Dropped>;
}

/** In the middle of the numbers, because transactions that return are counted downwards. */
const FIRST_ARRIVAL = 2 ** 40;
/** Transactions that left and are remembered. */
const MOST_DROPPED = 100;
/** Reasons are cut at this length: a panic may have a text of any length. */
const LONGEST_REASON = 1000;

export const DEFAULT_ORDER: MempoolOrder = { kind: 'fifo', seed: 0 };

export const EMPTY_MEMPOOL: Mempool = {
  order: DEFAULT_ORDER,
  waiting: new SortedMap(),
  arrivals: PersistentMap(),
  senders: PersistentMap(),
  ready: new SortedMap(),
  selected: new SortedMap(),
  first: FIRST_ARRIVAL,
  next: FIRST_ARRIVAL,
  nextPosition: 0,
  dropped: List(),
};

// Keys that compare like what they stand for.

export function arrivalKey(arrival: number): string {
  return String(arrival).padStart(16, '0');
}

function nonceKey(nonce: bigint): string {
  return nonce.toString(16).padStart(64, '0');
}

const LARGEST_TIP = 2n ** 64n - 1n;

function orderKey({ kind, seed }: MempoolOrder, { arrival, tip, hash }: QueuedTransaction): string {
  const last = arrivalKey(arrival);
  if (kind === 'fifo') return last;
  if (kind === 'tip') return `${String(LARGEST_TIP - tip).padStart(20, '0')} ${last}`;
  return `${poseidon([hex(seed), hash])
    .slice(2)
    .padStart(64, '0')} ${last}`;
}

// Reading.

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

// Changes.

/** The same pool with another order of execution. */
export function* inOrder(pool: Mempool, order: MempoolOrder): Steps<Mempool> {
  const { kind, seed } = pool.order;
  if (kind === order.kind && seed === order.seed) return pool;
  let ready = new SortedMap<string>();
  for (const [, hash] of pool.ready.from()) {
    const queued = inMempool(pool, hash);
    if (queued) ready = ready.set(orderKey(order, queued), hash);
    yield;
  }
  return { ...pool, order, ready };
}

/**
 * The pool with a transaction that its sender has no other of the same nonce of.
 *
 * @param account the nonce of its account
 * @param end where it enters; one that returns is put before all others
 */
export function withWaiting(
  pool: Mempool,
  transaction: PoolTransaction,
  account: bigint,
  end: 'last' | 'first' = 'last',
): Mempool {
  const arrival = end === 'last' ? pool.next : pool.first - 1;
  const queued = { ...transaction, arrival, position: undefined };
  return withArrived(withArrival(pool, arrival), queued, account);
}

function withArrival(pool: Mempool, arrival: number): Mempool {
  return { ...pool, first: Math.min(pool.first, arrival), next: Math.max(pool.next, arrival + 1) };
}

function withArrived(pool: Mempool, queued: QueuedTransaction, account: bigint): Mempool {
  const { hash, arrival, sender, nonce } = queued;
  const senderState = pool.senders.get(sender) ?? {
    account,
    next: account,
    queue: new SortedMap(),
  };
  const grown: Mempool = {
    ...pool,
    waiting: pool.waiting.set(arrivalKey(arrival), queued),
    arrivals: pool.arrivals.set(hash, arrival),
    senders: pool.senders.set(sender, {
      ...senderState,
      queue: senderState.queue.set(nonceKey(nonce), hash),
    }),
  };
  return nonce === senderState.next ? withReady(grown, sender) : grown;
}

/** Enters the next transaction of a sender into the order of execution. */
function withReady(pool: Mempool, sender: string): Mempool {
  const senderState = pool.senders.get(sender);
  const queued = senderState && findByNonce(pool, sender, senderState.next);
  return queued
    ? { ...pool, ready: pool.ready.set(orderKey(pool.order, queued), queued.hash) }
    : pool;
}

function withoutReady(pool: Mempool, sender: string): Mempool {
  const senderState = pool.senders.get(sender);
  const queued = senderState && findByNonce(pool, sender, senderState.next);
  return queued ? { ...pool, ready: pool.ready.delete(orderKey(pool.order, queued)) } : pool;
}

/** The pool with the next transaction selected, or `undefined` if none can be executed. */
export function withSelected(
  pool: Mempool,
  hash: string | undefined = pool.ready.first(),
): readonly [Mempool, QueuedTransaction] | undefined {
  const queued = hash === undefined ? undefined : inMempool(pool, hash);
  const senderState = queued && pool.senders.get(queued.sender);
  if (!queued || !senderState) return undefined;
  const { nextPosition: position } = pool;
  const chosen: QueuedTransaction = { ...queued, position };
  const changed: Mempool = {
    ...withoutReady(pool, queued.sender),
    waiting: pool.waiting.set(arrivalKey(queued.arrival), chosen),
    selected: pool.selected.set(arrivalKey(position), queued.hash),
    senders: pool.senders.set(queued.sender, { ...senderState, next: senderState.next + 1n }),
    nextPosition: position + 1,
  };
  return [withReady(changed, queued.sender), chosen];
}

/** The pool with a transaction to execute next: the first selected one, else one more is selected. */
export function withNext(pool: Mempool): readonly [Mempool, QueuedTransaction] | undefined {
  const hash = pool.selected.first();
  const queued = hash === undefined ? undefined : inMempool(pool, hash);
  return queued ? [pool, queued] : withSelected(pool);
}

/** The pool without a transaction; selected ones of the same sender after it wait again. */
export function withoutWaiting(pool: Mempool, { hash, sender, nonce }: PoolTransaction): Mempool {
  const queued = inMempool(pool, hash);
  const senderState = pool.senders.get(sender);
  if (!queued || !senderState) return pool;
  const freed =
    nonce < senderState.next ? atOnce(withNextNonce(pool, sender, senderState, nonce)) : pool;
  return forgotten(withoutReadyOf(freed, queued), queued);
}

function withoutReadyOf(pool: Mempool, queued: QueuedTransaction): Mempool {
  return pool.senders.get(queued.sender)?.next === queued.nonce
    ? withoutReady(pool, queued.sender)
    : pool;
}

/** Removes a transaction that is neither selected nor in the order of execution. */
function forgotten(pool: Mempool, { hash, arrival, sender, nonce }: QueuedTransaction): Mempool {
  const senderState = pool.senders.get(sender);
  const queue = senderState?.queue.delete(nonceKey(nonce));
  return {
    ...pool,
    waiting: pool.waiting.delete(arrivalKey(arrival)),
    arrivals: pool.arrivals.delete(hash),
    senders:
      senderState && queue && queue.size > 0
        ? pool.senders.set(sender, { ...senderState, queue })
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
    selected: pool.selected.delete(arrivalKey(queued.position)),
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
    selected: pool.selected.delete(arrivalKey(executed.position)),
    senders: pool.senders.set(executed.sender, { ...senderState, account }),
  };
  return forgotten(moved, executed);
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
  const entry = { hash, sender, nonce, reason: reason.slice(0, LONGEST_REASON) };
  const dropped = pool.dropped.push(entry);
  return {
    ...withoutWaiting(pool, transaction),
    dropped: dropped.size > MOST_DROPPED ? dropped.shift() : dropped,
  };
}

/** No transaction waits; the order and the dropped ones stay. */
export function cleared(pool: Mempool): Mempool {
  const { order, first, next, nextPosition, dropped } = pool;
  return { ...EMPTY_MEMPOOL, order, first, next, nextPosition, dropped };
}

/** A pool of stored transactions, for `settledMempool`: the nonces of their accounts are unknown. */
export function restoredMempool(
  waiting: readonly QueuedTransaction[],
  dropped: readonly Dropped[],
): Mempool {
  let pool: Mempool = { ...EMPTY_MEMPOOL, dropped: List(dropped) };
  for (const queued of waiting) {
    pool = {
      ...withArrival(pool, queued.arrival),
      waiting: pool.waiting.set(arrivalKey(queued.arrival), queued),
      arrivals: pool.arrivals.set(queued.hash, queued.arrival),
    };
  }
  if (pool.arrivals.size !== waiting.length || pool.waiting.size !== waiting.length) {
    throw new TypeError('mempool: expected each transaction once');
  }
  return pool;
}

/** A restored pool on a state; transactions that no longer fit it are dropped. */
export async function settledMempool(
  restored: Mempool,
  nonceAt: (address: string) => Promise<string>,
): Promise<Mempool> {
  const { first, next } = restored;
  let pool: Mempool = { ...cleared(restored), first, next };
  const chosen: QueuedTransaction[] = [];
  const slices = new Slices();
  for (const [, queued] of restored.waiting.from()) {
    if (slices.isOver) await slices.next();
    const { account = BigInt(await nonceAt(queued.sender)) } =
      pool.senders.get(queued.sender) ?? {};
    if (queued.nonce < account || findByNonce(pool, queued.sender, queued.nonce)) {
      pool = withDropped(
        pool,
        queued,
        `It does not match the account's nonce, which is ${account}.`,
      );
      continue;
    }
    pool = withArrived(pool, { ...queued, position: undefined }, account);
    if (queued.position !== undefined) chosen.push(queued);
  }
  for (const { hash, sender, nonce, position = 0 } of chosen.sort(byPosition)) {
    if (slices.isOver) await slices.next();
    if (pool.senders.get(sender)?.next !== nonce) continue;
    // The same position as before: a store writes only what changes, so it keeps that of old ones.
    pool = withSelected({ ...pool, nextPosition: position }, hash)?.[0] ?? pool;
  }
  return pool;
}

function byPosition(
  { position: first = 0 }: QueuedTransaction,
  { position: other = 0 }: QueuedTransaction,
): number {
  return first - other;
}
