// History: the closed blocks of a chain by number, hash and content, as a persistent value.

import { List } from '../../immutable.js';
import { Slices } from '../../scheduling/slices.js';
import { BlockIndex, type Cursor, JoinedCursor, markOf } from './block-index.js';
import { candidates, type Emitted, type EventFilter } from './event-index.js';
import type { ClosedBlock, Header, TransactionRecord } from './header.js';
import {
  blockHash,
  hasHash,
  headerOf,
  marksOf,
  type PackedBlock,
  packBlock,
  readPackedBlock,
  recordOf,
  transactionHash,
  transactionHashes,
  transactionIndex,
} from './packed-block.js';
import { allTexts, receiptsOf, TextChunk, textsAt } from './packed-texts.js';

/** Position of a transaction. */
export interface Position {
  readonly block: number;
  readonly index: number;
}

/** Totals from the first block up to and including a given block. */
export interface Totals {
  readonly transactions: number;
  readonly events: number;
}

/** What a block says of its transactions' results. */
export interface BlockOutcome {
  readonly hash: string;
  /** Hashes, in order. */
  readonly transactions: readonly string[];
  /** JSON texts, in the same order. */
  readonly receipts: readonly string[];
}

export interface HistoryFigures extends Totals {
  readonly blocks: number;
  /** Number of blocks that are not in the archive. */
  readonly inMemory: number;
  /** Number of different marks in the index of the blocks in memory. */
  readonly marks: number;
}

/** Old blocks that are not in memory. The block at a number never changes. */
export interface Archive {
  at(number: number): PackedBlock | undefined;
  /** The newest block under a mark that passes a test. */
  find(mark: number, passes: (number: number) => boolean): number | undefined;
  /** The newest block under a mark that is not after `upTo`. */
  newest(mark: number, upTo: number): number | undefined;
  cursor(mark: number): Cursor;
}

interface Parts {
  readonly first: number;
  /** Holds the blocks before `base`. */
  readonly archive: Archive | undefined;
  /** The number of the first block in `blocks`. */
  readonly base: number;
  readonly blocks: List<PackedBlock>;
  readonly latest: Header | undefined;
  readonly index: BlockIndex;
}

/**
 * The closed blocks of a chain. Appending and truncating return a new history that shares structure
 * with the old one; neither sees later changes of the other.
 *
 * @example
 * const here = history.append(block, events);
 * const there = history.append(otherBlock, otherEvents); // a branch
 */
export class History {
  /** Number of the first block, closed or pending. */
  readonly first: number;
  readonly latest: Header | undefined;
  readonly #archive: Archive | undefined;
  readonly #base: number;
  readonly #blocks: List<PackedBlock>;
  readonly #index: BlockIndex;

  constructor(parts: Parts) {
    this.first = parts.first;
    this.latest = parts.latest;
    this.#archive = parts.archive;
    this.#base = parts.base;
    this.#blocks = parts.blocks;
    this.#index = parts.index;
  }

  /** An empty history; `first` is the number of its first block. */
  static startingAt(first: number): History {
    return new History({
      first,
      archive: undefined,
      base: first,
      blocks: List(),
      latest: undefined,
      index: BlockIndex.empty,
    });
  }

  /**
   * Restores a history from block records, oldest first, and rebuilds its index.
   *
   * @param check rejects a block that cannot follow its predecessor
   */
  static async restore(
    first: number,
    records: Iterable<Uint8Array>,
    check?: (number: number, block: PackedBlock, before: PackedBlock | undefined) => Promise<void>,
  ): Promise<History> {
    const blocks: PackedBlock[] = [];
    const slices = new Slices();
    for (const record of records) {
      const before = blocks.at(-1);
      const block = readPackedBlock(record, before);
      await check?.(first + blocks.length, block, before);
      blocks.push(block);
      if (slices.isOver) await slices.next();
    }
    const last = blocks.at(-1);
    return new History({
      first,
      archive: undefined,
      base: first,
      blocks: List(blocks),
      latest: last && headerOf(first + blocks.length - 1, last, blocks.at(-2)),
      index: await BlockIndex.build(first, marksOfEach(blocks)),
    });
  }

