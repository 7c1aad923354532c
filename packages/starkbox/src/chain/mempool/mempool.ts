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
  /** Fri that it pays for a unit of L2 gas at most. */
  readonly maxPrice: bigint;
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
  /** The round of the network from which it waits, the first by default; before a later one it is delayed. */
  readonly since?: number | undefined;
}

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

/** The indexes that a gate needs. Each has hashes. */
interface Gated extends Gate {
  /** Delayed ones that have the next nonce, by round. */
  readonly delayed: SortedMap<string>;
  /** Those that have the next nonce and do not pay the price, by the price that they pay. */
  readonly underpriced: SortedMap<string>;
  /** Those that can be selected, by the price that they pay. */
  readonly prices: SortedMap<string>;
  /** All of them, by the round from which they wait. */
  readonly ages: SortedMap<string>;
}

export interface Mempool {
  readonly order: MempoolOrder;
  readonly gated: Gated | undefined;
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
  /** All that left so far, also those that are forgotten. */
  readonly droppedCount: number;
}

/** In the middle of the numbers, because transactions that return are counted downwards. */
const FIRST_ARRIVAL = 2 ** 40;
/** Transactions that left and are remembered. */
const MOST_DROPPED = 10_000;
/** Reasons are cut at this length: a panic may have a text of any length. */
const LONGEST_REASON = 1000;

export const DEFAULT_ORDER: MempoolOrder = { kind: 'fifo', seed: 0 };

export const EMPTY_MEMPOOL: Mempool = {
  order: DEFAULT_ORDER,
  gated: undefined,
  waiting: new SortedMap(),
  arrivals: PersistentMap(),
  senders: PersistentMap(),
  ready: new SortedMap(),
  selected: new SortedMap(),
  first: FIRST_ARRIVAL,
  next: FIRST_ARRIVAL,
  nextPosition: 0,
  dropped: List(),
  droppedCount: 0,
};

// Keys that compare like what they stand for.

export function arrivalKey(arrival: number): string {
  return String(arrival).padStart(16, '0');
}

function nonceKey(nonce: bigint): string {
  return nonce.toString(16).padStart(64, '0');
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
  { arrival, tip, hash }: QueuedTransaction,
): string {
  const last = arrivalKey(arrival);
  if (kind === 'fifo') return last;
  if (kind === 'list') return `${arrivalKey(positionIn(list, hash))} ${last}`;
  if (kind === 'tip') return `${String(LARGEST_TIP - tip).padStart(20, '0')} ${last}`;
  return `${poseidon([hex(seed), hash])
    .slice(2)
    .padStart(64, '0')} ${last}`;
}

function ageKey({ since = 0, arrival }: QueuedTransaction): string {
  return `${arrivalKey(since)} ${arrivalKey(arrival)}`;
}

const PRICE_DIGITS = 39;

