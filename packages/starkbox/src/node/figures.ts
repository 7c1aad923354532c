// Current figures of a node, for its metrics.
import type { Chain } from '../chain/chain.js';
import type { Subscriptions } from '../rpc/subscriptions/subscriptions.js';
import type { Figures } from '../telemetry/metrics.js';
import type { Binding } from './binding.js';
import type { Listeners } from './listeners.js';
import type { Origins } from './origins.js';

export interface MeasuredParts {
  readonly chain: Chain;
  readonly subscriptions: Subscriptions;
  readonly listeners: Listeners;
  readonly binding: Binding;
  readonly origins: Origins;
}

export function figuresOf(parts: MeasuredParts): Figures {
  const { chain, subscriptions, listeners, binding, origins } = parts;
  const { history, pending, pendingState } = chain.world;
  const { waiting, snapshots } = chain.figures;
  const { sockets, budget } = listeners;
  return {
    blocks: history.next - history.first,
    transactions: history.transactionCount + pending.transactions.size,
    pendingTransactions: pending.transactions.size,
    snapshots,
    waitingChanges: waiting,
    waitingExecutions: chain.executions.figures.waiting,
    state: pendingState.figures(),
    subscriptions: subscriptions.counts(),
    sockets: sockets?.count ?? 0,
    queuedMessages: sockets?.queued.messages ?? 0,
    queuedBytes: sockets?.queued.bytes ?? 0,
    connections: binding.server?.connections ?? 0,
    clientBytes: budget.held,
    upstreamCacheSize: origins.cacheSize,
  };
}