  /** A history whose blocks from `first` to `next - 1` are all in the archive. */
  static archive(archive: Archive, first: number, next: number): History {
    const last = archive.at(next - 1);
    return new History({
      first,
      archive,
      base: next,
      blocks: List(),
      latest: last && headerOf(next - 1, last, archive.at(next - 2)),
      index: BlockIndex.empty,
    });
  }

  /** Number of the pending block. */
  get next(): number {
    return this.#base + this.#blocks.size;
  }

  /** Number of the oldest block in memory. */
  get base(): number {
    return this.#base;
  }

  get transactionCount(): number {
    return this.#at(this.next - 1)?.transactionsUpTo ?? 0;
  }

  get eventCount(): number {
    return this.#at(this.next - 1)?.eventsUpTo ?? 0;
  }

  /** @param events the events of each transaction, in the order of the transactions */
  append(block: ClosedBlock, events: readonly (readonly Emitted[])[]): History {
    const { header, transactions } = block;
    if (header.number !== this.next || header.transactionCount !== transactions.length) {
      throw new RangeError(`block ${header.number} cannot follow block ${this.next - 1}`);
    }
    const { packed, marks } = packBlock(block, events, this.latest, this.#at(this.next - 1));
    return new History({
      ...this.#parts(),
      blocks: this.#blocks.push(packed),
      latest: Object.freeze({ ...header }),
      index: this.#index.with(marks, header.number),
    });
  }

  /** Removes the blocks from `from` on; the cost is proportional to their content. */
  truncate(from: number): History {
    if (from >= this.next) return this;
    if (from <= this.first) return History.startingAt(this.first);
    if (this.#archive && from <= this.#base) {
      return History.archive(this.#archive, this.first, from);
    }
    return new History({
      ...this.#parts(),
      blocks: this.#blocks.setSize(from - this.#base),
      latest: this.header(from - 1),
      index: this.#index.without(this.#marks(from, this.next), from),
    });
  }

  /** Releases the blocks before `base` from memory; the archive must hold them. */
  settled(archive: Archive, base: number): History {
    if (base <= this.#base) return this;
    return new History({
      ...this.#parts(),
      archive,
      base,
      blocks: this.#blocks.slice(base - this.#base),
      index: this.#index.withoutOlder(this.#marks(this.#base, base), base),
    });
  }

  #parts(): Parts {
    return {
      first: this.first,
      archive: this.#archive,
      base: this.#base,
      blocks: this.#blocks,
      latest: this.latest,
      index: this.#index,
    };
  }

  /** Index marks of the blocks from `from` to `end - 1`. */
  #marks(from: number, end: number): ReadonlySet<number> {
    const marks = new Set<number>();
    for (let number = from; number < end; number += 1) {
      const block = this.#at(number);
      if (block) for (const mark of marksOf(block)) marks.add(mark);
    }
    return marks;
  }

  header(number: number): Header | undefined {
    if (number === this.latest?.number) return this.latest;
    const block = this.#at(number);
    return block && headerOf(number, block, this.#at(number - 1));
  }

  /** Whether a closed block has this number; reads nothing. */
  has(number: number): boolean {
    return number >= this.first && number < this.next;
  }

  /** The hash of a block; its header needs the block before too. */
  hash(number: number): string | undefined {
    if (number === this.latest?.number) return this.latest.hash;
    const block = this.#at(number);
    return block && blockHash(block);
  }

  numberOf(hash: string): number | undefined {
    return this.#find(markOf(hash), (block) => hasHash(block, hash));
  }

  locate(transactionHash: string): Position | undefined {
    let index = -1;
    const block = this.#find(markOf(transactionHash), (candidate) => {
      index = transactionIndex(candidate, transactionHash);
      return index >= 0;
    });
    return block === undefined ? undefined : { block, index };
  }

