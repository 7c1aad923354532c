// The open database file, and whether its directory still has it.
import { closeSync, fstatSync, statSync } from 'node:fs';
import { openRegular } from '../../files/regular-file.js';
import { stopwatch } from '../../probe.js';

/** How long one check holds. */
const MAX_SECONDS = 0.001;

/** Detects changes by other programs to a file while it is open. */
export class OpenFile {
  readonly #path: string;
  readonly #descriptor: number;
  /** The largest size so far: the database never shrinks the file. */
  #size: number;
  #isChecked = false;
  #secondsSinceCheck = stopwatch();

  constructor(path: string) {
    this.#path = path;
    this.#descriptor = openRegular(path);
    this.#size = fstatSync(this.#descriptor).size;
  }

  /** The change, to follow the file's name in a sentence; `undefined` for none. */
  fault(): string | undefined {
    const open = fstatSync(this.#descriptor);
    if (open.size < this.#size) return cut(this.#size, open.size);
    this.#size = open.size;
    const status = statSync(this.#path, { throwIfNoEntry: false });
    if (!status) return 'was removed while the node was running';
    if (status.ino === open.ino && status.dev === open.dev) return undefined;
    return 'was replaced by another file while the node was running';
  }

  /**
   * As `fault`, but a removed file can still be read. Checks once per turn of the event loop, and again
   * in a turn that takes long.
   */
  readingFault(): string | undefined {
    if (this.#isChecked && this.#secondsSinceCheck() < MAX_SECONDS) return undefined;
    const { size } = fstatSync(this.#descriptor);
    if (size < this.#size) return cut(this.#size, size);
    this.#secondsSinceCheck = stopwatch();
    if (this.#isChecked) return undefined;
    this.#isChecked = true;
    setImmediate(() => {
      this.#isChecked = false;
    });
    return undefined;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

const cut = (from: number, to: number): string =>
  `was truncated from ${from} to ${to} bytes while the node was running`;
