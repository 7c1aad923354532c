// Index from felts to the blocks that mention them, for searches of events and transactions. It stores
// a hash of each felt in place of the felt, which takes 90 bytes less, so that it can give false positives.

import { List, PersistentMap } from '../../immutable.js';
import { atOnce, inSlices, type Steps } from '../../scheduling/slices.js';

/** One number where one block mentions the felt: most do, and a list takes far more memory. */
type Blocks = number | List<number>;

/**
 * Hash of a felt for an index: 30 bits, which V8 stores without allocation; a felt as text takes
 * 90 bytes. Two felts can share a mark, so every search must verify the blocks it finds.
 *
 * @param role separates the different uses of one felt, for example as sender and as event key
 */
export function markOf(felt: string, role = 0): number {
  let mark = 0x811c9dc5 ^ role;
  for (let at = 0; at < felt.length; at += 1) {
    mark = Math.imul(mark ^ felt.charCodeAt(at), 0x01000193);
  }
  return (mark ^ (mark >>> 15)) & 0x3fff_ffff;
}

/** The marks of a block that is not in the map yet. */
interface NewBlock {
  readonly block: number;
  readonly marks: readonly number[];
}

/** Searches go through new blocks one by one. */
const MAX_NEW_BLOCKS = 16;
const MAX_NEW_MARKS = 256;

/**
 * Persistent map from marks to ascending block numbers. New blocks are added to the map several at a time, because
 * most of their marks are the same: that takes a third of the time and of the memory.
 */
export class BlockIndex {
  static readonly empty: BlockIndex = new BlockIndex(PersistentMap());

  #blocks: PersistentMap<number, Blocks>;
  /** Newer than all blocks in the map, oldest first. */
  #newBlocks: readonly NewBlock[];

  constructor(blocks: PersistentMap<number, Blocks>, newBlocks: readonly NewBlock[] = []) {
    this.#blocks = blocks;
    this.#newBlocks = newBlocks;
  }

  /** @param marks the marks of consecutive blocks from `first` on */
  static of(first: number, marks: Iterable<readonly number[]>): BlockIndex {
    return new BlockIndex(atOnce(buildSteps(first, marks)));
  }

  /** Like `of`, but yields to the event loop between slices. */
  static async build(first: number, marks: Iterable<readonly number[]>): Promise<BlockIndex> {
    return new BlockIndex(await inSlices(buildSteps(first, marks)));
  }

  /** Number of different marks. */
  get size(): number {
    return this.#allBlocks().size;
  }

  /** Adds a block, which must be newer than all blocks in the index. */
  with(marks: readonly number[], block: number): BlockIndex {
    const newBlocks = [...this.#newBlocks, { block, marks }];
    const newMarks = newBlocks.reduce((sum, added) => sum + added.marks.length, 0);
    const isFull = newBlocks.length > MAX_NEW_BLOCKS || newMarks > MAX_NEW_MARKS;
    return isFull
      ? new BlockIndex(withNew(this.#blocks, newBlocks))
      : new BlockIndex(this.#blocks, newBlocks);
  }

  /** The map after the new blocks are added to it. */
  #allBlocks(): PersistentMap<number, Blocks> {
    if (this.#newBlocks.length > 0) {
      this.#blocks = withNew(this.#blocks, this.#newBlocks);
      this.#newBlocks = [];
    }
    return this.#blocks;
  }

  /** Removes the blocks from `from` on under these marks. */
  without(marks: Iterable<number>, from: number): BlockIndex {
    return new BlockIndex(
      this.#allBlocks().withMutations((blocks) => {
        for (const mark of marks) {
          const remaining = shortenBlocks(blocks.get(mark), from);
          if (remaining === undefined) blocks.delete(mark);
          else blocks.set(mark, remaining);
        }
      }),
    );
  }

  /** The newest block under a mark that passes a test. */
  find(mark: number, passes: (block: number) => boolean): number | undefined {
    const newest = this.#newBlocks.findLast(
      ({ block, marks }) => marks.includes(mark) && passes(block),
    );
    if (newest) return newest.block;
    const blocks = this.#blocks.get(mark);
    if (typeof blocks === 'number') return passes(blocks) ? blocks : undefined;
    return blocks?.findLast(passes);
  }

  /** Removes the blocks before `from` under these marks. */
  withoutOlder(marks: Iterable<number>, from: number): BlockIndex {
    return new BlockIndex(
      this.#allBlocks().withMutations((blocks) => {
        for (const mark of marks) {
          const remaining = withoutFirst(blocks.get(mark), from);
          if (remaining === undefined) blocks.delete(mark);
          else blocks.set(mark, remaining);
        }
      }),
    );
  }

  /** The newest block under a mark that is not after `upTo`. */
  newest(mark: number, upTo: number): number | undefined {
    const newBlock = this.#newBlocks.findLast(
      ({ block, marks }) => block <= upTo && marks.includes(mark),
    );
    if (newBlock) return newBlock.block;
    const blocks = this.#blocks.get(mark);
    if (blocks === undefined) return undefined;
    if (typeof blocks === 'number') return blocks <= upTo ? blocks : undefined;
    const after = firstAt(blocks, 0, blocks.size, upTo + 1);
    return after === 0 ? undefined : blocks.get(after - 1);
  }

  cursor(mark: number): Cursor {
    const blocks = this.#allBlocks().get(mark);
    return new ListCursor(typeof blocks === 'number' ? List.of(blocks) : (blocks ?? List()));
  }
}

