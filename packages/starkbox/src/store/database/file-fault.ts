// Checks an LMDB file before it is mapped: a read from a missing page ends the process with a signal.
import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegular } from '../../files/regular-file.js';

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const HEADER = 24;
const META_BYTES = HEADER + 136;
const NODE = 8;
const [BRANCH, BIG_DATA] = [0x01, 0x01] as const;
/** The root of a tree without entries. */
const NO_PAGE = 2 ** 64;

interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: number;
  /** First pages of the trees of free pages and of entries. */
  readonly roots: readonly number[];
}

/** Why the file cannot be opened, to follow its name in a sentence; `undefined` for no reason. */
export function faultIn(path: string): string | undefined {
  const file = openRegular(path);
  try {
    const { size } = fstatSync(file);
    const first = readMeta(file, 'first', 0);
    if (typeof first === 'string') return first;
    const second = readMeta(file, 'second', first.pageSize);
    if (typeof second === 'string') return second;
    const meta = first.transaction >= second.transaction ? first : second;
    const bytes = (meta.lastPage + 1) * meta.pageSize;
    if (size >= bytes || hasUsedPages(file, size, meta)) return undefined;
    return `is truncated: it has ${size} bytes, but its header states ${bytes}`;
  } finally {
    closeSync(file);
  }
}

/** @returns a text if it is not the header of a database that this version reads */
function readMeta(file: number, name: string, at: number): Meta | string {
  const page = Buffer.alloc(META_BYTES);
  if (readSync(file, page, 0, META_BYTES, at) < META_BYTES)
    return `is truncated: it ends before its ${name} header`;
  const pageSize = page.readUInt32LE(HEADER + 24);
  if (page.readUInt32LE(HEADER) !== MAGIC || pageSize < 256 || pageSize > 65536)
    return `has no valid ${name} header: it was overwritten, or is not a database`;
  const version = page.readUInt32LE(HEADER + 4) & 0xffff;
  if (version !== DATA_VERSION)
    return `is written in version ${version} of the database format; this version of Starkbox reads version ${DATA_VERSION}`;
  return {
    pageSize,
    roots: [wide(page, HEADER + 64), wide(page, HEADER + 112)],
    lastPage: wide(page, HEADER + 120),
    transaction: wide(page, HEADER + 128),
  };
}

/**
 * Whether a file has all pages that its trees use. LMDB may not write pages at the end that it has reserved and not
 * used, so a file that is shorter than its header states can still be whole.
 */
function hasUsedPages(file: number, size: number, { pageSize, lastPage, roots }: Meta): boolean {
  const pages = Math.floor(size / pageSize);
  const page = Buffer.alloc(pageSize);
  const remaining = roots.filter((root) => root !== NO_PAGE);
  // Pages of a damaged file can refer to each other in a circle.
  let left = lastPage;
  for (let number = remaining.pop(); number !== undefined; number = remaining.pop()) {
    left -= 1;
    if (number >= pages || left < 0) return false;
    readSync(file, page, 0, pageSize, number * pageSize);
    const isBranch = (page.readUInt16LE(18) & BRANCH) !== 0;
    const end = Math.min(HEADER + page.readUInt16LE(20), pageSize);
    for (let at = HEADER; at < end; at += 2) {
      const node = HEADER + page.readUInt16LE(at);
      if (node + NODE > pageSize) return false;
      if (isBranch) remaining.push(page.readUIntLE(node, 6));
      else if ((page.readUInt16LE(node + 4) & BIG_DATA) !== 0) {
        // A large value has whole pages, which the leaf names by the first and their number.
        const value = node + NODE + page.readUInt16LE(node + 6);
        if (value + 24 > pageSize) return false;
        if (wide(page, value) + wide(page, value + 16) > pages) return false;
      }
    }
  }
  return true;
}

const wide = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at));
