// References of chains to branches of blocks, which keep the blocks on disk.

import type { Database, Entry } from '../database/database.js';
import { endInReference, referenceKey } from '../database/keys.js';
import { type BranchUse, type Extent, neededBy } from './branches.js';

const EMPTY = Buffer.alloc(0);
const LARGEST = 2 ** 48 - 1;

/** Those of stored chains are entries, sorted by branch and end; those of other chains are in memory. */
export class References {
  readonly #database: Database;
  readonly #held = new Set<Extent>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Keeps blocks for a chain without entries, until the returned function is called. */
  hold(extent: Extent): () => void {
    this.#held.add(extent);
    return () => void this.#held.delete(extent);
  }

  /**
   * The number after the last block of a branch that is in use; 0 without one. The chain that writes
   * to a branch has no reference to it.
   */
  neededHeight(branch: number): number {
    const [last] = this.#database.getKeys({
      start: referenceKey(branch, LARGEST, LARGEST),
      end: referenceKey(branch, 0, 0),
      reverse: true,
      limit: 1,
    });
    return Math.max(last ? endInReference(last) : 0, neededBy(this.#held, branch));
  }
}

/** Entries that replace the references of a chain by others. */
export function* changedReferences(
  instance: number,
  before: BranchUse,
  after: BranchUse,
): Generator<Entry, void, undefined> {
  for (const [branch, end] of before) {
    if (after.get(branch) !== end) yield [referenceKey(branch, end, instance), undefined];
  }
  for (const [branch, end] of after) {
    if (before.get(branch) !== end) yield [referenceKey(branch, end, instance), EMPTY];
  }
}

/** Branches of which a chain uses fewer blocks than before. */
export function* findReleased(
  before: BranchUse,
  after: BranchUse,
): Generator<number, void, undefined> {
  for (const [branch, end] of before) if ((after.get(branch) ?? 0) < end) yield branch;
}
