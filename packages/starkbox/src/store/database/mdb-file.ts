// Layout of LMDB's data file, as far as it takes to find damage before the file is mapped.
import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegular } from '../../files/regular-file.js';

// LMDB does not check the pages it maps: a missing or damaged one kills the process with a signal.

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const HEADER = 24;
const NODE = 8;
const [BRANCH, LEAF, OVERFLOW, META] = [0x01, 0x02, 0x04, 0x08] as const;
const TYPES = BRANCH | LEAF | OVERFLOW | META;
const BIG_DATA = 0x01;
/** The root of a tree without entries. */
const NO_PAGE = 2 ** 64;
/** The deepest tree that LMDB can walk. */
const DEEPEST = 32;
/** Upper bound of the pages at the end that LMDB has reserved and not written. */
const UNWRITTEN_BYTES = 64 * 1024 * 1024;

/** Pages that are checked, from the root down. */
export const CHECKED_PAGES = 2048;

interface Tree {
  readonly depth: number;
  readonly root: number;
}

interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: number;
  readonly free: Tree;
  readonly main: Tree;
}

class Fault extends Error {
  override readonly name = 'Fault';
}

/**
 * The fault of a data file, to follow its name in a sentence; `undefined` if none was found.
 * Reads at most `most` pages, unless the file is shorter than its header says.
 */
export function faultIn(path: string, most: number = CHECKED_PAGES): string | undefined {
  const file = openRegular(path);
  try {
    const { size } = fstatSync(file);
    const meta = readMetas(file, size);
    const isShort = (meta.lastPage + 1) * meta.pageSize > size;
    const pages = new Pages(file, size, meta, isShort ? Number.POSITIVE_INFINITY : most);
    pages.walk(meta.free, false);
    pages.walk(meta.main, true);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  } finally {
    closeSync(file);
  }
}

/** The newer of the two meta pages at the start of the file; both must be valid. */
function readMetas(file: number, size: number): Meta {
  const first = readMeta(file, 0, 0);
  const second = readMeta(file, 1, first.pageSize);
  if (first.pageSize !== second.pageSize) throw new Fault('has two contradictory headers');
  const newest = first.transaction >= second.transaction ? first : second;
  if ((newest.lastPage + 1) * newest.pageSize > 2 * size + UNWRITTEN_BYTES)
    throw new Fault(shorter(size, newest));
  return newest;
}

function readMeta(file: number, number: number, at: number): Meta {
  const page = Buffer.alloc(HEADER + 168);
  const name = number === 0 ? 'first' : 'second';
  if (readSync(file, page, 0, page.length, at) < page.length)
    throw new Fault(`is truncated: it ends before its ${name} header`);
  const isMeta = (page.readUInt16LE(18) & TYPES) === META;
  if (!isMeta || page.readUInt32LE(HEADER) !== MAGIC)
    throw new Fault(`has no valid ${name} header: it was overwritten, or is not a database`);
  const version = page.readUInt32LE(HEADER + 4) & 0xffff;
  if (version !== DATA_VERSION) {
    throw new Fault(
      `is written in version ${version} of the database format; this version of Starkbox reads version ${DATA_VERSION}`,
    );
  }
  const meta: Meta = {
    pageSize: page.readUInt32LE(HEADER + 24),
    lastPage: wide(page, HEADER + 120),
    transaction: wide(page, HEADER + 128),
    free: treeAt(page, HEADER + 24),
    main: treeAt(page, HEADER + 72),
  };
  if (!isPlausible(meta, number)) throw new Fault(`has a damaged ${name} header`);
  return meta;
}

function isPlausible({ pageSize, lastPage, transaction, free, main }: Meta, number: number) {
  const isSize = pageSize >= 256 && pageSize <= 65536 && Number.isInteger(Math.log2(pageSize));
  const isRoot = ({ root, depth }: Tree): boolean =>
    root === NO_PAGE || (root > 1 && root <= lastPage && depth >= 1 && depth <= DEEPEST);
  // Transactions are written to the two headers in turn.
  const isInTurn = transaction === 0 || transaction % 2 === number;
  return isSize && lastPage >= 1 && lastPage < 2 ** 48 && isInTurn && isRoot(free) && isRoot(main);
}

const treeAt = (page: Buffer, at: number): Tree => ({
  depth: page.readUInt16LE(at + 6),
  root: wide(page, at + 40),
});

const wide = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at));

