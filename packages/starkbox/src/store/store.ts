// Store of a data directory: the chain of the node, and its instances.
import type { World } from '../chain/world/world.js';
import type { Fork } from '../fork/fork.js';
import { lastBlocks, useOf } from './blocks/branches.js';
import { Lineage } from './blocks/lineage.js';
import { changedReferences } from './blocks/references.js';
import type { Database, Entry } from './database/database.js';
import {
  abandonedKey,
  ChainKeys,
  instanceKey,
  keysOfInstance,
  numberValue,
} from './database/keys.js';
import {
  type InstanceRecord,
  readInstanceRecord,
  readInstanceRecords,
  recordEntry,
} from './instance-records.js';
import { readHead, readRecords, textsOf } from './records.js';
import { type Explain, SharedStore } from './shared-store.js';
import { StoredChain } from './stored-chain.js';

export interface StoreOptions {
  /** Blocks and transactions of a chain that stay in memory. */
  readonly recent: number;
  readonly fork: Fork | undefined;
  readonly explain: Explain;
}

/** What a list shows of an instance. */
export interface InstanceFigures {
  readonly blockNumber: number;
  readonly transactionCount: number;
}

export class Store {
  readonly #shared: SharedStore;
  readonly #options: StoreOptions;

  constructor(database: Database, options: StoreOptions) {
    this.#shared = new SharedStore(database, options.explain);
    this.#options = options;
  }

  /**
   * A chain on disk, or storage for a new one.
   *
   * @param instance the number of an instance; 0 for the chain of the node
   */
  chain(instance: number, keepHistory: boolean, first: readonly Entry[] = []): StoredChain {
    const { recent, fork } = this.#options;
    return new StoredChain(this.#shared, instance, { keepHistory, recent, fork }, first);
  }

  /** Storage for the chain of an instance that begins at its own genesis. */
  newInstance(record: InstanceRecord, keepHistory: boolean): StoredChain {
    return this.chain(record.number, keepHistory, [recordEntry(record)]);
  }

  /** The record of an instance; undefined if there is none. */
  instance(id: string): InstanceRecord | undefined {
    return readInstanceRecord(this.#shared.database, id);
  }

  /** The records of all instances, in pages and in no order. */
  instances(): Iterable<readonly InstanceRecord[]> {
    return readInstanceRecords(this.#shared.database);
  }

  /** Figures of an instance whose chain is not open; undefined without a chain. */
  figures(instance: number): InstanceFigures | undefined {
    const { database } = this.#shared;
    const keys = new ChainKeys(instance);
    const head = readHead(database, keys);
    if (!head) return undefined;
    const lineage = new Lineage(database, head.segments, {
      keepHistory: true,
      fallback: undefined,
    });
    const blockNumber = head.next - 1;
    const closed = lineage.at(blockNumber)?.transactionsUpTo ?? 0;
    const pending = textsOf(database, keys, 'pendingTransaction').length;
    return { blockNumber, transactionCount: closed + pending };
  }

  /** Deletes an instance; blocks that only it used are deleted afterwards. Its chain must be closed. */
  async forget({ id, number: instance }: InstanceRecord): Promise<void> {
    const { database } = this.#shared;
    const entries: Entry[] = [[instanceKey(id), undefined]];
    for (const key of database.getKeys(keysOfInstance(instance))) entries.push([key, undefined]);
    const branchesToSweep: number[] = [];
    const records = readRecords(database, new ChainKeys(instance));
    if (records) {
      const use = useOf(
        records.head,
        records.snapshots.map(({ record }) => record),
      );
      entries.push(...changedReferences(instance, use, new Map()));
      const last = lastBlocks(records.head);
      if (last) entries.push([abandonedKey(last.branch), numberValue(last.to)]);
      branchesToSweep.push(...use.keys(), ...(last ? [last.branch] : []));
    }
    const listener = { onCommitted: () => {}, onFailed: () => {} };
    await this.#shared.commit(entries, branchesToSweep, listener);
  }

  /** Keeps the archived blocks of a world for a chain in memory, until the returned function is called. */
  hold({ archived, history }: World): () => void {
    if (!(archived instanceof Lineage)) return () => {};
    const { segments } = archived;
    return this.#shared.references.hold({ segments, next: history.base });
  }

  /** Waits for pending writes. */
  close(): Promise<void> {
    return this.#shared.close();
  }
}
