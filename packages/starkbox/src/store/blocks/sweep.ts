// Deletion of blocks that no chain uses, in chunks between other commits.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Entry } from '../database/database.js';
import {
  ABANDONED_BRANCHES,
  abandonedKey,
  branchInAbandoned,
  numberIn,
  numberValue,
} from '../database/keys.js';
import { garbageEntries } from './block-entries.js';
import type { BlockRange } from './branches.js';
import type { References } from './references.js';

/** Blocks that are deleted in one commit. */
const CHUNK = 256;

export interface SweepParts {
  readonly database: Database;
  readonly references: References;
  readonly write: (entries: readonly Entry[]) => Promise<void>;
}

/** Looks only at branches of which something was released since the last look. */
export class Sweep {
  readonly #parts: SweepParts;
  /** Branches to look at; undefined until the abandoned branches on disk were listed. */
  #branches: Set<number> | undefined;
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(parts: SweepParts) {
    this.#parts = parts;
  }

  /** @param branches that were abandoned, or of which a chain uses fewer blocks */
  begin(branches: Iterable<number>): void {
    for (const branch of branches) this.#branches?.add(branch);
    if (this.#branches?.size === 0) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Ends after the chunk that is being deleted. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    // Until then, a change is on disk and not yet published.
    await nextTurn();
    try {
      const { database } = this.#parts;
      this.#branches ??= new Set([...database.getKeys(ABANDONED_BRANCHES)].map(branchInAbandoned));
    } catch {
      return; // tried again after the next commit
    }
    const branches = this.#branches;
    for (const branch of branches) {
      // Before the look: more can be released while blocks are deleted.
      branches.delete(branch);
      try {
        await this.#sweep(branch);
      } catch {
        branches.add(branch); // tried again after the next commit
        return;
      }
    }
  }

  async #sweep(branch: number): Promise<void> {
    while (!this.#isStopped) {
      const garbage = this.#garbageIn(branch);
      if (!garbage) return;
      await this.#delete(garbage);
      await nextTurn();
    }
  }

  #garbageIn(branch: number): BlockRange | undefined {
    const { database, references } = this.#parts;
    const end = database.get(abandonedKey(branch));
    const from = references.neededHeight(branch);
    return end && from < numberIn(end) ? { branch, from, to: numberIn(end) } : undefined;
  }

  async #delete(garbage: BlockRange): Promise<void> {
    const { database, write } = this.#parts;
    const { branch, from } = garbage;
    const entries = [...garbageEntries(database, garbage, CHUNK)];
    const isLast = entries.length === 0;
    const rest: Entry = [abandonedKey(branch), from === 0 ? undefined : numberValue(from)];
    await write(isLast ? [rest] : entries);
  }
}
