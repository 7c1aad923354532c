// Database of chains: entries by key in the order of the keys, written in batches.

/** An entry to write, or to delete where it has no value. */
export type Entry = readonly [key: Buffer, value: Buffer | undefined];

/** An entry that was read. */
export interface Found {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Entries from `start` on and before `end`; reversed, from `start` down to the one after `end`. */
export interface EntryRange {
  readonly start?: Buffer;
  readonly end?: Buffer;
  readonly reverse?: boolean;
  readonly limit?: number;
}

export interface Database {
  get(key: Buffer): Buffer | undefined;
  has(key: Buffer): boolean;
  getKeys(range: EntryRange): Iterable<Buffer>;
  getRange(range: EntryRange): Iterable<Found>;
  /** An entry that cannot be decoded is damage; `what` names the entry. */
  decode<T>(what: string, read: () => T): T;
  /** Resolves when all entries are durable; they are written all or not at all. */
  write(entries: readonly Entry[]): Promise<void>;
}

/** A database in a file of its own. */
export interface FileDatabase extends Database {
  /** Whether there is no entry at all. */
  readonly isEmpty: boolean;
  /** As `write`, and deletes all other entries in the same commit. */
  replaceAll(entries: readonly Entry[]): Promise<void>;
  /** Rewrites a large file of which more than half is unused. */
  compact(): Promise<void>;
  close(): Promise<void>;
}

/** A format of database files. */
export interface DatabaseFormat {
  /** @param path of a file that was checked, or does not exist */
  open(path: string): FileDatabase;
  /** Why a file is damaged or of another format, to continue a sentence; undefined if it is neither. */
  faultIn(path: string): string | undefined;
  /** The file beside a database that the processes that use it share. */
  lockPath(path: string): string;
  /** The compacted copy before it replaces the file. */
  compactedPath(path: string): string;
}

/** The file was changed by another program, so nothing may be written to it. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
  /** Whether the entries may have been written nevertheless. */
  readonly isLate: boolean;

  constructor(message: string, isLate: boolean) {
    super(message);
    this.isLate = isLate;
  }
}
