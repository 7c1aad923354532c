// One chain in a data directory: writes each of its steps and restores its world.
import type { Class, State, StateDiff } from '@starkbox/engine';
import type {
  ChainStore,
  KeptBranch,
  PreparedCommit,
  Transition,
  WorldAndSnapshots,
} from '../chain/world/chain-store.js';
import { commonBlock } from '../chain/world/diff.js';
import type { World } from '../chain/world/world.js';
import { refuse } from '../errors.js';
import type { Fork } from '../fork/fork.js';
import { List } from '../immutable.js';
import { blockEntries, contentOf, declaredClasses, withoutValues } from './blocks/block-entries.js';
import {
  type BranchChange,
  type Branches,
  type ChainPosition,
  type DeletionPolicy,
  restartedWith,
  revertedTo,
  startingAt,
  withoutBlocksFrom,
  withUse,
} from './blocks/branches.js';
import { Lineage } from './blocks/lineage.js';
import type { Segment } from './blocks/lineage-values.js';
import { withoutOldBlocks } from './blocks/recent-blocks.js';
import { changedReferences, findReleased } from './blocks/references.js';
import { ChainEntries } from './chain-entries.js';
import type { Entry } from './database/database.js';
import {
  abandonedKey,
  ChainKeys,
  classKey,
  type DeclaredClass,
  numberValue,
} from './database/keys.js';
import { type InstanceRecord, recordEntry } from './instance-records.js';
import { readChain } from './read-chain.js';
import type { SharedStore } from './shared-store.js';

/** Up to this fraction of the limit, undone blocks are deleted in the same commit. */
const AT_ONCE = 32;
/** Blocks of a new chain that are written in one commit. */
const CHUNK = 256;

export interface StoredChainOptions {
  readonly keepHistory: boolean;
  /** Blocks and transactions that stay in memory. */
  readonly recent: number;
  readonly fork: Fork | undefined;
}

/** A version of the chain: its world with the snapshots, and their positions on disk. */
interface StoredVersion {
  readonly branches: Branches;
  /** Undefined before the first commit. */
  readonly content: WorldAndSnapshots | undefined;
}

/** The entries that one commit writes. */
interface WriteBatch {
  readonly entries: Entry[];
  /** Branches that may have unused blocks after the commit. */
  readonly branchesToSweep: number[];
  /** Called when the batch is written or has failed. */
  release: () => void;
}

export class StoredChain implements ChainStore {
  readonly #shared: SharedStore;
  /** The number of the instance; 0 for the chain of the node. */
  readonly #instance: number;
  readonly #keys: ChainKeys;
  readonly #entries: ChainEntries;
  readonly #options: StoredChainOptions;
  readonly #deletion: DeletionPolicy;
  /** Entries that are written with the first commit. */
  #first: readonly Entry[];
  /** After all prepared steps. */
  #prepared: StoredVersion;
  /** As on disk. */
  #durable: StoredVersion;
  #lastFailure: unknown;
  /** Why it refuses changes. */
  #ended: string | undefined;

