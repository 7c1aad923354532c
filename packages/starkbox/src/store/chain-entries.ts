// Entries of one chain in the database, besides those of its blocks.
import { droppedBetween, EMPTY_MEMPOOL, type Mempool } from '../chain/mempool/mempool.js';
import type { SnapshotNote, Transition, WorldAndSnapshots } from '../chain/world/chain-store.js';
import { labelsToJson, NO_LABELS } from '../chain/world/labels.js';
import { droppedToJson, waitingToJson } from '../chain/world/mempool-json.js';
import { messagesToJson, NO_MESSAGES } from '../chain/world/messages.js';
import { NOTHING_PENDING, type World } from '../chain/world/world.js';
import { includedToJson } from '../chain/world/world-json.js';
import { stringify } from '../json/json.js';
import type { ChainPosition } from './blocks/branches.js';
import type { Entry } from './database/database.js';
import type { ChainKeys } from './database/keys.js';
import { type HeadRecord, positionRecord, type SnapshotRecord } from './records.js';

export interface StoredSnapshot {
  readonly world: World;
  readonly position: ChainPosition;
  readonly note: SnapshotNote;
}

export class ChainEntries {
  readonly #keys: ChainKeys;

  constructor(keys: ChainKeys) {
    this.#keys = keys;
  }

  /** The pending block's transactions from an index on. */
  *transactions({ pending }: World, from = 0): Generator<Entry, void, undefined> {
    for (const [index, included] of pending.transactions.slice(from).entries()) {
      const value = Buffer.from(stringify(includedToJson(included)));
      yield [this.#keys.numbered('pendingTransaction', from + index), value];
    }
  }

  /** State diffs of the pending block, the first of them at an index. */
  *diffs(texts: Iterable<string>, from = 0): Generator<Entry, void, undefined> {
    let index = from;
    for (const text of texts) {
      yield [this.#keys.numbered('pendingDiff', index), Buffer.from(text)];
      index += 1;
    }
  }

  /** Deletions of the pending block. */
  *withoutPending(
    { pending }: World,
    { pendingDiffs }: ChainPosition,
  ): Generator<Entry, void, undefined> {
    for (let index = 0; index < pending.transactions.size; index += 1) {
      yield [this.#keys.numbered('pendingTransaction', index), undefined];
    }
    for (let index = 0; index < pendingDiffs.size; index += 1) {
      yield [this.#keys.numbered('pendingDiff', index), undefined];
    }
  }

  /** @param snapshot undefined for a deletion */
  snapshot(id: bigint, snapshot: StoredSnapshot | undefined): Entry {
    const key = this.#keys.numbered('snapshot', Number(id));
    if (!snapshot) return [key, undefined];
    const { world, position, note } = snapshot;
    const record: SnapshotRecord = {
      ...positionRecord(world, position, world),
      pendingDiffs: position.pendingDiffs.toArray(),
      note,
    };
    return [key, Buffer.from(stringify(record))];
  }

  /**
   * The head, and what changed of the parts that have entries of their own.
   *
   * @param transition undefined for a chain without entries
   */
  *head(
    transition: Pick<Transition, 'kind' | 'before'> | undefined,
    { world, lastSnapshot }: WorldAndSnapshots,
    position: ChainPosition,
  ): Generator<Entry, void, undefined> {
    const before = transition?.kind === 'step' ? transition.before.world : undefined;
    if (before?.messages !== world.messages) {
      const text = stringify(messagesToJson(world.messages));
      yield [this.#keys.single('messages'), Buffer.from(text)];
    }
    if (before?.labels !== world.labels) {
      const text = stringify(labelsToJson(world.labels));
      yield [this.#keys.single('labels'), Buffer.from(text)];
    }
    yield* this.#mempool(transition?.before.world.mempool ?? EMPTY_MEMPOOL, world.mempool);
    const parts = {
      ...world,
      pending: NOTHING_PENDING,
      mempool: EMPTY_MEMPOOL,
      messages: NO_MESSAGES,
      labels: NO_LABELS,
    };
    const head: HeadRecord = {
      ...positionRecord(world, position, parts),
      lastSnapshot: String(lastSnapshot),
    };
    yield [this.#keys.single('head'), Buffer.from(stringify(head))];
  }

  /** What differs between two mempools. */
  *#mempool(before: Mempool, after: Mempool): Generator<Entry, void, undefined> {
    for (const change of before.waiting.differences(after.waiting)) {
      const queued = change.after ?? change.before;
      if (!queued) continue;
      const value = change.after && Buffer.from(stringify(waitingToJson(change.after)));
      yield [this.#keys.numbered('waiting', queued.arrival), value];
    }
    for (const [number, dropped] of droppedBetween(before, after)) {
      const value = dropped && Buffer.from(stringify(droppedToJson(dropped)));
      yield [this.#keys.numbered('dropped', number), value];
    }
  }
}
