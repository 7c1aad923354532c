// Chain of an instance over the layers of its manifest: opened, made durable, and written back.

import {
  branchEntries,
  ERRORS,
  type Fork,
  figuresOf,
  RpcError,
  reasonOf,
  Store,
  type StoredChain,
  type World,
  writeBranch,
} from 'starkbox/registry';
import { foldedAbove } from './layers/fold.js';
import type { LayerStore } from './layers/layer-store.js';
import { LayeredDatabase, type Layers, type Persist } from './layers/layered-database.js';
import { MemoryRun } from './layers/run.js';
import type { Table } from './layers/table.js';
import type { Manifest } from './manifest.js';
import { type MayRetry, UncertainError } from './objects/object-store.js';
import { type OwnedManifest, OwnershipLost } from './owned-manifest.js';

/** The newest entries are part of the manifest up to so many bytes, and a table beyond them. */
const IN_MANIFEST = 64 * 1024;
/** Newest entries that each branch of a chain has a copy of; more are a table that the branches share. */
const IN_BRANCH = 2 * 1024;
/** Where a chain is not durable, its newest entries become a table in memory beyond so many bytes. */
const IN_MEMORY = 1024 * 1024;

export interface HostedChainOptions {
  readonly keepHistory: boolean;
  /** Blocks and transactions that stay in memory as objects. */
  readonly recent: number;
  readonly fork: Fork | undefined;
}

/** The tables and newest entries of a new instance. */
export type Contents = Pick<
  Manifest,
  'layers' | 'shared' | 'newest' | 'blockNumber' | 'transactionCount'
>;

/**
 * Writes the layers of an instance. It must not refer to a state: the engine holds the functions by which states read their
 * database, and the database refers to this.
 */
class LayerWriter {
  readonly manifest: OwnedManifest;
  readonly layerStore: LayerStore;
  readonly #isDurable: boolean;
  #fault: unknown;

  constructor(manifest: OwnedManifest, layerStore: LayerStore, isDurable: boolean) {
    this.manifest = manifest;
    this.layerStore = layerStore;
    this.#isDurable = isDurable;
  }

  get fault(): unknown {
    return this.#fault;
  }

  readonly persist: Persist = async (layers) => {
    const { shared } = this.manifest.current;
    if (this.#isDurable) return this.save(layers, {});
    return foldedAbove(IN_MEMORY, layers, shared);
  };

  /**
   * Writes the manifest, and tables that are not stored yet. After an error of the store that says that nothing was
   * written, the chain in memory is still that of the store.
   */
  async save(
    unsaved: Layers,
    ...[changes, mayRetry]: Parameters<OwnedManifest['replace']>
  ): Promise<Layers> {
    // The store may have what the chain in memory lacks.
    if (this.#fault !== undefined) throw this.#fault;
    const { shared } = this.manifest.current;
    const layers = foldedAbove(IN_MANIFEST, unsaved, shared);
    const names = await this.#writeTables(layers.tables, mayRetry);
    try {
      await this.manifest.replace({ ...changes, layers: names, newest: layers.newest }, mayRetry);
    } catch (error) {
      if (error instanceof UncertainError || error instanceof OwnershipLost) this.#fault ??= error;
      throw error;
    }
    return layers;
  }

  /** A table that may have been written or not belongs to no chain yet. */
  async #writeTables(tables: readonly Table[], mayRetry?: MayRetry): Promise<readonly string[]> {
    const { layers: current } = this.manifest.current;
    try {
      return await Promise.all(
        tables.map((table) => this.layerStore.write(table, current, mayRetry)),
      );
    } catch (error) {
      throw error instanceof UncertainError ? new Error(error.message, { cause: error }) : error;
    }
  }
}

export class HostedChain {
  readonly stored: StoredChain;
  readonly #writer: LayerWriter;
  readonly #database: LayeredDatabase;
  readonly #store: Store;

  constructor(
    manifest: OwnedManifest,
    layers: Layers,
    layerStore: LayerStore,
    options: HostedChainOptions & { readonly isDurable: boolean },
  ) {
    this.#writer = new LayerWriter(manifest, layerStore, options.isDurable);
    const { id } = manifest.current.record;
    this.#database = new LayeredDatabase(`instance ${id}`, layers, this.#writer.persist);
    this.#store = new Store(this.#database, { ...options, explain });
    this.stored = this.#store.chain(0, options.keepHistory);
  }

  /** Reads the layers of a manifest that this node owns. */
  static async open(
    manifest: OwnedManifest,
    layerStore: LayerStore,
    options: HostedChainOptions & { readonly isDurable: boolean },
  ): Promise<HostedChain> {
    const { layers, newest } = manifest.current;
    const tables = await Promise.all(layers.map((hash) => layerStore.read(hash)));
    return new HostedChain(manifest, { tables, newest }, layerStore, options);
  }

