// An exclusive lock on a file.

import { type HeldLock, takeLock } from './addon.js';
import { callNow } from './call.js';

/** A held lock; the system releases it when the process ends, even by a crash. */
export class FileLock {
  readonly #held: HeldLock;

  /** @internal */
  constructor(held: HeldLock) {
    this.#held = held;
  }

  /** Locks a file, creating it if needed; `undefined` if another process holds the lock. */
  static take(path: string): FileLock | undefined {
    const held = callNow(() => takeLock(path));
    return held ? new FileLock(held) : undefined;
  }

  release(): void {
    this.#held.release();
  }
}
