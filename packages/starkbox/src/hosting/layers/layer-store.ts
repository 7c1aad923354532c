// Tables in an object store, by the hash of their bytes, and a cache of those that were read.
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { BoundedMap } from '../../bounded-map.js';
import { reasonOf } from '../../errors.js';
import { stopwatch } from '../../probe.js';
import { type ObjectStore, UncertainError } from '../objects/object-store.js';
import { Table } from './table.js';

const deflated = promisify(deflateRaw);
const inflated = promisify(inflateRaw);

/** Tables that no chain uses stay in memory up to so many bytes. */
const CACHE_BYTES = 256 * 1024 * 1024;
const CACHE_TABLES = 4096;
const PATIENCE_SECONDS = 20;
const PAUSE_MILLISECONDS = 250;
/** Of compression: the fastest, because a wake-up waits for it. */
const LEVEL = 1;

export class LayerStore {
  readonly #objects: ObjectStore;
  /** The tables that were used last. */
  readonly #recent = new BoundedMap<string, Table>(CACHE_TABLES, {
    sizeOf: ({ bytes }) => bytes,
    most: CACHE_BYTES,
  });
  /** All that are in use, also beyond the limit of the cache. */
  readonly #inUse = new Map<string, WeakRef<Table>>();
  readonly #reading = new Map<string, Promise<Table>>();
  readonly #hashes = new WeakMap<Table, string>();
  readonly #ended = new FinalizationRegistry<string>((hash) => {
    if (this.#inUse.get(hash)?.deref() === undefined) this.#inUse.delete(hash);
  });

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  /** A table by its hash. */
  async read(hash: string): Promise<Table> {
    const known = this.#inUse.get(hash)?.deref();
    if (known) {
      this.#recent.set(hash, known);
      return known;
    }
    const reading =
      this.#reading.get(hash) ?? this.#load(hash).finally(() => this.#reading.delete(hash));
    this.#reading.set(hash, reading);
    return reading;
  }

  async #load(hash: string): Promise<Table> {
    const found = await this.#objects.get(keyOf(hash));
    if (!found) throw new Error(`${this.#objects.shown} has no object ${keyOf(hash)}`);
    if (hashOf(found.bytes) !== hash) {
      throw new Error(`the object ${keyOf(hash)} in ${this.#objects.shown} is damaged`);
    }
    try {
      const table = new Table(await inflated(found.bytes));
      this.#keep(hash, table);
      return table;
    } catch (error) {
      throw new Error(`the object ${keyOf(hash)} cannot be read: ${reasonOf(error)}`);
    }
  }

  /**
   * Stores a table, unless it was stored or read before.
   *
   * @param patience seconds for which it is tried again while the store does not answer
   * @returns its hash
   */
  async write(table: Table, patience: number = PATIENCE_SECONDS): Promise<string> {
    const known = this.#hashes.get(table);
    if (known !== undefined) return known;
    const bytes = await deflated(table.data, { level: LEVEL });
    const hash = hashOf(bytes);
    await this.#put(keyOf(hash), bytes, patience);
    this.#keep(hash, table);
    return hash;
  }

  /** The content is always the same, so it may be written twice. */
  async #put(key: string, bytes: Buffer, patience: number): Promise<void> {
    const waited = stopwatch();
    while (true) {
      try {
        await this.#objects.put(key, bytes);
        return;
      } catch (error) {
        if (!(error instanceof UncertainError) || waited() > patience) throw error;
        await delay(PAUSE_MILLISECONDS);
      }
    }
  }

  #keep(hash: string, table: Table): void {
    this.#hashes.set(table, hash);
    this.#inUse.set(hash, new WeakRef(table));
    this.#ended.register(table, hash);
    this.#recent.set(hash, table);
  }
}

const keyOf = (hash: string): string => `layers/${hash}`;

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
