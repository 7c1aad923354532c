// Queue of entries for the database: in order, in batches, and stopped by the first failure.
import type { RpcError } from '../errors.js';
import type { Database, Entry } from './database.js';

interface Waiting<T> {
  readonly entries: readonly Entry[];
  readonly meaning: T;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

export interface Listener<T> {
  /** Everything up to this is on disk. */
  readonly onCommitted: (meaning: T) => void;
  /** What was pushed and is not on disk never will be. */
  readonly onFailed: () => void;
}

/** Whatever waits while something is being written is written together: one commit for all of it. */
export class CommitQueue<T> {
  readonly #database: Database;
  readonly #explain: (error: unknown) => Promise<RpcError>;
  readonly #listener: Listener<T>;
  #waiting: Waiting<T>[] = [];
  #flushing: Promise<void> | undefined;

  /** @param explain what to tell of a write that failed */
  constructor(
    database: Database,
    explain: (error: unknown) => Promise<RpcError>,
    listener: Listener<T>,
  ) {
    this.#database = database;
    this.#explain = explain;
    this.#listener = listener;
  }

  /** Resolves when the entries are on disk; they are written all or not at all. */
  push(entries: readonly Entry[], meaning: T): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ entries, meaning, done, failed });
      this.#flushing ??= this.#flush();
    });
  }

  async idle(): Promise<void> {
    await this.#flushing;
  }

  /** Writes entries that nothing else depends on. */
  async write(entries: readonly Entry[]): Promise<void> {
    try {
      await this.#database.write(entries);
    } catch (error) {
      throw await this.#explain(error);
    }
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0);
      try {
        await this.write(group.flatMap(({ entries }) => entries));
      } catch (error) {
        // What came after was built upon it.
        const lost = [...group, ...this.#waiting.splice(0)];
        this.#listener.onFailed();
        for (const { failed } of lost) failed(error);
        continue;
      }
      for (const { meaning, done } of group) {
        this.#listener.onCommitted(meaning);
        done();
      }
    }
    this.#flushing = undefined;
  }
}
