// Blocks on disk by the world and the snapshots that use them.
import { List, PersistentMap } from '../immutable.js';
import type { Lineage } from './lineage.js';

/** Position of a world on disk. */
export interface Place {
  readonly lineage: Lineage;
  /** Number of the pending block. */
  readonly next: number;
  /** State diffs of the pending block, one per step, as JSON texts. */
  readonly pendingDiffs: List<string>;
}

/** An immutable value: after a failed write, the one before stays in use. */
export interface Branches {
  readonly head: Place;
  readonly snapshots: PersistentMap<bigint, Place>;
  /** By closed branch: the number after its last block. */
  readonly ends: PersistentMap<number, number>;
}

/** Blocks of one branch. */
export interface BlockRange {
  readonly branch: number;
  readonly from: number;
  /** The block after the last. */
  readonly to: number;
}

/** The new branches, and the blocks to delete in the same commit. */
export interface BranchChange {
  readonly branches: Branches;
  readonly deleted: BlockRange | undefined;
}

/** Rule for the deletion of undone blocks. */
export interface DeletionPolicy {
  /** Up to so many are deleted in the commit; more stay under their branch until the sweep. */
  readonly atOnce: number;
  readonly newBranch: () => number;
  /** Places of worlds that other chains hold: their blocks are in use. */
  readonly held: () => Iterable<Place>;
}

export function startingAt(lineage: Lineage, next: number): Branches {
  return {
    head: { lineage, next, pendingDiffs: List() },
    snapshots: PersistentMap(),
    ends: PersistentMap(),
  };
}

/** A new chain, under another branch. */
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
  { atOnce, newBranch, held }: DeletionPolicy,
): BranchChange {
  const { head, snapshots } = branches;
  const { lineage, next } = head;
  const place: Place = { lineage, next: from, pendingDiffs: List() };
  const start = lineage.segments.at(-1)?.from ?? 0;
  if (
    from >= start &&
    neededOf([...snapshots.values(), ...held()], lineage.tip) <= from &&
    next - from <= atOnce
  ) {
    return {
      branches: { ...branches, head: place },
      deleted: { branch: lineage.tip, from, to: next },
    };
  }
  const branched = { ...place, lineage: lineage.branchedOff(newBranch(), from) };
  return {
    branches: { ...branches, head: branched, ends: withHeadEnded(branches) },
    deleted: undefined,
  };
}

/** At a snapshot, which is removed with all later ones. */
export function revertedTo(
  branches: Branches,
  id: bigint,
  { atOnce, newBranch, held }: DeletionPolicy,
): BranchChange {
  const { head } = branches;
  const kept = branches.snapshots.get(id);
  if (!kept) throw new Error(`there is no snapshot ${id} on disk`);
  const snapshots = branches.snapshots.filter((_, other) => other < id);
  const { tip } = head.lineage;
  const isAncestor = kept.lineage.equals(head.lineage) && kept.next <= head.next;
  const needed = neededOf([...snapshots.values(), ...held()], tip);
  if (isAncestor && needed <= kept.next && head.next - kept.next <= atOnce) {
    return {
      branches: { ...branches, head: kept, snapshots },
      deleted: { branch: tip, from: kept.next, to: head.next },
    };
  }
  const branched = { ...kept, lineage: kept.lineage.branchedOff(newBranch(), kept.next) };
  return {
    branches: { head: branched, snapshots, ends: withHeadEnded(branches) },
    deleted: undefined,
  };
}

/** Blocks that neither the world, nor a snapshot, nor another chain uses. */
export function garbageIn(
  { head, snapshots, ends }: Branches,
  held: Iterable<Place>,
): readonly BlockRange[] {
  const places = [head, ...snapshots.values(), ...held];
  return [...ends].flatMap(([branch, to]) => {
    const from = neededOf(places, branch);
    return from < to ? [{ branch, from, to }] : [];
  });
}

/** The branches after garbage was deleted. */
export function withoutGarbage(branches: Branches, { branch, from }: BlockRange): Branches {
  const { ends } = branches;
  return { ...branches, ends: from === 0 ? ends.delete(branch) : ends.set(branch, from) };
}

function withHeadEnded({ head, ends }: Branches): Branches['ends'] {
  return head.lineage.segments.length === 0 ? ends : ends.set(head.lineage.tip, head.next);
}

function neededOf(places: readonly Place[], branch: number): number {
  return places.reduce((most, place) => Math.max(most, endIn(place, branch)), 0);
}

/** Number after the last block of a place under a branch; 0 without one. */
function endIn({ lineage, next }: Place, branch: number): number {
  const at = lineage.segments.findIndex((segment) => segment.branch === branch);
  return at < 0 ? 0 : (lineage.segments[at + 1]?.from ?? next);
}
