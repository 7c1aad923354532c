// Changes of a mempool when the order, the round or the price changes: one pass over it for each block.
import type { Steps } from '../../scheduling/slices.js';
import { type Mempool, type QueuedTransaction, withDropped } from './mempool.js';
import { isExecutable, type MempoolOrder, type PoolRules, readyKey } from './rules.js';

/** The same pool under other rules. */
export function* underRules(pool: Mempool, { order, gate }: PoolRules): Steps<Mempool> {
  const isReordered = !isSameOrder(pool.order, order);
  const isSameGate = pool.gate?.round === gate?.round && pool.gate?.price === gate?.price;
  if (!isReordered && isSameGate) return pool;
  let { waiting, upcoming } = pool;
  for (const [key, queued] of pool.waiting.from()) {
    if (!gate && queued.since !== undefined) {
      // The next network counts its rounds from zero.
      const { since: _since, ...undelayed } = queued;
      waiting = waiting.set(key, undelayed);
    }
    if (pool.senders.get(queued.sender)?.next === queued.nonce) {
      const [was, is] = [isExecutable(pool, queued), isExecutable({ gate }, queued)];
      if (was && (isReordered || !is)) upcoming = upcoming.delete(readyKey(pool.order, queued));
      if (is && (isReordered || !was))
        upcoming = upcoming.set(readyKey(order, queued), queued.hash);
    }
    yield;
  }
  return { ...pool, order, gate, waiting, upcoming };
}

function isSameOrder(first: MempoolOrder, second: MempoolOrder): boolean {
  return first.kind === second.kind && first.seed === second.seed && first.list === second.list;
}

/** The pool without those that have waited for so many rounds. */
export function* withoutExpired(pool: Mempool, lifetime: number, reason: string): Steps<Mempool> {
  const { gate } = pool;
  if (!gate || gate.round < lifetime) return pool;
  const expired: QueuedTransaction[] = [];
  for (const [, queued] of pool.waiting.from()) {
    if (gate.round - (queued.since ?? 0) >= lifetime) expired.push(queued);
    yield;
  }
  let changed = pool;
  for (const queued of expired.sort(bySince)) {
    changed = withDropped(changed, queued, reason);
    yield;
  }
  return changed;
}

function bySince(first: QueuedTransaction, second: QueuedTransaction): number {
  return (first.since ?? 0) - (second.since ?? 0);
}
