// Database of chains: entries by key in the order of the keys, written in batches.

/** An entry to write, or to delete where it has no value. */
export type Entry = readonly [key: Buffer, value: Buffer | undefined];

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