/** Builds an index in short steps, so that the caller can interrupt it. */
function* buildSteps(
  first: number,
  marks: Iterable<readonly number[]>,
): Steps<PersistentMap<number, Blocks>> {
  const blocksByMark = new Map<number, number | number[]>();
  let block = first;
  for (const ofBlock of marks) {
    for (const mark of ofBlock) addMark(blocksByMark, mark, block);
    block += 1;
    yield;
  }
  const blocks = PersistentMap<number, Blocks>().asMutable();
  let count = 0;
  for (const [mark, numbers] of blocksByMark) {
    blocks.set(mark, typeof numbers === 'number' ? numbers : List(numbers));
    count += 1;
    if (count % MARKS_A_STEP === 0) yield;
  }
  return blocks.asImmutable();
}

/** Takes far less than a millisecond. */
const MARKS_A_STEP = 100;

function addMark(blocksByMark: Map<number, number | number[]>, mark: number, block: number): void {
  const marked = blocksByMark.get(mark);
  if (marked === undefined) blocksByMark.set(mark, block);
  else if (typeof marked === 'number') {
    if (marked !== block) blocksByMark.set(mark, [marked, block]);
  } else if (marked.at(-1) !== block) marked.push(block);
}

/** The map with newer blocks. */
function withNew(
  blocks: PersistentMap<number, Blocks>,
  newBlocks: readonly NewBlock[],
): PersistentMap<number, Blocks> {
  const blocksByMark = new Map<number, number | number[]>();
  for (const { block, marks } of newBlocks) {
    for (const mark of marks) addMark(blocksByMark, mark, block);
  }
  return blocks.withMutations((all) => {
    for (const [mark, numbers] of blocksByMark) all.set(mark, extendBlocks(all.get(mark), numbers));
  });
}

function extendBlocks(blocks: Blocks | undefined, newer: number | readonly number[]): Blocks {
  if (blocks === undefined) return typeof newer === 'number' ? newer : List(newer);
  const numbers = typeof newer === 'number' ? [newer] : newer;
  return typeof blocks === 'number' ? List.of(blocks, ...numbers) : blocks.push(...numbers);
}

function shortenBlocks(blocks: Blocks | undefined, from: number): Blocks | undefined {
  if (blocks === undefined) return undefined;
  if (typeof blocks === 'number') return blocks < from ? blocks : undefined;
  let { size } = blocks;
  while (size > 0 && (blocks.get(size - 1) ?? 0) >= from) size -= 1;
  return size > 1 ? blocks.setSize(size) : size === 1 ? blocks.first() : undefined;
}

function withoutFirst(blocks: Blocks | undefined, from: number): Blocks | undefined {
  if (blocks === undefined) return undefined;
  if (typeof blocks === 'number') return blocks < from ? undefined : blocks;
  const start = firstAt(blocks, 0, blocks.size, from);
  const remaining = start === 0 ? blocks : blocks.slice(start);
  return remaining.size > 1 ? remaining : remaining.first();
}

/** The first position in [`low`, `high`) whose block is at least `least`, or else `high`. */
function firstAt(blocks: List<number>, low: number, high: number, least: number): number {
  let [start, end] = [low, high];
  while (start < end) {
    const middle = (start + end) >>> 1;
    if ((blocks.get(middle) ?? Number.POSITIVE_INFINITY) < least) start = middle + 1;
    else end = middle;
  }
  return start;
}

/** Forward iteration over ascending block numbers. */
export interface Cursor {
  /** The first block from `least` on, or `Infinity`. `least` must not decrease between calls. */
  seek(least: number): number;
}

class ListCursor implements Cursor {
  readonly #blocks: List<number>;
  #at = 0;

  constructor(blocks: List<number>) {
    this.#blocks = blocks;
  }

  seek(least: number): number {
    const valueAt = (at: number): number => this.#blocks.get(at) ?? Number.POSITIVE_INFINITY;
    const { size } = this.#blocks;
    if (this.#at >= size) return Number.POSITIVE_INFINITY;
    if (valueAt(this.#at) >= least) return valueAt(this.#at);
    // Galloping search: the next match is usually near.
    let low = this.#at;
    let high = low + 1;
    for (let step = 2; high < size && valueAt(high) < least; step *= 2) {
      low = high;
      high = Math.min(size, high + step);
    }
    this.#at = firstAt(this.#blocks, low, high, least);
    return valueAt(this.#at);
  }
}

/** Cursor over old blocks before `base` and over others from `base` on. */
export class JoinedCursor implements Cursor {
  readonly #old: Cursor;
  readonly #base: number;
  readonly #recent: Cursor;

  constructor(old: Cursor, base: number, recent: Cursor) {
    this.#old = old;
    this.#base = base;
    this.#recent = recent;
  }

  seek(least: number): number {
    if (least < this.#base) {
      const oldBlock = this.#old.seek(least);
      if (oldBlock < this.#base) return oldBlock;
    }
    return this.#recent.seek(Math.max(least, this.#base));
  }
}
