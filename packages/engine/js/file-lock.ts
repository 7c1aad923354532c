// Knows how one process keeps all others out of a file.

import * as binding from '../binding.js';
import { now } from './error.js';

/** A held file; the system lets go of it when the process ends, however it ends. */
export class FileLock {
  readonly #native: binding.FileLock;

  /** @internal */
  constructor(native: binding.FileLock) {
    this.#native = native;
  }

  /** Takes hold of a file, which is made if it is not there; `undefined` if somebody else has it. */
  static take(path: string): FileLock | undefined {
    const native = now(() => binding.FileLock.take(path));
    return native ? new FileLock(native) : undefined;
  }

  release(): void {
    this.#native.release();
  }
}
