// Database of one chain in memory: its own entries over tables that it shares with other chains.
import {
  type Database,
  type Entry,
  type EntryRange,
  ERRORS,
  type Found,
  RpcError,
  reasonOf,
  SerialQueue,
} from 'starkbox/registry';
import { type MemoryRun, merged, type Run } from './run.js';
import type { Table } from './table.js';

/** The entries of a chain: tables, the oldest first, and the newest entries over them. */
export interface Layers {
  readonly tables: readonly Table[];
  readonly newest: MemoryRun;
}

/** Makes layers durable before they are read. @returns what takes their place */
export type Persist = (layers: Layers) => Promise<Layers>;

export class LayeredDatabase implements Database {
  readonly #shown: string;
  readonly #persist: Persist;
  #layers: Layers;
  /** The newest first. */
  #runs: readonly Run[];
  readonly #writes = new SerialQueue();

  /** @param title names the chain in messages */
  constructor(title: string, layers: Layers, persist: Persist) {
    this.#shown = title;
    this.#layers = layers;
    this.#runs = runsOf(layers);
    this.#persist = persist;
  }

  get layers(): Layers {
    return this.#layers;
  }

  get(key: Buffer): Buffer | undefined {
    for (const run of this.#runs) {
      const at = run.lowerBound(key);
      if (at < run.count && run.keyAt(at).equals(key)) return run.valueAt(at);
    }
    return undefined;
  }

  has(key: Buffer): boolean {
    return this.get(key) !== undefined;
  }

  *getKeys(range: EntryRange): Generator<Buffer, void, undefined> {
    for (const { key } of this.getRange(range)) yield key;
  }

  *getRange({ start, end, reverse = false, limit }: EntryRange): Generator<Found, void, undefined> {
    let remaining = limit ?? Number.POSITIVE_INFINITY;
    if (remaining <= 0) return;
    for (const [key, value] of merged(this.#runs, { start, end, isReversed: reverse })) {
      if (!value) continue;
      yield { key, value };
      remaining -= 1;
      if (remaining <= 0) return;
    }
  }

  decode<T>(what: string, read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw new RpcError(
        ERRORS.INTERNAL_ERROR.code,
        `${this.#shown} is damaged in the store: ${what} cannot be read (${reasonOf(error)}). Restore the objects of the store from a copy.`,
      );
    }
  }

  /** One after the other, in the order of the calls. */
  write(entries: readonly Entry[]): Promise<void> {
    return this.rewrite(({ tables, newest }) =>
      this.#persist({ tables, newest: newest.with(entries) }),
    );
  }

  /** Replaces the layers by others, after all writes that were begun before. */
  rewrite(change: Persist): Promise<void> {
    return this.#writes.run(async () => {
      this.#layers = await change(this.#layers);
      this.#runs = runsOf(this.#layers);
    });
  }
}

function runsOf({ tables, newest }: Layers): readonly Run[] {
  return [newest, ...tables.toReversed()];
}
