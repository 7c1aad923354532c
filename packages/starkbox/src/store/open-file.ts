// The open database file, and whether its directory still has it.
import { closeSync, fstatSync, openSync, statSync } from 'node:fs';

/** Notices what other programs do to a file while it is open. */
export class OpenFile {
  readonly #path: string;
  readonly #descriptor: number;
  /** It has never been shorter since: a database of ours only grows. */
  #size: number;
  #isLookedAt = false;

  constructor(path: string) {
    this.#path = path;
    this.#descriptor = openSync(path, 'r');
    this.#size = fstatSync(this.#descriptor).size;
  }

  /** What happened to it, to follow its name in a sentence; `undefined` for nothing. */
  fault(): string | undefined {
    const open = fstatSync(this.#descriptor);
    if (open.size < this.#size) return cut(this.#size, open.size);
    this.#size = open.size;
    const found = statSync(this.#path, { throwIfNoEntry: false });
    if (!found) return 'was removed while the node was running';
    if (found.ino === open.ino && found.dev === open.dev) return undefined;
    return 'was replaced by another file while the node was running';
  }

  /** The same for a reader: a removed file can still be read. Looks once per turn of the event loop. */
  readingFault(): string | undefined {
    if (this.#isLookedAt) return undefined;
    const { size } = fstatSync(this.#descriptor);
    if (size < this.#size) return cut(this.#size, size);
    this.#isLookedAt = true;
    setImmediate(() => {
      this.#isLookedAt = false;
    });
    return undefined;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

const cut = (from: number, to: number): string =>
  `was cut from ${from} to ${to} bytes while the node was running`;
