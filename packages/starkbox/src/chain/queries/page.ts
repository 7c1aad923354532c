// Pages of rows, newest block first, with a bounded cost for each page.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { invalidParams } from '../../errors.js';
import type { History } from '../history/history.js';
import { pendingNumber } from '../world/find-block.js';
import type { World } from '../world/world.js';

export interface Page<T> {
  readonly rows: readonly T[];
  /** The cursor of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

export interface PageQuery<T> {
  readonly world: World;
  /** The newest block to read. */
  readonly from: number;
  /** The oldest block to read; by default the first of the chain. */
  readonly to?: number | undefined;
  /** The cursor that the previous page returned. */
  readonly cursor: string | undefined;
  readonly limit: number;
  /** A block is read if it has one key of each group. */
  readonly blockKeys: readonly (readonly number[])[];
  /** Functions that read the rows of a block, oldest first; undefined rows are left out. */
  readonly rowsIn: (block: number) => readonly (() => T | undefined | Promise<T | undefined>)[];
}

/** The limit of rows and index lookups for one page. */
const EFFORT = 1000;
/** Rows that are read before the event loop runs other work. */
const SLICE = 50;

/** The position of a cursor: the next page starts before it. */
interface Position {
  readonly block: number;
  readonly index: number;
}

export async function readPage<T>(query: PageQuery<T>): Promise<Page<T>> {
  const { limit, rowsIn } = query;
  const rows: T[] = [];
  let effort = 0;
  const newestUpTo = (upTo: number): number | undefined =>
    newestBlock(query, upTo, () => {
      effort += 1;
      return effort <= EFFORT;
    });
  let { block, index } = startOf(query);
  for (;;) {
    const newest = newestUpTo(block);
    if (newest === undefined) return { rows, next: undefined };
    if (newest !== block) index = Number.POSITIVE_INFINITY;
    if (effort > EFFORT) return { rows, next: encodeCursor({ block: newest + 1, index: 0 }) };
    const readers = rowsIn(newest);
    for (let at = Math.min(index, readers.length) - 1; at >= 0; at -= 1) {
      effort += 1;
      if (effort % SLICE === 0) await nextTurn();
      const row = await readers[at]?.();
      if (row !== undefined) rows.push(row);
      if (rows.length < limit && effort <= EFFORT) continue;
      const isLast = at === 0 && newestUpTo(newest - 1) === undefined;
      return { rows, next: isLast ? undefined : encodeCursor({ block: newest, index: at }) };
    }
    block = newest - 1;
    index = Number.POSITIVE_INFINITY;
  }
}

/**
 * The newest block, not after `upTo`, with a key of each group. If `goOn` returns false first, a
 * block that no such block is newer than.
 */
function newestBlock(
  { world, blockKeys, to = world.history.first }: PageQuery<unknown>,
  upTo: number,
  goOn: () => boolean,
): number | undefined {
  const { history } = world;
  // The pending block is not indexed.
  if (upTo >= pendingNumber(world)) return pendingNumber(world);
  let candidate = upTo;
  for (;;) {
    if (candidate < to) return undefined;
    const agreed = blockKeys.reduce((most, group) => newestOf(history, group, most), candidate);
    if (agreed === candidate || !goOn()) return agreed < to ? undefined : agreed;
    candidate = agreed;
  }
}

function newestOf(history: History, group: readonly number[], upTo: number): number {
  return group.reduce((newest, key) => Math.max(newest, history.newest(key, upTo) ?? -1), -1);
}

function startOf({ cursor, from }: PageQuery<unknown>): Position {
  if (cursor === undefined) return { block: from, index: Number.POSITIVE_INFINITY };
  const [block, index] = readCursor(cursor);
  // Blocks may have been aborted since.
  if (block > from) return { block: from, index: Number.POSITIVE_INFINITY };
  return { block, index };
}

/** The two numbers of a cursor. */
export function readCursor(cursor: string): [number, number] {
  const [, first, second] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (first === undefined || second === undefined) invalidParams('params.cursor: not a cursor');
  return [Number(first), Number(second)];
}

const encodeCursor = ({ block, index }: Position): string => `${block}.${index}`;