  #find(mark: number, passes: (block: PackedBlock) => boolean): number | undefined {
    const test = (number: number): boolean => {
      const block = this.#at(number);
      return block !== undefined && passes(block);
    };
    return this.#index.find(mark, test) ?? this.#archive?.find(mark, test);
  }

  /** The newest closed block under a mark that is not after `upTo`; can be a false positive. */
  newest(mark: number, upTo: number): number | undefined {
    return (
      this.#index.newest(mark, upTo) ?? this.#archive?.newest(mark, Math.min(upTo, this.#base - 1))
    );
  }

  /** The hashes of a block's transactions; decompresses nothing. */
  hashes(number: number): readonly string[] {
    const block = this.#at(number);
    return block ? transactionHashes(block) : [];
  }

  transactions(number: number): readonly TransactionRecord[] {
    const block = this.#at(number);
    if (!block) return [];
    const texts = allTexts(block.texts);
    return transactionHashes(block).flatMap((hash, index) => {
      const ofTransaction = texts[index];
      return ofTransaction ? [{ hash, ...ofTransaction }] : [];
    });
  }

  /** One transaction of a block; decompresses one chunk only. */
  transaction(number: number, index: number): TransactionRecord | undefined {
    const block = this.#at(number);
    const texts = block && textsAt(block.texts, index);
    return texts && { hash: transactionHash(block, index), ...texts };
  }

  /** The receipts of a block as JSON texts. */
  receipts(number: number): readonly string[] {
    const block = this.#at(number);
    return block ? receiptsOf(block.texts) : [];
  }

  /** Hash and receipts of a block, in one read. */
  outcome(number: number): BlockOutcome | undefined {
    const block = this.#at(number);
    return (
      block && {
        hash: blockHash(block),
        transactions: transactionHashes(block),
        receipts: receiptsOf(block.texts),
      }
    );
  }

  /** The state difference as JSON text, if the block carries it. */
  stateDiff(number: number): string | undefined {
    return this.#at(number)?.stateDiff?.part(0);
  }

  carriesDiff(number: number): boolean {
    return this.#at(number)?.stateDiff !== undefined;
  }

  /** Totals up to and including a block. */
  totals(number: number): Totals | undefined {
    const block = this.#at(number);
    return block && { transactions: block.transactionsUpTo, events: block.eventsUpTo };
  }

  /** The blocks in which an event can match, ascending; the receipts must be checked. */
  eventBlocks(filter: EventFilter): Iterable<number> {
    return candidates(filter, (mark) => {
      const recent = this.#index.cursor(mark);
      const old = this.#archive?.cursor(mark);
      return old ? new JoinedCursor(old, this.#base, recent) : recent;
    });
  }

  /**
   * A closed block as a record for the store or an image; its texts stay compressed.
   *
   * @param stateDiff JSON text to include if the block does not carry its own
   */
  record(number: number, stateDiff?: string): Uint8Array {
    const block = this.#at(number);
    if (!block) throw new RangeError(`there is no block ${number}`);
    return recordOf(
      stateDiff === undefined || block.stateDiff
        ? block
        : { ...block, stateDiff: new TextChunk([stateDiff]) },
    );
  }

  /** As `record`, without the state difference, which blocks from a store carry. */
  recordWithoutDiff(number: number): Uint8Array {
    const block = this.#at(number);
    if (!block) throw new RangeError(`there is no block ${number}`);
    return recordOf({ ...block, stateDiff: undefined });
  }

  /** Index marks of a block. */
  marks(number: number): readonly number[] {
    const block = this.#at(number);
    return block ? marksOf(block) : [];
  }

  figures(): HistoryFigures {
    return {
      blocks: this.next - this.first,
      transactions: this.transactionCount,
      events: this.eventCount,
      inMemory: this.#blocks.size,
      marks: this.#index.size,
    };
  }

  #at(number: number): PackedBlock | undefined {
    if (number >= this.#base) return this.#blocks.get(number - this.#base);
    return number < this.first ? undefined : this.#archive?.at(number);
  }
}

function* marksOfEach(blocks: readonly PackedBlock[]): Iterable<readonly number[]> {
  for (const block of blocks) yield marksOf(block);
}
