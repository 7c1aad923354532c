// Store of a chain in a data directory: writes each step and restores the world.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { State, StateDiff } from '@starkbox/engine';
import { EMPTY_MEMPOOL } from '../chain/mempool/mempool.js';
import { declaredIn } from '../chain/steps/apply-state-diff.js';
import type {
  ChainStore,
  PreparedCommit,
  Transition,
  WorldAndSnapshots,
} from '../chain/world/chain-store.js';
import { commonBlock } from '../chain/world/diff.js';
import { labelsToJson, NO_LABELS } from '../chain/world/labels.js';
import { messagesToJson, NO_MESSAGES } from '../chain/world/messages.js';
import { NOTHING_PENDING, type World } from '../chain/world/world.js';
import { includedToJson } from '../chain/world/world-json.js';
import type { RpcError } from '../errors.js';
import type { Fork } from '../fork/fork.js';
import { List } from '../immutable.js';
import { stringify } from '../json/json.js';
import {
  type BranchChange,
  type Branches,
  type DeletionPolicy,
  garbageIn,
  type Place,
  restartedWith,
  revertedTo,
  startingAt,
  withoutBlocksFrom,
  withoutGarbage,
} from './branches.js';
import {
  type HeadRecord,
  headEntry,
  placeRecord,
  readChain,
  type SnapshotRecord,
} from './codec.js';
import { CommitQueue } from './commit-queue.js';
import type { Database, Entry } from './database.js';
import {
  blockEntries,
  contentOf,
  garbageEntries,
  mempoolEntries,
  withoutValues,
} from './entries.js';
import { classKey, numberedKey, singleKey } from './keys.js';
import { Lineage, type Segment } from './lineage.js';

/** Old blocks leave memory when it holds so many times the limit. */
const SLACK = 4;
/** Up to this fraction of the limit, undone blocks are deleted in the same commit. */
const AT_ONCE = 32;
/** Blocks that are written or swept in one commit. */
const CHUNK = 256;

/** Branches and head after a commit. */
interface Committed {
  readonly branches: Branches;
  readonly head: HeadRecord;
}

export class Store implements ChainStore {
  readonly #database: Database;
  readonly #keepHistory: boolean;
  readonly #recent: number;
  readonly #fork: Fork | undefined;
  readonly #deletion: DeletionPolicy;
  #nextBranch = 1;
  /** Places of worlds that other chains hold. */
  readonly #held = new Map<symbol, Place>();
  /** After all prepared steps. */
  #branches: Branches;
  /** As on disk. */
  #durable: Branches;
  #durableHead: HeadRecord | undefined;
  readonly #queue: CommitQueue<Committed>;
  #sweeping: Promise<void> | undefined;
  #isClosed = false;

