// An exclusive lock on a file.

import type * as binding from '../binding.js';
import { addon } from './addon.js';
import { callNow } from './call.js';

/** A held lock; the system releases it when the process ends, even by a crash. */
export class FileLock {
  readonly #native: binding.FileLock;

  /** @internal */
  constructor(native: binding.FileLock) {
    this.#native = native;
  }

  /** Locks a file, creating it if needed; `undefined` if another process holds the lock. */
  static take(path: string): FileLock | undefined {
    const native = callNow(() => addon.FileLock.take(path));
    return native ? new FileLock(native) : undefined;
  }

  release(): void {
    this.#native.release();
  }
}