  get manifest(): OwnedManifest {
    return this.#writer.manifest;
  }

  get isDeleted(): boolean {
    return this.manifest.current.isDeleted;
  }

  /** Why the chain in memory may differ from that in the store; undefined if it does not. */
  get fault(): unknown {
    return this.#writer.fault;
  }

  /**
   * Writes the chain as it is now, and ends the ownership of this node.
   *
   * @param idle seconds without a request
   * @param mayRetry whether it is tried again while the store does not answer
   */
  async release(world: World, idle: number, mayRetry?: MayRetry): Promise<void> {
    await this.#store.close();
    const changes = { owner: undefined, ...figuresOf(world), idle };
    await this.#database.rewrite((layers) => this.#writer.save(layers, changes, mayRetry));
  }

  /** Deletes the manifest, after all writes that were begun before, unless another call has deleted it. */
  async erase(deleteManifest: (manifest: OwnedManifest) => Promise<void>): Promise<void> {
    await this.#database.rewrite(async (layers) => {
      if (!this.isDeleted) await deleteManifest(this.manifest);
      return layers;
    });
  }

  /** What another instance begins with, on the same tables; changes of this chain do not reach it. */
  async contents(world: World): Promise<Contents> {
    const { manifest, layerStore } = this.#writer;
    let contents: Contents | undefined;
    await this.#database.rewrite(async (layers) => {
      const folded = foldedAbove(IN_BRANCH, layers, manifest.current.shared);
      const names = await Promise.all(folded.tables.map((table) => layerStore.write(table)));
      const newest = folded.newest.with([...branchEntries(this.#database)]);
      contents = { layers: names, shared: names.length, newest, ...figuresOf(world) };
      return folded;
    });
    if (!contents) throw new Error('the layers of an instance were not read');
    return contents;
  }
}

/** A chain in memory as tables, which instances begin with. */
export class PreparedContents {
  readonly #tables: readonly Table[];
  readonly #figures: ReturnType<typeof figuresOf>;

  constructor(tables: readonly Table[], world: World) {
    this.#tables = tables;
    this.#figures = figuresOf(world);
  }

  static async of(world: World, options: HostedChainOptions): Promise<PreparedContents> {
    const fold: Persist = async (layers) => foldedAbove(IN_MEMORY, layers, 0);
    const empty = { tables: [], newest: MemoryRun.EMPTY };
    const database = new LayeredDatabase('the chain of the node', empty, fold);
    const store = new Store(database, { ...options, explain });
    await writeBranch(store.chain(0, options.keepHistory), world);
    await store.close();
    return new PreparedContents(foldedAbove(0, database.layers, 0).tables, world);
  }

  /** What a new instance begins with; the tables are in the store then. */
  async contents(layerStore: LayerStore): Promise<Contents> {
    const layers = await Promise.all(this.#tables.map((table) => layerStore.write(table)));
    return { layers, shared: layers.length, newest: MemoryRun.EMPTY, ...this.#figures };
  }
}

/** The error for the caller of a change that was not written, or may not have been. */
export async function explain(error: unknown): Promise<RpcError> {
  if (error instanceof OwnershipLost) {
    return new RpcError(-1, `Nothing changed: ${error.message}. Send the request again.`);
  }
  if (error instanceof UncertainError) {
    return new RpcError(
      -1,
      `The change may or may not have happened: ${error.message}. Read the chain before you send it again.`,
    );
  }
  return new RpcError(-1, `Nothing changed: ${reasonOf(error)}`);
}

/** The error for the caller of an instance that could not be opened: nothing of the call has been done. */
export function unopenedError(id: string, error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof UncertainError) {
    return new RpcError(-1, `Nothing changed: ${error.message}. Send the request again.`);
  }
  const { code } = ERRORS.INTERNAL_ERROR;
  return new RpcError(code, `The instance ${id} cannot be opened: ${reasonOf(error)}`);
}

/** The error of a stop that could not write some instances; undefined if there is none. */
export function unwrittenError(
  unwritten: readonly { readonly id: string | undefined; readonly error: unknown }[],
  isDurable: boolean,
): Error | undefined {
  const [first] = unwritten;
  if (!first) return undefined;
  const subject = unwritten.length === 1 ? 'An instance' : `${unwritten.length} instances`;
  const outcome = isDurable ? 'All changes are in the store' : 'Changes since loading are lost';
  const ids = unwritten.map(({ id }) => id).join(', ');
  return new Error(
    `${subject} could not be written to the store (${reasonOf(first.error)}). ${outcome}: ${ids}`,
  );
}
