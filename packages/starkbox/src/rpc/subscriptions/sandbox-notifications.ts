// Notifications of what happens to the sandbox beside blocks, and its heartbeat.
import { toFelt } from '@starkbox/abi/basics';
import type { SANDBOX_NOTIFICATION } from '@starkbox/spec';
import type { Chain } from '../../chain/chain.js';
import type { Transition, WorldAndSnapshots } from '../../chain/world/chain-store.js';
import { commonBlock, removedTransactions } from '../../chain/world/diff.js';
import { latestHeader, pendingNumber } from '../../chain/world/find-block.js';
import { nextTime, type World } from '../../chain/world/world.js';
import { stringify } from '../../json/json.js';
import type { Subscriptions } from './subscriptions.js';

type Event = Pick<SANDBOX_NOTIFICATION, 'event' | 'detail'>;

type Removed = {
  readonly removed_transactions: number;
  readonly transaction_hashes?: readonly string[];
};

const BEAT_MILLISECONDS = 2000;
/** Removed transactions are named up to this many; of more there is the count alone. */
const MAX_HASHES = 100;

/** Notifies subscribers of what happens to the sandbox; without subscribers, nothing is compared. */
export class SandboxNotifications {
  readonly #chain: Chain;
  readonly #subscriptions: Subscriptions;
  readonly #instances: () => number;
  #beating: NodeJS.Timeout | undefined;

  /** @param instances how many instances the node has */
  constructor(chain: Chain, subscriptions: Subscriptions, instances: () => number) {
    this.#chain = chain;
    this.#subscriptions = subscriptions;
    this.#instances = instances;
  }

  /** There is a subscriber now. */
  begin(): void {
    this.#notify(this.#chain.world, { event: 'beat' });
    this.#beating ??= setInterval(() => this.#beat(), BEAT_MILLISECONDS).unref();
  }

  #beat(): void {
    if (this.#subscriptions.has('sandbox')) {
      this.#notify(this.#chain.world, { event: 'beat' });
      return;
    }
    clearInterval(this.#beating);
    this.#beating = undefined;
  }

  /** Ends the heartbeat. */
  close(): void {
    clearInterval(this.#beating);
    this.#beating = undefined;
  }

  /** Contracts may have other names now. */
  artifactAdded(): void {
    if (this.#subscriptions.has('sandbox')) this.#notify(this.#chain.world, { event: 'artifact' });
  }

  notifyOf(turn: Transition): void {
    if (!this.#subscriptions.has('sandbox')) return;
    for (const event of eventsOf(turn)) this.#notify(turn.after.world, event);
  }

  #notify(world: World, event: Event): void {
    this.#subscriptions.later(() => {
      const { number, hash } = latestHeader(world);
      const text = stringify({
        ...event,
        head: { block_number: number, block_hash: hash },
        pending: world.pending.transactions.size,
        chain_time: nextTime(world),
        instances: this.#instances(),
      } satisfies SANDBOX_NOTIFICATION);
      this.#subscriptions.notify({ topic: 'sandbox', text: () => text });
    });
  }
}

/** What happened between two states of a chain beside new blocks and transactions. */
function eventsOf({ kind, before, after }: Transition): readonly Event[] {
  if (kind === 'restart' || kind === 'load') {
    return [{ event: kind, detail: removedBetween(before.world, after.world) }];
  }
  if (kind === 'revert') return [revertOf(before, after)];
  return [
    ...newIds(before, after).map((id): Event => {
      const name = after.snapshots.get(id)?.name;
      const note = name === undefined ? {} : { name };
      return { event: 'snapshot', detail: { snapshot_id: toFelt(id), ...note } };
    }),
    ...newIds(after, before).map(
      (id): Event => ({ event: 'snapshot_deleted', detail: { snapshot_id: toFelt(id) } }),
    ),
    ...(before.world === after.world ? [] : changesOf(before.world, after.world)),
  ];
}

/** Snapshots that one moment has and another one lacks. */
function newIds(before: WorldAndSnapshots, after: WorldAndSnapshots): readonly bigint[] {
  if (before.snapshots === after.snapshots) return [];
  return [...after.snapshots.keys()].filter((id) => !before.snapshots.has(id));
}

