// Database in a file of a data directory, and errors of its damage.
import { renameSync, rmSync, statSync } from 'node:fs';
import { ERRORS } from '@starkbox/spec';
import { open, type RootDatabase } from 'lmdb';
import { RpcError, reasonOf } from '../../errors.js';
import {
  type DatabaseFormat,
  type Entry,
  type EntryRange,
  type FileDatabase,
  FileFault,
  type Found,
} from './database.js';
import { faultIn } from './file-fault.js';
import { OpenFile } from './open-file.js';
import { FullDisk, freeBytes, isFull, lockPath, reserveSpace } from './reserve-space.js';

/** A file larger than this, and mostly unused, is compacted when it is opened. */
const COMPACT_BYTES = 64 * 1024 * 1024;

const compactedPath = (path: string): string => `${path}.compact`;

export const LMDB: DatabaseFormat = {
  open: (path) => new LmdbDatabase(path),
  faultIn,
  lockPath,
  compactedPath,
};

export class LmdbDatabase implements FileDatabase {
  readonly path: string;
  #database: RootDatabase<Buffer, Buffer>;
  #file: OpenFile;
  /** Set when entries may be on disk that the world in memory does not have. */
  #lateFault: FileFault | undefined;

  /** @param path of a file that was checked, or does not exist */
  constructor(path: string) {
    this.path = path;
    this.#database = openDatabase(path);
    this.#file = new OpenFile(path);
  }

  get(key: Buffer): Buffer | undefined {
    this.#assertReadable();
    return this.decode('an entry', () => this.#database.getBinary(key));
  }

  has(key: Buffer): boolean {
    this.#assertReadable();
    return this.decode('an entry', () => this.#database.doesExist(key));
  }

  /** Whether there is no entry at all. */
  get isEmpty(): boolean {
    const [first] = this.getKeys({ limit: 1 });
    return first === undefined;
  }

  *getKeys(range: EntryRange): Generator<Buffer, void, undefined> {
    this.#assertReadable();
    yield* this.#all(this.#database.getKeys(range));
  }

  *getRange(range: EntryRange): Generator<Found, void, undefined> {
    this.#assertReadable();
    yield* this.#all(this.#database.getRange(range));
  }

  *#all<T>(entries: Iterable<T>): Generator<T, void, undefined> {
    try {
      for (const entry of entries) yield entry;
    } catch (error) {
      throw this.#damage(`entries cannot be read (${reasonOf(error)})`);
    }
  }

  /** An entry that cannot be decoded is damage of the file; `what` names the entry. */
  decode<T>(what: string, read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw this.#damage(`${what} cannot be read (${reasonOf(error)})`);
    }
  }

  /** Resolves when all entries are on disk, in a file that the directory still has. */
  write(entries: readonly Entry[]): Promise<void> {
    return this.#commit(() => this.#put(entries));
  }

  /** As `write`, and deletes all other entries in the same commit. */
  replaceAll(entries: readonly Entry[]): Promise<void> {
    return this.#commit(() => [this.#database.clearAsync(), ...this.#put(entries)]);
  }

  #put(entries: readonly Entry[]): readonly Promise<unknown>[] {
    return entries.map(([key, value]) =>
      value ? this.#database.put(key, value) : this.#database.remove(key),
    );
  }

  async #commit(change: () => readonly Promise<unknown>[]): Promise<void> {
    this.#assertInPlace(false);
    // Where not even a part can be written, LMDB describes it in a buffer that may be too short.
    if (isFull(this.path)) throw new FullDisk();
    let promises: readonly Promise<unknown>[] = [];
    const all = this.#database.batch(() => {
      promises = change();
    });
    // They fail together; without a handler, each would be an unhandled rejection.
    for (const promise of promises) promise.catch(() => {});
    await all;
    this.#assertInPlace(true);
  }

  /** Rewrites a large file of which more than half is unused. */
  async compact(): Promise<void> {
    if (!this.#canBeCompacted()) return;
    const copy = compactedPath(this.path);
    rmSync(copy, { force: true });
    await this.#database.backup(copy, true);
    await this.close();
    renameSync(copy, this.path);
    this.#database = openDatabase(this.path);
    this.#file = new OpenFile(this.path);
  }

  /** Whether less than half of the file is used, and the disk has space for a copy of that. */
  #canBeCompacted(): boolean {
    const { size } = statSync(this.path);
    // The copy has at most half of the size.
    if (size < COMPACT_BYTES || freeBytes(this.path) < size / 2) return false;
    const stats: { readonly [name: string]: unknown } = { ...this.#database.getStats() };
    const pages = (name: string): number => Number(stats[name] ?? 0);
    const usedPages =
      pages('treeBranchPageCount') + pages('treeLeafPageCount') + pages('overflowPages');
    return usedPages * pages('pageSize') < size / 2;
  }

  async close(): Promise<void> {
    this.#file.close();
    await this.#database.close();
  }

  #assertInPlace(isLate: boolean): void {
    if (this.#lateFault) throw this.#lateFault;
    const fault = this.#file.fault();
    if (fault === undefined) return;
    const error = new FileFault(`${this.path} ${fault}`, isLate);
    if (isLate) this.#lateFault = error;
    throw error;
  }

  /** A read from a truncated part of the map would kill the process. */
  #assertReadable(): void {
    const fault = this.#file.readingFault();
    if (fault !== undefined) throw this.#damage(fault, '');
  }

  #damage(what: string, is = 'is damaged: '): RpcError {
    return new RpcError(
      ERRORS.INTERNAL_ERROR.code,
      `${this.path} ${is}${what}. Stop the node and restore the data directory from a copy, or load an image of the chain into a new directory with devnet_load.`,
    );
  }
}

function openDatabase(path: string): RootDatabase<Buffer, Buffer> {
  reserveSpace(path);
  // Plain commits: one that has resolved is on disk. Values are compressed already.
  return open<Buffer, Buffer>({
    path,
    noSubdir: true,
    encoding: 'binary',
    keyEncoding: 'binary',
    overlappingSync: false,
    // Commits are delimited by `batch`, not by turns of the event loop.
    eventTurnBatching: false,
    cache: false,
  });
}