const shorter = (size: number, { lastPage, pageSize }: Meta): string =>
  `is truncated: it has ${size} bytes, but its header states ${(lastPage + 1) * pageSize}`;

/** Pages of both trees, each read once. */
class Pages {
  readonly #file: number;
  readonly #size: number;
  readonly #meta: Meta;
  readonly #page: Buffer;
  #left: number;

  constructor(file: number, size: number, meta: Meta, most: number) {
    this.#file = file;
    this.#size = size;
    this.#meta = meta;
    this.#page = Buffer.alloc(meta.pageSize);
    this.#left = most;
  }

  /** Breadth first: pages of upper levels matter most, and the number of pages is limited. */
  walk({ root, depth }: Tree, isSorted: boolean): void {
    let level = root === NO_PAGE ? [] : [root];
    for (let height = depth; height > 0; height -= 1) {
      const children: number[] = [];
      for (const number of level) {
        if (this.#left <= 0) return;
        this.#read(number, height === 1 ? LEAF : BRANCH);
        if (isSorted) this.#mustBeSorted(number, height > 1);
        if (height > 1) children.push(...this.#children(number));
        else this.#checkValues(number);
      }
      level = children;
    }
  }

  #read(number: number, type: number): void {
    this.#left -= 1;
    const { pageSize, lastPage } = this.#meta;
    if (number < 2 || number > lastPage) throw this.#fault(number);
    if ((number + 1) * pageSize > this.#size) throw new Fault(shorter(this.#size, this.#meta));
    readSync(this.#file, this.#page, 0, pageSize, number * pageSize);
    const isNamed = wide(this.#page, 0) === number;
    if (!isNamed || (this.#page.readUInt16LE(18) & TYPES) !== type) throw this.#fault(number);
  }

  #fault(number: number): Fault {
    return new Fault(`is damaged: its page ${number} has unexpected content`);
  }

  /** Where the nodes of the page begin. */
  #nodes(number: number): readonly number[] {
    const { pageSize } = this.#meta;
    const [lower, upper] = [this.#page.readUInt16LE(20), this.#page.readUInt16LE(22)];
    if (lower % 2 !== 0 || lower > upper || upper > pageSize - HEADER) throw this.#fault(number);
    const nodes: number[] = [];
    for (let at = HEADER; at < HEADER + lower; at += 2) {
      const node = HEADER + this.#page.readUInt16LE(at);
      if (node < HEADER + upper || node + NODE > pageSize) throw this.#fault(number);
      nodes.push(node);
    }
    return nodes;
  }

  #mustBeSorted(number: number, isBranch: boolean): void {
    let before: readonly [start: number, end: number] | undefined;
    for (const [index, node] of this.#nodes(number).entries()) {
      const start = node + NODE;
      const end = start + this.#page.readUInt16LE(node + 6);
      if (end > this.#page.length) throw this.#fault(number);
      // The first key of a branch page is implicit: it covers all keys before the second.
      if (isBranch && index === 0) continue;
      if (before && this.#page.compare(this.#page, start, end, ...before) >= 0)
        throw this.#fault(number);
      before = [start, end];
    }
  }

  #children(number: number): readonly number[] {
    const nodes = this.#nodes(number);
    if (nodes.length === 0) throw this.#fault(number);
    return nodes.map((node) => this.#page.readUIntLE(node, 6));
  }

  /** The values of a leaf end in its page, or have whole pages of their own. */
  #checkValues(number: number): void {
    const { pageSize } = this.#meta;
    const apart: (readonly [page: number, count: number])[] = [];
    for (const node of this.#nodes(number)) {
      const length = this.#page.readUInt32LE(node);
      const start = node + NODE + this.#page.readUInt16LE(node + 6);
      const isApart = (this.#page.readUInt16LE(node + 4) & BIG_DATA) !== 0;
      if (start + (isApart ? HEADER : length) > pageSize) throw this.#fault(number);
      if (!isApart) continue;
      const count = wide(this.#page, start + 16);
      if (count < Math.ceil((HEADER + length) / pageSize)) throw this.#fault(number);
      apart.push([wide(this.#page, start), count]);
    }
    for (const [first, count] of apart) {
      if (this.#left <= 0) return;
      if (first + count - 1 > this.#meta.lastPage) throw this.#fault(first);
      this.#read(first, OVERFLOW);
      if (this.#page.readUInt32LE(20) !== count) throw this.#fault(first);
      if ((first + count) * pageSize > this.#size) throw new Fault(shorter(this.#size, this.#meta));
    }
  }
}