function priceKey({ maxPrice, arrival }: QueuedTransaction): string {
  return `${String(maxPrice).padStart(PRICE_DIGITS, '0')} ${arrivalKey(arrival)}`;
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

/** Whether it cannot be executed before a later round of the network. */
export function isDelayed({ gated }: Mempool, { since = 0 }: QueuedTransaction): boolean {
  return gated !== undefined && since > gated.round;
}

/** Whether it waits until the price falls. */
export function isUnderpriced({ gated }: Mempool, { maxPrice }: QueuedTransaction): boolean {
  return gated?.price !== undefined && maxPrice < gated.price;
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

// Rules.

/** The same pool under other rules: what changes takes logarithmic time for each transaction that it affects. */
export function* underRules(pool: Mempool, { order, gate }: PoolRules): Steps<Mempool> {
  const ordered = yield* inOrder(pool, order);
  if (!gate) return ordered.gated ? yield* withoutGate(ordered) : ordered;
  return ordered.gated
    ? yield* movedTo(ordered, ordered.gated, gate)
    : yield* withGate(ordered, gate);
}

function* inOrder(pool: Mempool, order: MempoolOrder): Steps<Mempool> {
  const { kind, seed, list } = pool.order;
  if (kind === order.kind && seed === order.seed && list === order.list) return pool;
  let ready = new SortedMap<string>();
  for (const [, hash] of pool.ready.from()) {
    const queued = inMempool(pool, hash);
    if (queued) ready = ready.set(orderKey(order, queued), hash);
    yield;
  }
  return { ...pool, order, ready };
}

function* withGate(pool: Mempool, gate: Gate): Steps<Mempool> {
  const none = new SortedMap<string>();
  let ages = none;
  for (const [, queued] of pool.waiting.from()) {
    ages = ages.set(ageKey(queued), queued.hash);
    yield;
  }
  const gated: Gated = { ...gate, delayed: none, underpriced: none, prices: none, ages };
  return yield* enteredAgain({ ...pool, ready: none, gated }, pool.ready);
}

function* withoutGate(pool: Mempool): Steps<Mempool> {
  const { gated } = pool;
  let { waiting } = pool;
  for (const [key, { since, ...queued }] of pool.waiting.from()) {
    // The next network counts its rounds from zero.
    if (since !== undefined) waiting = waiting.set(key, queued);
    yield;
  }
  const open = yield* enteredAgain(
    { ...pool, waiting, gated: undefined },
    gated?.delayed ?? new SortedMap(),
  );
  return yield* enteredAgain(open, gated?.underpriced ?? new SortedMap());
}

function* movedTo(pool: Mempool, gated: Gated, { round, price }: Gate): Steps<Mempool> {
  if (gated.round === round && gated.price === price) return pool;
  let moved: Mempool = { ...pool, gated: { ...gated, round, price } };
  moved = yield* enteredAgain(moved, gated.delayed, { end: arrivalKey(round + 1) });
  if (gated.price === price) return moved;
  const key = String(price ?? 0n).padStart(PRICE_DIGITS, '0');
  moved = yield* enteredAgain(moved, gated.underpriced, { start: key });
  return yield* enteredAgain(moved, gated.prices, { end: key });
}

/** Enters transactions of an index into those that the rules demand now. */
function* enteredAgain(
  pool: Mempool,
  hashes: SortedMap<string>,
  { start, end }: { readonly start?: string; readonly end?: string } = {},
): Steps<Mempool> {
  let changed = pool;
  for (const [key, hash] of hashes.from(start)) {
    if (end !== undefined && key >= end) break;
    const queued = inMempool(changed, hash);
    if (queued) changed = withEntered(withoutEntered(changed, queued), queued);
    yield;
  }
  return changed;
}

/** The pool after its block was closed: what is selected and not executed waits again. */
export function* unselected(pool: Mempool): Steps<Mempool> {
  let changed = pool;
  for (const [, hash] of pool.selected.from()) {
    const queued = inMempool(changed, hash);
    const senderState = queued && changed.senders.get(queued.sender);
    if (queued?.position !== undefined && senderState) {
      changed = yield* withNextNonce(changed, queued.sender, senderState, senderState.account);
    }
    yield;
  }
  return changed;
}

/** The pool without those that have waited for so many rounds. */
export function* withoutExpired(pool: Mempool, lifetime: number, reason: string): Steps<Mempool> {
  const { gated } = pool;
  if (!gated || gated.round < lifetime) return pool;
  let changed = pool;
  const end = arrivalKey(gated.round - lifetime + 1);
  for (const [key, hash] of gated.ages.from()) {
    if (key >= end) break;
    const queued = inMempool(changed, hash);
    if (queued) changed = withDropped(changed, queued, reason);
    yield;
  }
  return changed;
}

// Changes.

/** Where and when a transaction enters. */
export interface Place {
  readonly end?: 'last' | 'first';
  readonly since?: number | undefined;
}

/**
 * The pool with a transaction that its sender has no other of the same nonce of.
 *
 * @param account the nonce of its account
 * @param place where it enters; one that returns is put before all others
 */
export function withWaiting(
  pool: Mempool,
  transaction: PoolTransaction,
  account: bigint,
  { end = 'last', since }: Place = {},
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
    gated: pool.gated && { ...pool.gated, ages: pool.gated.ages.set(ageKey(queued), hash) },
  };
  return nonce === senderState.next ? withReady(grown, sender) : grown;
}

/** Enters the next transaction of a sender into the order of execution. */
function withReady(pool: Mempool, sender: string): Mempool {
  const senderState = pool.senders.get(sender);
  const queued = senderState && findByNonce(pool, sender, senderState.next);
  return queued ? withEntered(pool, queued) : pool;
}

function withoutReady(pool: Mempool, sender: string): Mempool {
  const senderState = pool.senders.get(sender);
  const queued = senderState && findByNonce(pool, sender, senderState.next);
  return queued ? withoutEntered(pool, queued) : pool;
}

/** Enters a transaction that has the next nonce: it can be selected, or waits for a round or a price. */
function withEntered(pool: Mempool, queued: QueuedTransaction): Mempool {
  const { gated } = pool;
  const { hash } = queued;
  if (gated && isDelayed(pool, queued)) {
    return { ...pool, gated: { ...gated, delayed: gated.delayed.set(ageKey(queued), hash) } };
  }
  if (gated && isUnderpriced(pool, queued)) {
    const underpriced = gated.underpriced.set(priceKey(queued), hash);
    return { ...pool, gated: { ...gated, underpriced } };
  }
  return {
    ...pool,
    ready: pool.ready.set(orderKey(pool.order, queued), hash),
    gated: gated && { ...gated, prices: gated.prices.set(priceKey(queued), hash) },
  };
}

function withoutEntered(pool: Mempool, queued: QueuedTransaction): Mempool {
  const { gated } = pool;
  return {
    ...pool,
    ready: pool.ready.delete(orderKey(pool.order, queued)),
    gated: gated && {
      ...gated,
      delayed: gated.delayed.delete(ageKey(queued)),
      underpriced: gated.underpriced.delete(priceKey(queued)),
      prices: gated.prices.delete(priceKey(queued)),
    },
  };
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
function forgotten(pool: Mempool, queued: QueuedTransaction): Mempool {
  const { hash, arrival, sender, nonce } = queued;
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
    gated: pool.gated && { ...pool.gated, ages: pool.gated.ages.delete(ageKey(queued)) },
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
    droppedCount: pool.droppedCount + 1,
  };
}

/** No transaction waits; the order and the dropped ones stay. */
export function cleared(pool: Mempool): Mempool {
  const { order, first, next, nextPosition, dropped, droppedCount } = pool;
  return { ...EMPTY_MEMPOOL, order, first, next, nextPosition, dropped, droppedCount };
}

/** A pool of stored transactions, for `settledMempool`: the nonces of their accounts are unknown. */
export function restoredMempool(
  waiting: readonly QueuedTransaction[],
  dropped: readonly Dropped[],
  droppedCount: number = dropped.length,
): Mempool {
  let pool: Mempool = { ...EMPTY_MEMPOOL, dropped: List(dropped), droppedCount };
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
