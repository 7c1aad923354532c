// Restoring of a mempool from a file or a data directory.
import { List } from '../../immutable.js';
import { Slices } from '../../scheduling/slices.js';
import {
  type Dropped,
  EMPTY_MEMPOOL,
  findByNonce,
  type Mempool,
  type QueuedTransaction,
  withArrival,
  withArrived,
  withDropped,
  withoutAll,
  withSelected,
} from './mempool.js';
import { arrivalKey } from './rules.js';

/** A pool of stored transactions, for `settleMempool`: the nonces of their accounts are unknown. */
export function restoreMempool(
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
export async function settleMempool(
  restored: Mempool,
  nonceAt: (address: string) => Promise<string>,
): Promise<Mempool> {
  const { first, next } = restored;
  let pool: Mempool = { ...withoutAll(restored), first, next };
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
