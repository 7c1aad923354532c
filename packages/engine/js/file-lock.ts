// An exclusive lock on a file.

import { takeLock } from './addon.js';
import { callNow } from './call.js';
import type { HeldLock } from './process-lock.js';

/** A held lock; the system releases it when the process ends, even by a crash. */
export class FileLock {
  readonly #lock: HeldLock;

  /** @internal */
  constructor(lock: HeldLock) {
    this.#lock = lock;
  }

  /** Locks a file, creating it if needed; `undefined` if another process holds the lock. */
  static take(path: string): FileLock | undefined {
    const lock = callNow(() => takeLock(path));
    return lock ? new FileLock(lock) : undefined;
  }

  release(): void {
    this.#lock.release();
  }
}