function revertOf(before: WorldAndSnapshots, after: WorldAndSnapshots): Event {
  const [first] = newIds(after, before).toSorted((id, other) => (id < other ? -1 : 1));
  const snapshot = first === undefined ? {} : { snapshot_id: toFelt(first) };
  return {
    event: 'revert',
    detail: { ...snapshot, ...removedBetween(before.world, after.world) },
  };
}

/** How many transactions are gone, and which, if they are few. */
function removedBetween(before: World, after: World): Removed {
  const hashes = removedTransactions(before, after);
  return {
    removed_transactions: hashes.length,
    ...(hashes.length > MAX_HASHES ? {} : { transaction_hashes: hashes }),
  };
}

function changesOf(before: World, after: World): readonly Event[] {
  const events: Event[] = [];
  const undone = undoneFrom(before, after);
  const removed = undone !== undefined || hasDropped(before, after);
  if (removed) {
    const from_block = undone ?? pendingNumber(before);
    events.push({ event: 'abort', detail: { from_block, ...removedBetween(before, after) } });
  }
  // A block takes an exact time with it, and a reorganisation delays the next one.
  const isExact =
    undone === undefined && (after.clock.exact ?? before.clock.exact) !== before.clock.exact;
  if (before.clock.offset !== after.clock.offset || isExact) {
    events.push({ event: 'time', detail: { offset: after.clock.offset } });
  }
  if (before.gas.next !== after.gas.next && !isMarketMove(before, after))
    events.push({ event: 'gas', detail: { ...after.gas.next } });
  if (before.network?.conditions !== after.network?.conditions) events.push({ event: 'network' });
  if (before.blocks !== after.blocks || before.clock.step !== after.clock.step) {
    events.push({ event: 'blocks' });
  }
  if (before.impersonation !== after.impersonation) {
    const { accounts, auto } = after.impersonation;
    events.push({ event: 'impersonation', detail: { accounts: accounts.toArray(), auto } });
  }
  if (before.labels !== after.labels) events.push({ event: 'label' });
  const { acceptedOnL1 } = after;
  const isLowered = (acceptedOnL1 ?? -1) < (before.acceptedOnL1 ?? -1);
  // An abort lowers it with the removed blocks.
  if (before.acceptedOnL1 !== acceptedOnL1 && (undone === undefined || !isLowered)) {
    events.push({ event: 'accepted_on_l1', detail: { block_number: acceptedOnL1 ?? null } });
  }
  if (isWritten(before, after)) events.push({ event: 'state' });
  const isSame =
    before.mempool.waiting === after.mempool.waiting &&
    before.mempool.dropped === after.mempool.dropped;
  if (!isSame) events.push(mempoolOf(before, after));
  return events;
}

/** Whether prices may have changed by the rule of the fee market, as they do with each block. */
function isMarketMove(before: World, after: World): boolean {
  const isMarket = after.network !== undefined && after.network.conditions.gas_market !== false;
  return isMarket && before.history !== after.history;
}

/** What waits now, and which transactions were dropped. */
function mempoolOf({ mempool: before }: World, { mempool: after }: World): Event {
  const { size } = after.waiting;
  if (before.dropped === after.dropped) return { event: 'mempool', detail: { size } };
  const count = Math.max(0, after.droppedCount - before.droppedCount);
  const dropped = after.dropped
    .takeLast(count)
    .map(({ hash, reason }) => ({ transaction_hash: hash, reason }))
    .toArray();
  return { event: 'mempool', detail: { size, dropped } };
}

/** The first block that is gone, if any is. */
function undoneFrom(before: World, after: World): number | undefined {
  const common = commonBlock(before, after);
  return common + 1 < before.history.next ? common + 1 : undefined;
}

/** Whether transactions that waited for a block are gone, and no block came of them. */
function hasDropped(before: World, after: World): boolean {
  return (
    pendingNumber(before) === pendingNumber(after) &&
    before.pending.transactions.size > after.pending.transactions.size
  );
}

/** Whether the state was changed by no transaction and no block. */
function isWritten(before: World, after: World): boolean {
  return (
    before.pendingState !== after.pendingState &&
    before.latestState === after.latestState &&
    before.pending === after.pending
  );
}
