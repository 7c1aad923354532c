// Queue of entries for the database: in order, in batches, and stopped by the first failure.
import type { Entry } from './database.js';

export interface Listener {
  /** The entries are on disk. */
  readonly onCommitted: () => void;
  /** The entries are dropped. */
  readonly onFailed: (error: unknown) => void;
}

interface QueuedWrite {
  readonly entries: readonly Entry[];
  readonly listener: Listener;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Items that are pushed during a commit are written together by the next one. */
export class CommitQueue {
  readonly #write: (entries: readonly Entry[]) => Promise<void>;
  #waiting: QueuedWrite[] = [];
  #flushing: Promise<void> | undefined;

  /** @param write resolves when all entries are on disk, or rejects and writes none */
  constructor(write: (entries: readonly Entry[]) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when the entries are on disk; they are written all or not at all. */
  push(entries: readonly Entry[], listener: Listener): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entries, listener, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  async idle(): Promise<void> {
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0);
      try {
        await this.#write(group.flatMap(({ entries }) => entries));
      } catch (error) {
        // Later items can depend on the failed ones.
        const lost = [...group, ...this.#waiting.splice(0)];
        for (const { listener } of lost) listener.onFailed(error);
        for (const { reject } of lost) reject(error);
        continue;
      }
      for (const { listener, resolve } of group) {
        listener.onCommitted();
        resolve();
      }
    }
    this.#flushing = undefined;
  }
}