  /** @param first entries that are written with the first commit of a new chain */
  constructor(
    shared: SharedStore,
    instance: number,
    options: StoredChainOptions,
    first: readonly Entry[] = [],
  ) {
    this.#shared = shared;
    this.#instance = instance;
    this.#keys = new ChainKeys(instance);
    this.#entries = new ChainEntries(this.#keys);
    this.#options = options;
    this.#first = first;
    this.#deletion = {
      atOnce: Math.ceil(options.recent / AT_ONCE),
      newBranch: () => shared.newBranch(),
      needed: (branch) => shared.references.neededHeight(branch),
    };
    this.#durable = { branches: startingAt(this.#lineage([]), 0), content: undefined };
    this.#prepared = this.#durable;
  }

  /** The chain on disk; `undefined` if there is none. */
  async read(): Promise<WorldAndSnapshots | undefined> {
    const version = await readChain({
      database: this.#shared.database,
      keys: this.#keys,
      fork: this.#options.fork,
      lineageOf: (segments) => this.#lineage(segments),
    });
    if (!version) return undefined;
    this.#durable = version;
    this.#prepared = version;
    return version.content;
  }

  /**
   * Begins another chain at the newest world of this one: nothing but the pending block and the
   * mempool is copied.
   *
   * @param now the newest world of this chain
   * @param start what the other chain begins with, on the same blocks and states
   */
  branch(
    now: WorldAndSnapshots,
    start: WorldAndSnapshots,
    record: InstanceRecord,
  ): KeptBranch<StoredChain> {
    this.#checkIsNewest(now);
    const { lineage, next, pendingDiffs } = this.#prepared.branches.head;
    const other = new StoredChain(this.#shared, record.number, this.#options);
    const position = {
      lineage: lineage.branchedOff(this.#shared.newBranch(), next),
      next,
      pendingDiffs,
    };
    return other.#startBranch(position, start, recordEntry(record));
  }

  #startBranch(
    position: ChainPosition,
    start: WorldAndSnapshots,
    record: Entry,
  ): KeptBranch<StoredChain> {
    // Blocks on disk are read by the lineage of this chain, which ends where it left the other one.
    const world: World = start.world.archived
      ? Object.freeze({ ...start.world, archived: position.lineage })
      : start.world;
    const content = { ...start, world };
    const branches = withUse({ ...startingAt(position.lineage, position.next), head: position });
    const entries = [record, ...changedReferences(this.#instance, new Map(), branches.use)];
    entries.push(...this.#entries.transactions(world));
    entries.push(...this.#entries.diffs(position.pendingDiffs));
    entries.push(...this.#entries.head(undefined, content, position));
    const { segments } = position.lineage;
    // The references are on disk only after the commit.
    const release = this.#shared.references.hold({ segments, next: position.next });
    const committed = this.#commit(
      { entries, branchesToSweep: [], release },
      { branches, content },
    );
    return { store: this, start: content, committed };
  }

  /**
   * Refuses all further changes: the chain is deleted, or opened again by another object.
   *
   * @param reason for callers
   */
  end(reason: string): void {
    this.#ended = reason;
  }

  // Writing of transitions.

  async prepare(transition: Transition): Promise<PreparedCommit> {
    const { before, after } = transition;
    const was = this.#prepared;
    if (was.content) this.#checkIsNewest(before);
    const batch: WriteBatch = { entries: [...this.#first], branchesToSweep: [], release: () => {} };
    try {
      const moved = await this.#writeTransition(transition, batch);
      const marked = this.#writeSnapshots(before, after, moved, batch.entries);
      const branches = this.#writeReferences(was.branches, marked, batch);
      const world = await withoutOldBlocks(
        after.world,
        branches.head.lineage,
        this.#durable.branches.head,
        this.#options.recent,
      );
      batch.entries.push(...this.#entries.head(transition, after, branches.head));
      const content = world === after.world ? after : { ...after, world };
      return {
        after: content,
        commit: async () => {
          if (this.#prepared !== was) {
            batch.release();
            throw this.#lastFailure;
          }
          await this.#commit(batch, { branches, content });
        },
      };
    } catch (error) {
      batch.release();
      throw error;
    }
  }

  /** After a failed commit, its world and those made from it are gone. */
  #checkIsNewest(content: WorldAndSnapshots): void {
    if (this.#ended !== undefined) refuse(this.#ended);
    if (this.#prepared.content !== content) throw this.#lastFailure;
  }

  async #commit(
    { entries, branchesToSweep, release }: WriteBatch,
    version: StoredVersion,
  ): Promise<void> {
    this.#prepared = version;
    const committed = this.#shared.commit(entries, branchesToSweep, {
      onCommitted: () => {
        this.#durable = version;
        this.#first = [];
      },
      onFailed: (error) => {
        this.#prepared = this.#durable;
        this.#lastFailure = error;
      },
    });
    await committed.finally(release);
  }

  async #writeTransition(transition: Transition, batch: WriteBatch): Promise<Branches> {
    const [before, after] = [transition.before.world, transition.after.world];
    const { kind, snapshot } = transition;
    if (kind === 'restart' || kind === 'load') return this.#writeWholeChain(before, after, batch);
    let { branches } = this.#prepared;
    if (snapshot !== undefined) {
      const change = revertedTo(branches, snapshot, this.#deletion);
      return this.#afterBranchChange(before, after, change, batch);
    }
    const { entries } = batch;
    const common = commonBlock(before, after);
    if (common + 1 < before.history.next) {
      const change = withoutBlocksFrom(branches, common + 1, this.#deletion);
      branches = this.#afterBranchChange(before, after, change, batch);
      if (after.history.next === common + 1) return branches;
    }
    if (after.history.next > common + 1) {
      entries.push(...this.#entries.withoutPending(before, branches.head));
      const { lineage } = branches.head;
      for (let number = common + 1; number < after.history.next; number += 1) {
        entries.push(...(await this.#blockEntries(after, number, lineage.tip)));
      }
      entries.push(...this.#entries.transactions(after));
      const head = { lineage, next: after.history.next, pendingDiffs: List<string>() };
      return { ...branches, head };
    }
    if (before.pendingState === after.pendingState) return branches;
    if (before.latestState !== after.latestState) {
      // The pending block was restarted.
      entries.push(...this.#entries.withoutPending(before, branches.head));
      entries.push(...this.#entries.transactions(after));
      return { ...branches, head: { ...branches.head, pendingDiffs: List<string>() } };
    }
    const diff = await before.pendingState.diffTo(after.pendingState);
    entries.push(...this.#entries.transactions(after, before.pending.transactions.size));
    return this.#putDiff(after, branches, entries, diff);
  }

  /** Deletes undone blocks and writes the pending block of the world after them. */
  #afterBranchChange(
    before: World,
    after: World,
    { branches, deleted, abandoned }: BranchChange,
    batch: WriteBatch,
  ): Branches {
    const { entries } = batch;
    entries.push(...this.#entries.withoutPending(before, this.#prepared.branches.head));
    if (deleted) {
      for (let number = deleted.from; number < deleted.to; number += 1) {
        const content = contentOf(before, number);
        entries.push(...withoutValues(blockEntries(deleted.branch, number, content)));
      }
    }
    putAbandoned(abandoned, batch);
    entries.push(...this.#entries.transactions(after));
    entries.push(...this.#entries.diffs(branches.head.pendingDiffs));
    return branches;
  }

  /** Writes a whole chain under a new branch, all but its last chunk before the commit. */
  async #writeWholeChain(before: World, world: World, batch: WriteBatch): Promise<Branches> {
    const { history } = world;
    const { entries } = batch;
    entries.push(...this.#entries.withoutPending(before, this.#prepared.branches.head));
    const lineage = this.#lineage([{ branch: this.#shared.newBranch(), from: history.first }]);
    const { tip, segments } = lineage;
    if (history.next - history.first > CHUNK) {
      const release = this.#shared.references.hold({ segments, next: history.next });
      batch.release = () => {
        release();
        this.#shared.sweep([tip]);
      };
      // After an interruption, the sweep finds the blocks of the incomplete branch by its end.
      await this.#shared.write([[abandonedKey(tip), numberValue(history.next)]]);
      entries.push([abandonedKey(tip), undefined]);
    }
    let chunk: Entry[] = [];
    for (let number = history.first; number < history.next; number += 1) {
      chunk.push(...(await this.#blockEntries(world, number, tip)));
      if ((number + 1) % CHUNK !== 0) continue;
      await this.#shared.write(chunk);
      chunk = [];
    }
    entries.push(...chunk);
    const { branches, abandoned } = restartedWith(this.#prepared.branches, lineage, history.next);
    putAbandoned(abandoned, batch);
    entries.push(...this.#entries.transactions(world));
    const diff = await world.latestState.diffTo(world.pendingState);
    return this.#putDiff(world, branches, entries, diff);
  }

  async #blockEntries(world: World, number: number, branch: number): Promise<readonly Entry[]> {
    const content = contentOf(world, number);
    const classes = await this.#classEntries(world.pendingState, content.diff);
    return [...blockEntries(branch, number, content), ...classes];
  }

  async #classEntries(state: State, diff: StateDiff): Promise<readonly Entry[]> {
    const entries: Entry[] = [];
    const { database } = this.#shared;
    for (const declared of declaredClasses(diff)) {
      const contractClass = await state.class(declared.classHash);
      if (!contractClass) continue;
      checkCode(contractClass, declared);
      const key = classKey(declared);
      // Classes are never deleted. Hints from elsewhere, which no hash covers, yield to those of the compiler.
      if (database.has(key) && !contractClass.isCompiledHere) continue;
      const packed = Buffer.from(await contractClass.pack());
      if (!database.get(key)?.equals(packed)) entries.push([key, packed]);
    }
    return entries;
  }

  /** Adds a state diff to those of the pending block. */
  async #putDiff(
    world: World,
    branches: Branches,
    entries: Entry[],
    diff: StateDiff,
  ): Promise<Branches> {
    entries.push(...(await this.#classEntries(world.pendingState, diff)));
    const { head } = branches;
    const text = JSON.stringify(diff);
    entries.push(...this.#entries.diffs([text], head.pendingDiffs.size));
    return { ...branches, head: { ...head, pendingDiffs: head.pendingDiffs.push(text) } };
  }

  #writeSnapshots(
    before: WorldAndSnapshots,
    after: WorldAndSnapshots,
    branches: Branches,
    entries: Entry[],
  ): Branches {
    if (before.snapshots === after.snapshots) return branches;
    let { snapshots } = branches;
    let added = 0;
    // New snapshots have numbers above all others; so an old one costs nothing.
    for (let id = before.lastSnapshot + 1n; id <= after.lastSnapshot; id += 1n) {
      const world = after.snapshots.get(id);
      if (!world) continue;
      const position = branches.head;
      entries.push(this.#entries.snapshot(id, { world, position, note: after.notes.get(id) }));
      snapshots = snapshots.set(id, position);
      added += 1;
    }
    if (after.snapshots.size === before.snapshots.size + added) return { ...branches, snapshots };
    for (const id of before.snapshots.keys()) {
      if (after.snapshots.has(id)) continue;
      entries.push(this.#entries.snapshot(id, undefined));
      snapshots = snapshots.delete(id);
    }
    return { ...branches, snapshots };
  }

  /** Writes which blocks of other branches are in use, if that changed. */
  #writeReferences(before: Branches, after: Branches, batch: WriteBatch): Branches {
    // A new snapshot is at the head, whose branches are in use already.
    const isSame =
      before.head.lineage === after.head.lineage && after.snapshots.size >= before.snapshots.size;
    if (isSame) return after;
    const branches = withUse(after);
    batch.entries.push(...changedReferences(this.#instance, before.use, branches.use));
    batch.branchesToSweep.push(...findReleased(before.use, branches.use));
    return branches;
  }

  #lineage(segments: readonly Segment[]): Lineage {
    const { keepHistory, fork } = this.#options;
    return new Lineage(this.#shared.database, segments, { keepHistory, fallback: fork });
  }
}

/** A class that is stored under another compiled class hash would stand for code of other chains. */
function checkCode({ hash, compiledClassHash = '0x0' }: Class, declared: DeclaredClass): void {
  if (BigInt(compiledClassHash) === BigInt(declared.compiledClassHash)) return;
  refuse(
    `Class ${hash} has the compiled class hash ${compiledClassHash}, but its block declares ${declared.compiledClassHash}`,
  );
}

function putAbandoned(
  abandoned: BranchChange['abandoned'],
  { entries, branchesToSweep }: WriteBatch,
): void {
  if (!abandoned) return;
  entries.push([abandonedKey(abandoned.branch), numberValue(abandoned.to)]);
  branchesToSweep.push(abandoned.branch);
}
