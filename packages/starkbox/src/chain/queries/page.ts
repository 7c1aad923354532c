// Pages of rows, newest block first, with a bounded cost for each page.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { invalidParams } from '../../errors.js';
import type { History } from '../history/history.js';
import { pendingNumber } from '../world/find-block.js';
import type { World } from '../world/world.js';

export interface Page<T> {
  readonly rows: readonly T[];
  /** Where the next page begins; nothing at the end. */
  readonly next: string | undefined;
}

export interface PageQuery<T> {
  readonly world: World;
  /** The first block to look at: the newest. */
  readonly from: number;
  /** The last: the oldest. That of the chain by default. */
  readonly to?: number | undefined;
  /** Where the page before ended. */
  readonly cursor: string | undefined;
  readonly limit: number;
  /** A block is looked at if it bears one mark of each group. */
  readonly marks: readonly (readonly number[])[];
  /** Ways to the rows of a block, oldest first; one that gives nothing is left out. */
  readonly rowsIn: (block: number) => readonly (() => T | undefined | Promise<T | undefined>)[];
}

/** Rows that one call looks at, and steps from block to block that it takes. */
const EFFORT = 1000;
/** After so many others get a turn. */
const STRETCH = 50;

/** Every row older than this place is still to come. */
interface Place {
  readonly block: number;
  readonly index: number;
}

export async function readPage<T>(reading: PageQuery<T>): Promise<Page<T>> {
  const { limit, rowsIn } = reading;
  const rows: T[] = [];
  let effort = 0;
  const newestUpTo = (upTo: number): number | undefined =>
    newestBlock(reading, upTo, () => {
      effort += 1;
      return effort <= EFFORT;
    });
  let { block, index } = startOf(reading);
  for (;;) {
    const found = newestUpTo(block);
    if (found === undefined) return { rows, next: undefined };
    if (found !== block) index = Number.POSITIVE_INFINITY;
    if (effort > EFFORT) return { rows, next: written({ block: found + 1, index: 0 }) };
    const ways = rowsIn(found);
    for (let at = Math.min(index, ways.length) - 1; at >= 0; at -= 1) {
      effort += 1;
      if (effort % STRETCH === 0) await nextTurn();
      const row = await ways[at]?.();
      if (row !== undefined) rows.push(row);
      if (rows.length < limit && effort <= EFFORT) continue;
      const isLast = at === 0 && newestUpTo(found - 1) === undefined;
      return { rows, next: isLast ? undefined : written({ block: found, index: at }) };
    }
    block = found - 1;
    index = Number.POSITIVE_INFINITY;
  }
}

/**
 * The newest block up to another that bears a mark of each group. Where `goOn` says no before it is
 * found, a block before which nothing is missed.
 */
function newestBlock(
  { world, marks, to = world.history.first }: PageQuery<unknown>,
  upTo: number,
  goOn: () => boolean,
): number | undefined {
  const { history } = world;
  // What waits is not indexed.
  if (upTo >= pendingNumber(world)) return pendingNumber(world);
  let candidate = upTo;
  for (;;) {
    if (candidate < to) return undefined;
    const agreed = marks.reduce((most, group) => newestOf(history, group, most), candidate);
    if (agreed === candidate || !goOn()) return agreed < to ? undefined : agreed;
    candidate = agreed;
  }
}

function newestOf(history: History, group: readonly number[], upTo: number): number {
  return group.reduce((newest, mark) => Math.max(newest, history.newest(mark, upTo) ?? -1), -1);
}

function startOf({ cursor, from }: PageQuery<unknown>): Place {
  if (cursor === undefined) return { block: from, index: Number.POSITIVE_INFINITY };
  const [, block, index] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (block === undefined || index === undefined) invalidParams('params.cursor: is none of ours');
  const place = { block: Number(block), index: Number(index) };
  // Blocks may have been undone since.
  if (place.block > from) return { block: from, index: Number.POSITIVE_INFINITY };
  return place;
}

const written = ({ block, index }: Place): string => `${block}.${index}`;
