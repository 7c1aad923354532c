// What all chains of a data directory share: its database, the order of commits, the numbers of branches.
import type { RpcError } from '../errors.js';
import { References } from './blocks/references.js';
import { Sweep } from './blocks/sweep.js';
import { CommitQueue, type Listener } from './database/commit-queue.js';
import type { Database, Entry } from './database/database.js';
import { numberIn, numberValue, singleKey } from './database/keys.js';

/** Makes the error for callers from a failed write. */
export type Explain = (error: unknown) => Promise<RpcError>;

export class SharedStore {
  readonly database: Database;
  readonly references: References;
  readonly #explain: Explain;
  readonly #queue: CommitQueue;
  readonly #sweep: Sweep;
  #nextBranch: number;
  /** As on disk. */
  #durableNextBranch: number;

  constructor(database: Database, explain: Explain) {
    this.database = database;
    this.#explain = explain;
    this.references = new References(database);
    const write = (entries: readonly Entry[]): Promise<void> => this.write(entries);
    this.#queue = new CommitQueue(write);
    this.#sweep = new Sweep({ database, references: this.references, write });
    const next = database.get(singleKey('nextBranch'));
    this.#nextBranch = next ? numberIn(next) : 1;
    this.#durableNextBranch = this.#nextBranch;
  }

  /** A number that no branch of any chain has. */
  newBranch(): number {
    this.#nextBranch += 1;
    return this.#nextBranch - 1;
  }

  /**
   * Writes entries in the order of the calls; resolves when they are on disk.
   *
   * @param branchesToSweep branches that may have unused blocks afterwards
   */
  commit(
    entries: readonly Entry[],
    branchesToSweep: Iterable<number>,
    listener: Listener,
  ): Promise<void> {
    return this.#queue.push(entries, {
      onCommitted: () => {
        listener.onCommitted();
        this.#sweep.begin(branchesToSweep);
      },
      onFailed: listener.onFailed,
    });
  }

  /** Writes entries that nothing else depends on, at once. */
  async write(entries: readonly Entry[]): Promise<void> {
    const next = this.#nextBranch;
    // Written when it is the newest: commits of several chains are prepared at the same time.
    const number: Entry = [singleKey('nextBranch'), numberValue(next)];
    try {
      await this.database.write(next === this.#durableNextBranch ? entries : [...entries, number]);
    } catch (error) {
      throw await this.#explain(error);
    }
    this.#durableNextBranch = Math.max(this.#durableNextBranch, next);
  }

  /** @param branches that may have unused blocks */
  sweep(branches: Iterable<number>): void {
    this.#sweep.begin(branches);
  }

  /** Waits for pending writes. */
  async close(): Promise<void> {
    await this.#queue.idle();
    await this.#sweep.stop();
  }
}
