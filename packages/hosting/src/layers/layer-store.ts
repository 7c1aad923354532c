// Tables in an object store, by the hashes of their bytes, and a cache of those that were read.

import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { BoundedMap, inflateLimit, reasonOf } from 'starkbox/registry';
import {
  type MayRetry,
  type ObjectStore,
  retryFor,
  UncertainError,
} from '../objects/object-store.js';
import { Age } from './age.js';
import { Table } from './table.js';

const deflated = promisify(deflateRaw);
const inflated = promisify(inflateRaw);

/** Tables that no chain uses stay in memory up to so many bytes. */
const CACHE_BYTES = 256 * 1024 * 1024;
const CACHE_TABLES = 4096;
const RETRY_SECONDS = 20;
const PAUSE_MILLISECONDS = 250;
/** Of compression: the fastest, because a load waits for it. */
const LEVEL = 1;
const COPY_BYTES = 4;

/**
 * A manifest may newly refer to an object that was written so many seconds ago; to an older one only if it did before.
 * Objects that no manifest refers to are deleted when they are older than twice that.
 */
export const FRESH_SECONDS: number = 12 * 3600;
export const LAYERS = 'layers/';

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
  /** The objects that hold a table, and how old each is. */
  readonly #objectsOf = new WeakMap<Table, Map<string, Age>>();
  readonly #writing = new WeakMap<Table, Promise<string>>();
  readonly #fresh: number;
  readonly #ended = new FinalizationRegistry<string>((hash) => {
    if (this.#inUse.get(hash)?.deref() === undefined) this.#inUse.delete(hash);
  });

  /** @param fresh seconds for which an object that was written may be referred to newly */
  constructor(objects: ObjectStore, fresh: number = FRESH_SECONDS) {
    this.#objects = objects;
    this.#fresh = fresh;
  }

  /** A table by the name of an object that holds it. */
  async read(name: string): Promise<Table> {
    const hash = hashIn(name);
    const loaded = this.#inUse.get(hash)?.deref();
    if (loaded) {
      this.#keep(name, loaded, Age.UNKNOWN);
      return loaded;
    }
    const reading =
      this.#reading.get(hash) ?? this.#load(name).finally(() => this.#reading.delete(hash));
    this.#reading.set(hash, reading);
    const table = await reading;
    this.#keep(name, table, Age.UNKNOWN);
    return table;
  }

  async #load(name: string): Promise<Table> {
    const key = layerKey(name);
    const stored = await this.#objects.get(key);
    if (!stored) throw new Error(`${this.#objects.displayName} has no object ${key}`);
    if (hashOf(stored.bytes) !== hashIn(name)) {
      throw new Error(`the object ${key} in ${this.#objects.displayName} is damaged`);
    }
    try {
      const maxOutputLength = inflateLimit(stored.bytes.length);
      const table = new Table(await inflated(stored.bytes, { maxOutputLength }));
      this.#keep(name, table, new Age(stored.age));
      return table;
    } catch (error) {
      throw new Error(`the object ${key} cannot be read: ${reasonOf(error)}`);
    }
  }

  /**
   * The name of an object with a table, which is written unless there is one that may be referred to.
   *
   * @param referred names that the manifest to be replaced refers to
   * @param mayRetry whether it is tried again while the store does not answer
   */
  async write(
    table: Table,
    referred: readonly string[] = [],
    mayRetry: MayRetry = retryFor(RETRY_SECONDS),
  ): Promise<string> {
    const objects = this.#objectsOf.get(table) ?? new Map<string, Age>();
    const reusable =
      referred.find((name) => objects.has(name)) ??
      [...objects].find(([, age]) => age.seconds < this.#fresh)?.[0];
    if (reusable !== undefined) return reusable;
    const writing =
      this.#writing.get(table) ??
      this.#writeCopy(table, mayRetry).finally(() => this.#writing.delete(table));
    this.#writing.set(table, writing);
    return writing;
  }

  /** Under a new name each time, so that the age of an object never begins again. */
  async #writeCopy(table: Table, mayRetry: MayRetry): Promise<string> {
    const age = new Age(0);
    const bytes = await deflated(table.data, { level: LEVEL });
    const name = `${hashOf(bytes)}-${randomBytes(COPY_BYTES).toString('hex')}`;
    await this.#put(layerKey(name), bytes, mayRetry);
    this.#keep(name, table, age);
    return name;
  }

  /** The content is always the same, so it may be written twice. */
  async #put(key: string, bytes: Buffer, mayRetry: MayRetry): Promise<void> {
    while (true) {
      try {
        await this.#objects.put(key, bytes);
        return;
      } catch (error) {
        if (!(error instanceof UncertainError) || !mayRetry()) throw error;
        await delay(PAUSE_MILLISECONDS);
      }
    }
  }

  /** @param age that of the object, at least */
  #keep(name: string, table: Table, age: Age): void {
    const hash = hashIn(name);
    this.#recent.set(hash, table);
    const names = this.#objectsOf.get(table) ?? new Map<string, Age>();
    const last = names.get(name);
    if (!last || age.seconds < last.seconds) names.set(name, age);
    this.#objectsOf.set(table, names);
    if (this.#inUse.get(hash)?.deref() === table) return;
    this.#inUse.set(hash, new WeakRef(table));
    this.#ended.register(table, hash);
  }
}

export const layerKey = (name: string): string => LAYERS + name;

/** Names are a hash, and what tells apart objects with the same content. */
function hashIn(name: string): string {
  const [hash = ''] = name.split('-');
  return hash;
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