  constructor(
    database: Database,
    options: {
      readonly keepHistory: boolean;
      /** Blocks and transactions that stay in memory. */
      readonly recent: number;
      readonly fork: Fork | undefined;
      /** Makes the error for callers from a failed write. */
      readonly explain: (error: unknown) => Promise<RpcError>;
    },
  ) {
    this.#database = database;
    this.#keepHistory = options.keepHistory;
    this.#recent = options.recent;
    this.#fork = options.fork;
    this.#deletion = {
      atOnce: Math.ceil(options.recent / AT_ONCE),
      newBranch: () => this.#nextBranch++,
      held: () => this.#held.values(),
    };
    this.#branches = startingAt(this.#lineage([]), 0);
    this.#durable = this.#branches;
    this.#queue = new CommitQueue(database, options.explain, {
      onCommitted: ({ branches, head }) => {
        this.#durable = branches;
        this.#durableHead = head;
        this.#sweeping ??= this.#sweep().finally(() => {
          this.#sweeping = undefined;
        });
      },
      onFailed: () => {
        this.#branches = this.#durable;
      },
    });
  }

  /** Waits for pending writes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queue.idle();
    await this.#sweeping;
  }

  hold({ archived, history }: World): () => void {
    if (!(archived instanceof Lineage)) return () => {};
    const key = Symbol('held');
    this.#held.set(key, { lineage: archived, next: history.base, pendingDiffs: List() });
    return () => void this.#held.delete(key);
  }

  // Writing of transitions.

  async prepare(transition: Transition): Promise<PreparedCommit> {
    const { before, after } = transition;
    const entries: Entry[] = [];
    let branches = await this.#follow(transition, entries);
    branches = this.#followSnapshots(before, after, branches, entries);
    const world = await this.#withoutOldBlocks(after.world, branches.head.lineage);
    const head = this.#putHead(transition, branches, entries);
    return {
      after: world === after.world ? after : { ...after, world },
      commit: () => {
        this.#branches = branches;
        return this.#queue.push(entries, { branches, head });
      },
    };
  }

  async #follow(transition: Transition, entries: Entry[]): Promise<Branches> {
    const [before, after] = [transition.before.world, transition.after.world];
    const { kind, snapshot } = transition;
    if (kind === 'restart' || kind === 'load') return this.#begin(before, after, entries);
    if (snapshot !== undefined) {
      const change = revertedTo(this.#branches, snapshot, this.#deletion);
      return this.#afterBranchChange(before, after, change, entries);
    }
    const common = commonBlock(before, after);
    let branches = this.#branches;
    if (common + 1 < before.history.next) {
      const change = withoutBlocksFrom(branches, common + 1, this.#deletion);
      branches = await this.#afterBranchChange(before, after, change, entries);
      if (after.history.next === common + 1) return branches;
    }
    if (after.history.next > common + 1) {
      this.#forgetPending(before, branches, entries);
      const { lineage } = branches.head;
      for (let number = common + 1; number < after.history.next; number += 1) {
        entries.push(...(await this.#blockEntries(after, number, lineage.tip)));
      }
      const head = { lineage, next: after.history.next, pendingDiffs: List<string>() };
      return this.#putPending(after, { ...branches, head }, entries, 0);
    }
    if (before.pendingState === after.pendingState) return branches;
    if (before.latestState !== after.latestState) {
      // The pending block was restarted.
      this.#forgetPending(before, branches, entries);
      const head = { ...branches.head, pendingDiffs: List<string>() };
      return this.#putPending(after, { ...branches, head }, entries, 0);
    }
    const diff = await before.pendingState.diffTo(after.pendingState);
    return this.#putPending(after, branches, entries, before.pending.transactions.size, diff);
  }

  /** Deletes undone blocks and writes the pending block of the world after them. */
  async #afterBranchChange(
    before: World,
    after: World,
    { branches, deleted }: BranchChange,
    entries: Entry[],
  ): Promise<Branches> {
    this.#forgetPending(before, this.#branches, entries);
    if (deleted) {
      for (let number = deleted.from; number < deleted.to; number += 1) {
        const content = contentOf(before, number);
        entries.push(...withoutValues(blockEntries(deleted.branch, number, content)));
      }
    }
    const { pendingDiffs } = branches.head;
    pendingDiffs.forEach((diff, index) => {
      entries.push([numberedKey('pendingDiff', index), Buffer.from(diff)]);
    });
    return this.#putPending(after, branches, entries, 0);
  }

  /** Writes a whole chain under a new branch, all but its last chunk before the commit. */
  async #begin(before: World, world: World, entries: Entry[]): Promise<Branches> {
    const { history } = world;
    await this.#queue.idle();
    this.#forgetPending(before, this.#branches, entries);
    const lineage = this.#lineage([{ branch: this.#nextBranch++, from: history.first }]);
    if (this.#durableHead && history.next - history.first > CHUNK) {
      // After an interruption, the sweep finds the blocks of the incomplete branch by its end.
      const ends = [...this.#durable.ends.set(lineage.tip, history.next)];
      await this.#queue.write([
        headEntry({ ...this.#durableHead, nextBranch: this.#nextBranch, ends }),
      ]);
    }
    let chunk: Entry[] = [];
    for (let number = history.first; number < history.next; number += 1) {
      chunk.push(...(await this.#blockEntries(world, number, lineage.tip)));
      if ((number + 1) % CHUNK !== 0) continue;
      await this.#queue.write(chunk);
      chunk = [];
    }
    entries.push(...chunk);
    const branches = restartedWith(this.#branches, lineage, history.next);
    const diff = await world.latestState.diffTo(world.pendingState);
    return this.#putPending(world, branches, entries, 0, diff);
  }

  async #blockEntries(world: World, number: number, branch: number): Promise<readonly Entry[]> {
    const content = contentOf(world, number);
    const classes = await this.#classEntries(world.pendingState, content.diff);
    return [...blockEntries(branch, number, content), ...classes];
  }

  async #classEntries(state: State, diff: StateDiff): Promise<readonly Entry[]> {
    const entries: Entry[] = [];
    for (const hash of declaredIn(diff)) {
      const declared = await state.class(hash);
      if (declared) entries.push([classKey(hash), Buffer.from(await declared.pack())]);
    }
    return entries;
  }

  /** Writes the pending block's transactions from an index on, and their state diff. */
  async #putPending(
    world: World,
    branches: Branches,
    entries: Entry[],
    from: number,
    diff?: StateDiff,
  ): Promise<Branches> {
    world.pending.transactions.slice(from).forEach((included, index) => {
      const value = Buffer.from(stringify(includedToJson(included)));
      entries.push([numberedKey('pendingTransaction', from + index), value]);
    });
    if (!diff) return branches;
    entries.push(...(await this.#classEntries(world.pendingState, diff)));
    const { head } = branches;
    const text = JSON.stringify(diff);
    entries.push([numberedKey('pendingDiff', head.pendingDiffs.size), Buffer.from(text)]);
    return { ...branches, head: { ...head, pendingDiffs: head.pendingDiffs.push(text) } };
  }

  #forgetPending({ pending }: World, { head }: Branches, entries: Entry[]): void {
    for (let index = 0; index < pending.transactions.size; index += 1) {
      entries.push([numberedKey('pendingTransaction', index), undefined]);
    }
    for (let index = 0; index < head.pendingDiffs.size; index += 1) {
      entries.push([numberedKey('pendingDiff', index), undefined]);
    }
  }

  #followSnapshots(
    before: WorldAndSnapshots,
    after: WorldAndSnapshots,
    branches: Branches,
    entries: Entry[],
  ): Branches {
    if (before.snapshots === after.snapshots) return branches;
    let { snapshots } = branches;
    for (const id of before.snapshots.keys()) {
      if (after.snapshots.has(id)) continue;
      entries.push([numberedKey('snapshot', Number(id)), undefined]);
      snapshots = snapshots.delete(id);
    }
    for (const [id, world] of after.snapshots) {
      if (before.snapshots.get(id) === world) continue;
      const place = snapshots.get(id) ?? branches.head;
      const text = stringify({
        ...placeRecord(world, place, world),
        pendingDiffs: place.pendingDiffs.toArray(),
        note: after.notes.get(id),
      } satisfies SnapshotRecord);
      entries.push([numberedKey('snapshot', Number(id)), Buffer.from(text)]);
      snapshots = snapshots.set(id, place);
    }
    return { ...branches, snapshots };
  }

  #putHead({ kind, before, after }: Transition, branches: Branches, entries: Entry[]): HeadRecord {
    const { world, lastSnapshot } = after;
    if (kind !== 'step' || before.world.messages !== world.messages) {
      const text = stringify(messagesToJson(world.messages));
      entries.push([singleKey('messages'), Buffer.from(text)]);
    }
    if (kind !== 'step' || before.world.labels !== world.labels) {
      entries.push([singleKey('labels'), Buffer.from(stringify(labelsToJson(world.labels)))]);
    }
    entries.push(...mempoolEntries(before.world.mempool, world.mempool));
    const parts = {
      ...world,
      pending: NOTHING_PENDING,
      mempool: EMPTY_MEMPOOL,
      messages: NO_MESSAGES,
      labels: NO_LABELS,
    };
    const head: HeadRecord = {
      ...placeRecord(world, branches.head, parts),
      lastSnapshot: String(lastSnapshot),
      nextBranch: this.#nextBranch,
      ends: [...branches.ends],
    };
    entries.push(headEntry(head));
    return head;
  }

  /** The world with only its newest blocks in memory, if memory holds too many. */
  async #withoutOldBlocks(world: World, lineage: Lineage): Promise<World> {
    const { history } = world;
    const held = (from: number): number => {
      const before = history.totals(from - 1)?.transactions ?? 0;
      return history.next - from + history.transactionCount - before;
    };
    if (held(history.base) <= SLACK * this.#recent) return world;
    let base = history.next;
    while (base > history.base && held(base - 1) <= this.#recent) base -= 1;
    base = Math.min(base, this.#durable.head.next);
    const isWritten = this.#durable.head.lineage.equals(lineage);
    if (!isWritten || base <= history.base) return world;
    const origin = lineage.stateSourceAfter(base - 1);
    const [pendingState, latestState] = await Promise.all([
      world.pendingState.settle(base - 1, origin),
      world.latestState.settle(base - 1, origin),
    ]);
    const settled = history.settled(lineage, base);
    return Object.freeze({
      ...world,
      pendingState,
      latestState,
      history: settled,
      archived: lineage,
    });
  }

  // Deletion of unused blocks, in chunks.

  async #sweep(): Promise<void> {
    while (!this.#isClosed) {
      const [garbage] = garbageIn(this.#durable, this.#held.values());
      if (!garbage) return;
      try {
        const entries = [...garbageEntries(this.#database, garbage, CHUNK)];
        if (entries.length === 0) {
          this.#durable = withoutGarbage(this.#durable, garbage);
          this.#branches = withoutGarbage(this.#branches, garbage);
        }
        await this.#queue.write(entries);
      } catch {
        return; // tried again after the next write that succeeds
      }
      await nextTurn();
    }
  }

  /** The chain on disk; `undefined` if there is none. */
  async read(): Promise<WorldAndSnapshots | undefined> {
    const found = await readChain(this.#database, this.#fork, (segments) =>
      this.#lineage(segments),
    );
    if (!found) return undefined;
    this.#nextBranch = found.head.nextBranch;
    this.#branches = found.branches;
    this.#durable = found.branches;
    this.#durableHead = found.head;
    return found.content;
  }

  #lineage(segments: readonly Segment[]): Lineage {
    return new Lineage(this.#database, segments, {
      keepHistory: this.#keepHistory,
      fallback: this.#fork,
    });
  }
}
