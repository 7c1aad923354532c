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
  /** All entries up to this item are on disk. */
  readonly onCommitted: (meaning: T) => void;
  /** All items that were pushed and not committed are dropped. */
  readonly onFailed: () => void;
}

/** Items that are pushed during a commit are written together by the next one. */
export class CommitQueue<T> {
  readonly #database: Database;
  readonly #explain: (error: unknown) => Promise<RpcError>;
  readonly #listener: Listener<T>;
  #waiting: Waiting<T>[] = [];
  #flushing: Promise<void> | undefined;

  /** @param explain makes the error for callers from a failed write */
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
        // Later items depend on the failed ones.
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
