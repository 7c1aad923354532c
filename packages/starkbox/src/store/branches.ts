// Blocks on disk by the world and the snapshots that use them.
import { List, PersistentMap } from '../immutable.js';
import type { Lineage } from './lineage.js';

/** Where a world stands on disk. */
export interface Place {
  readonly lineage: Lineage;
  /** The number of the block under construction. */
  readonly next: number;
  /** What that block has changed so far, step by step: differences as JSON texts. */
  readonly pendingDiffs: List<string>;
}

/** A frozen value: what fails to be written is forgotten by keeping the one before. */
export interface Branches {
  readonly head: Place;
  readonly snapshots: PersistentMap<bigint, Place>;
  /** Where the branches end that no new block is written under. */
  readonly ends: PersistentMap<number, number>;
}

/** Blocks of one branch. */
export interface BlockRange {
  readonly branch: number;
  readonly from: number;
  /** The block after the last. */
  readonly to: number;
}

/** What became of the branches, and which blocks must be deleted in the same breath. */
export interface BranchChange {
  readonly branches: Branches;
  readonly deleted: BlockRange | undefined;
}

/** How blocks leave that a chain no longer has. */
export interface DeletionPolicy {
  /** So many are deleted at once; more are left behind under their branch, and swept away. */
  readonly atOnce: number;
  readonly newBranch: () => number;
}

export function startingAt(lineage: Lineage, next: number): Branches {
  return {
    head: { lineage, next, pendingDiffs: List() },
    snapshots: PersistentMap(),
    ends: PersistentMap(),
  };
}

/** Everything anew, under another branch. */
export function restartedWith(branches: Branches, lineage: Lineage, next: number): Branches {
  return {
    head: { lineage, next, pendingDiffs: List() },
    snapshots: PersistentMap(),
    ends: withHeadEnded(branches),
  };
}

/** Without the blocks from `from` on. */
export function withoutBlocksFrom(
  branches: Branches,
  from: number,
  { atOnce, newBranch }: DeletionPolicy,
): BranchChange {
  const { head, snapshots } = branches;
  const { lineage, next } = head;
  const place: Place = { lineage, next: from, pendingDiffs: List() };
  const start = lineage.segments.at(-1)?.from ?? 0;
  if (from >= start && neededOf(snapshots, lineage.tip) <= from && next - from <= atOnce) {
    return {
      branches: { ...branches, head: place },
      deleted: { branch: lineage.tip, from, to: next },
    };
  }
  const turned = { ...place, lineage: lineage.branchedOff(newBranch(), from) };
  return {
    branches: { ...branches, head: turned, ends: withHeadEnded(branches) },
    deleted: undefined,
  };
}

/** Back at a snapshot, which is used up with all later ones. */
export function revertedTo(
  branches: Branches,
  id: bigint,
  { atOnce, newBranch }: DeletionPolicy,
): BranchChange {
  const { head } = branches;
  const kept = branches.snapshots.get(id);
  if (!kept) throw new Error(`there is no snapshot ${id} on disk`);
  const snapshots = branches.snapshots.filter((_, other) => other < id);
  const { tip } = head.lineage;
  const isOnTheWay = kept.lineage.equals(head.lineage) && kept.next <= head.next;
  if (isOnTheWay && neededOf(snapshots, tip) <= kept.next && head.next - kept.next <= atOnce) {
    return {
      branches: { ...branches, head: kept, snapshots },
      deleted: { branch: tip, from: kept.next, to: head.next },
    };
  }
  const turned = { ...kept, lineage: kept.lineage.branchedOff(newBranch(), kept.next) };
  return {
    branches: { head: turned, snapshots, ends: withHeadEnded(branches) },
    deleted: undefined,
  };
}

/** Blocks that neither the chain nor a snapshot needs. */
export function garbageIn({ head, snapshots, ends }: Branches): readonly BlockRange[] {
  return [...ends].flatMap(([branch, to]) => {
    const from = Math.max(neededOf(snapshots, branch), endIn(head, branch));
    return from < to ? [{ branch, from, to }] : [];
  });
}

/** After garbage was deleted. */
export function withoutGarbage(branches: Branches, { branch, from }: BlockRange): Branches {
  const { ends } = branches;
  return { ...branches, ends: from === 0 ? ends.delete(branch) : ends.set(branch, from) };
}

function withHeadEnded({ head, ends }: Branches): Branches['ends'] {
  return head.lineage.segments.length === 0 ? ends : ends.set(head.lineage.tip, head.next);
}

function neededOf(snapshots: Branches['snapshots'], branch: number): number {
  return snapshots.reduce((most, place) => Math.max(most, endIn(place, branch)), 0);
}

/** The block after the last that a place has under a branch; 0 if it has none there. */
function endIn({ lineage, next }: Place, branch: number): number {
  const at = lineage.segments.findIndex((segment) => segment.branch === branch);
  return at < 0 ? 0 : (lineage.segments[at + 1]?.from ?? next);
}
