// Current figures of a node, for its metrics.
import type { ChainService } from '../service/chain-service.js';
import type { Instances } from '../service/instances.js';
import type { Origins } from '../service/origins.js';
import type { Figures } from '../telemetry/metrics.js';
import type { Listeners } from './listeners.js';

export function figuresOf(
  { chain, subscriptions, binding }: ChainService,
  { sockets }: Listeners,
  origins: Origins,
  instances: Pick<Instances, 'count' | 'open'>,
): Figures {
  const { history, mempool, pending, pendingState } = chain.world;
  const { waiting, snapshots } = chain.figures;
  return {
    blocks: history.next - history.first,
    transactions: history.transactionCount + pending.transactions.size,
    pendingTransactions: pending.transactions.size,
    waitingTransactions: mempool.waiting.size,
    snapshots,
    instances: instances.count,
    openInstances: instances.open,
    waitingChanges: waiting,
    waitingExecutions: chain.executions.figures.waiting,
    state: pendingState.figures(),
    subscriptions: subscriptions.counts(),
    sockets: sockets?.count ?? 0,
    unreadBytes: sockets?.unread ?? 0,
    connections: binding.server?.connections ?? 0,
    upstreamCacheSize: origins.cacheSize,
  };
}
