// Database of a data directory: entries by key, written in batches, and errors of damage.
import { renameSync, rmSync, statSync } from 'node:fs';
import { open, type RangeOptions, type RootDatabase } from 'lmdb';
import { RpcError, reasonOf } from '../errors.js';
import { ERRORS } from '../spec.js';
import { OpenFile } from './open-file.js';

/** An entry to write, or to delete where it has no value. */
export type Entry = readonly [key: Buffer, value: Buffer | undefined];

interface Found {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** With more than this in the file, and most of it unused, it is written anew when it is opened. */
const COMPACT_BYTES = 64 * 1024 * 1024;

/** Where a file is written anew before it takes the place of the old one. */
export const compactedPath = (path: string): string => `${path}.compact`;

/** The file is not what was opened any more, so nothing may be written to it. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
  /** Whether the entries may have been written nevertheless. */
  readonly isLate: boolean;

  constructor(message: string, isLate: boolean) {
    super(message);
    this.isLate = isLate;
  }
}

export class Database {
  readonly path: string;
  #database: RootDatabase<Buffer, Buffer>;
  #file: OpenFile;
  /** Entries were written that the chain in memory does not have. */
  #lateFault: FileFault | undefined;

  /** @param path of a file that is whole, or is not there yet */
  constructor(path: string) {
    this.path = path;
    this.#database = openDatabase(path);
    this.#file = new OpenFile(path);
  }

  get(key: Buffer): Buffer | undefined {
    this.#mustBeReadable();
    return this.decode('an entry', () => this.#database.getBinary(key));
  }

  /** Whether there is no entry at all. */
  get isEmpty(): boolean {
    const [first] = this.getKeys({ limit: 1 });
    return first === undefined;
  }

  *getKeys(range: RangeOptions): Generator<Buffer, void, undefined> {
    this.#mustBeReadable();
    yield* this.#all(this.#database.getKeys(range));
  }

  *getRange(range: RangeOptions): Generator<Found, void, undefined> {
    this.#mustBeReadable();
    yield* this.#all(this.#database.getRange(range));
  }

  *#all<T>(found: Iterable<T>): Generator<T, void, undefined> {
    try {
      for (const each of found) yield each;
    } catch (error) {
      throw this.#damage(`entries cannot be read (${reasonOf(error)})`);
    }
  }

  /** What was read and makes no sense is damage of the file; `what` says which part of it. */
  decode<T>(what: string, read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw this.#damage(`${what} cannot be read (${reasonOf(error)})`);
    }
  }

  /** Resolves when all of them are on disk, in the directory. */
  write(entries: readonly Entry[]): Promise<void> {
    return this.#commit(() => this.#put(entries));
  }

  /** The same, with all that was there before deleted in the same commit. */
  replaceAll(entries: readonly Entry[]): Promise<void> {
    return this.#commit(() => [this.#database.clearAsync(), ...this.#put(entries)]);
  }

  #put(entries: readonly Entry[]): readonly Promise<unknown>[] {
    return entries.map(([key, value]) =>
      value ? this.#database.put(key, value) : this.#database.remove(key),
    );
  }

  async #commit(ask: () => readonly Promise<unknown>[]): Promise<void> {
    this.#mustBeInPlace(false);
    let promises: readonly Promise<unknown>[] = [];
    const all = this.#database.batch(() => {
      promises = ask();
    });
    // They fail together, and each would be reported if nothing listened to it.
    for (const promise of promises) promise.catch(() => {});
    await all;
    this.#mustBeInPlace(true);
  }

  /** Makes the file small again where more than half of a large one is left over from what is gone. */
  async compact(): Promise<void> {
    if (!this.#isMostlyUnused()) return;
    const copy = compactedPath(this.path);
    rmSync(copy, { force: true });
    await this.#database.backup(copy, true);
    await this.close();
    renameSync(copy, this.path);
    this.#database = openDatabase(this.path);
    this.#file = new OpenFile(this.path);
  }

  #isMostlyUnused(): boolean {
    const { size } = statSync(this.path);
    if (size < COMPACT_BYTES) return false;
    const stats: { readonly [name: string]: unknown } = { ...this.#database.getStats() };
    const pages = (name: string): number => Number(stats[name] ?? 0);
    const used = pages('treeBranchPageCount') + pages('treeLeafPageCount') + pages('overflowPages');
    return used * pages('pageSize') < size / 2;
  }

  async close(): Promise<void> {
    this.#file.close();
    await this.#database.close();
  }

  #mustBeInPlace(isLate: boolean): void {
    if (this.#lateFault) throw this.#lateFault;
    const fault = this.#file.fault();
    if (fault === undefined) return;
    const error = new FileFault(`${this.path} ${fault}`, isLate);
    if (isLate) this.#lateFault = error;
    throw error;
  }

  /** Reading a part of the file that is gone would end the process. */
  #mustBeReadable(): void {
    const fault = this.#file.readingFault();
    if (fault !== undefined) throw this.#damage(fault, '');
  }

  #damage(what: string, is = 'is damaged: '): RpcError {
    return new RpcError(
      ERRORS.INTERNAL_ERROR.code,
      `${this.path} ${is}${what}. Stop the node and put the data directory back from a copy, or load an image of the chain into a new one with devnet_load.`,
    );
  }
}

function openDatabase(path: string): RootDatabase<Buffer, Buffer> {
  // Plain commits: one that has resolved is on disk. Nothing is compressed twice.
  return open<Buffer, Buffer>({
    path,
    noSubdir: true,
    encoding: 'binary',
    keyEncoding: 'binary',
    overlappingSync: false,
    // What belongs together is told by `batch`; turns of the event loop mean nothing.
    eventTurnBatching: false,
    cache: false,
  });
}
