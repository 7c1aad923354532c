// Blocks on disk by the world and the snapshots that use them.
import { List, PersistentMap } from '../../immutable.js';
import type { Lineage } from './lineage.js';
import type { Segment } from './lineage-values.js';

/** Position of a world on disk. */
export interface ChainPosition {
  readonly lineage: Lineage;
  /** Number of the pending block. */
  readonly next: number;
  /** State diffs of the pending block, one per step, as JSON texts. */
  readonly pendingDiffs: List<string>;
}

/** By branch: the number after the last block that a chain uses. */
export type BranchUse = ReadonlyMap<number, number>;

/** What a world has on disk. */
export interface Extent {
  readonly segments: readonly Segment[];
  readonly next: number;
}

/** An immutable value: after a failed write, the one before stays in use. */
export interface Branches {
  readonly head: ChainPosition;
  readonly snapshots: PersistentMap<bigint, Extent>;
  /** Without the branch that the head writes to. */
  readonly use: BranchUse;
}

/** Blocks of one branch. */
export interface BlockRange {
  readonly branch: number;
  readonly from: number;
  /** The block after the last. */
  readonly to: number;
}

/** The new branches, and what becomes of the blocks that they do not use. */
export interface BranchChange {
  readonly branches: Branches;
  /** Blocks to delete in the same commit. */
  readonly deleted: BlockRange | undefined;
  /** Blocks of the branch that the head left. */
  readonly abandoned: BlockRange | undefined;
}

/** Rule for the deletion of undone blocks. */
export interface DeletionPolicy {
  /** Up to so many are deleted in the commit; more stay under their branch until the sweep. */
  readonly atOnce: number;
  readonly newBranch: () => number;
  /** The number after the last block of a branch that another chain uses. */
  readonly needed: (branch: number) => number;
}

export function startingAt(lineage: Lineage, next: number): Branches {
  return {
    head: { lineage, next, pendingDiffs: List() },
    snapshots: PersistentMap(),
    use: new Map(),
  };
}

/** A new chain, under another branch. */
export function restartedWith(branches: Branches, lineage: Lineage, next: number): BranchChange {
  return {
    branches: startingAt(lineage, next),
    deleted: undefined,
    abandoned: headBlocks(branches.head),
  };
}

/** Without the blocks from `from` on. */
export function withoutBlocksFrom(
  branches: Branches,
  from: number,
  policy: DeletionPolicy,
): BranchChange {
  const { lineage } = branches.head;
  const start = lineage.segments.at(-1)?.from ?? 0;
  const position: ChainPosition = { lineage, next: from, pendingDiffs: List() };
  return movedTo(branches, { ...branches, head: position }, from >= start, policy);
}

/** At the position of a snapshot, which is removed with all later ones. */
export function revertedTo(
  branches: Branches,
  id: bigint,
  position: ChainPosition,
  policy: DeletionPolicy,
): BranchChange {
  const { head } = branches;
  const snapshots = branches.snapshots.filter((_, other) => other < id);
  const isAncestor = position.lineage.equals(head.lineage) && position.next <= head.next;
  return movedTo(branches, { ...branches, head: position, snapshots }, isAncestor, policy);
}

/** @param isAncestor whether the new head is on the branch of the old one, and before it */
function movedTo(
  before: Branches,
  after: Branches,
  isAncestor: boolean,
  { atOnce, newBranch, needed }: DeletionPolicy,
): BranchChange {
  const { head } = before;
  const { lineage, next } = after.head;
  const { tip } = head.lineage;
  const isFree = (): boolean =>
    neededBy(after.snapshots.valueSeq(), tip) <= next && needed(tip) <= next;
  if (isAncestor && head.next - next <= atOnce && isFree()) {
    return {
      branches: after,
      deleted: { branch: tip, from: next, to: head.next },
      abandoned: undefined,
    };
  }
  const branched = { ...after.head, lineage: lineage.branchedOff(newBranch(), next) };
  return {
    branches: { ...after, head: branched },
    deleted: undefined,
    abandoned: headBlocks(head),
  };
}

/** Blocks on the branch of a head, used or not; undefined for none. */
export function headBlocks(head: ChainPosition): BlockRange | undefined {
  return lastBlocks(extentOf(head));
}

export function extentOf({ lineage, next }: ChainPosition): Extent {
  return { segments: lineage.segments, next };
}

/** Blocks on the last branch of an extent; undefined for none. */
export function lastBlocks({ segments, next }: Extent): BlockRange | undefined {
  const last = segments.at(-1);
  return last && last.from < next ? { branch: last.branch, from: last.from, to: next } : undefined;
}

/** The branches with their use of others, after their head or their snapshots changed. */
export function withUse(branches: Branches): Branches {
  const { head, snapshots } = branches;
  return { ...branches, use: useOf(extentOf(head), snapshots.valueSeq()) };
}

/** The blocks that a head and its snapshots use, without those on the branch of the head. */
export function useOf(head: Extent, snapshots: Iterable<Extent>): BranchUse {
  const use = new Map<number, number>();
  for (const { segments, next } of [head, ...snapshots]) {
    for (const [index, { branch }] of segments.entries()) {
      const end = segments[index + 1]?.from ?? next;
      use.set(branch, Math.max(use.get(branch) ?? 0, end));
    }
  }
  use.delete(head.segments.at(-1)?.branch ?? 0);
  return use;
}

/** Number after the last block under a branch that one of these uses; 0 without one. */
export function neededBy(extents: Iterable<Extent>, branch: number): number {
  let most = 0;
  for (const { segments, next } of extents) {
    const at = segments.findIndex((segment) => segment.branch === branch);
    if (at >= 0) most = Math.max(most, segments[at + 1]?.from ?? next);
  }
  return most;
}
