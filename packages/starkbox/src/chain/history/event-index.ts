// Index marks of events, and the search for blocks that can match an event filter.

import { type Cursor, markOf } from './block-index.js';

/** What is indexed of an event. */
export interface Emitted {
  readonly from_address: string;
  readonly keys: readonly string[];
}

export interface EventFilter {
  /** The first and the last block to look at. */
  readonly from: number;
  readonly to: number;
  /** Who emitted it; `undefined` for anybody, an empty list for nobody. */
  readonly addresses: readonly string[] | undefined;
  /** For each position the keys that may stand there; an empty list for any. */
  readonly keys: readonly (readonly string[])[];
}

const EMITTER = 1;
const KEY_COUNT = 2;
const FIRST_KEY = 3;

/** What a block with these events is indexed by. A felt is marked together with its place: a sender is not a receiver. */
export function eventMarks(events: Iterable<Emitted>): readonly number[] {
  const marks = new Set<number>();
  for (const { from_address, keys } of events) {
    marks.add(ANY_EVENT);
    marks.add(markOf(from_address, EMITTER));
    marks.add(keyCountMark(keys.length));
    keys.forEach((key, position) => {
      marks.add(markOf(key, FIRST_KEY + position));
    });
  }
  return [...marks];
}

const ANY_EVENT = markOf('', EMITTER);

const keyCountMark = (count: number): number => markOf(String(count), KEY_COUNT);

/**
 * The blocks in which an event may match, ascending. Whether an event with fewer keys than the filter
 * matches is for the reader of the block to say: here it might.
 *
 * @param blocksWith a way through the blocks that bear a mark
 */
export function* candidates(
  { from, to, addresses, keys }: EventFilter,
  blocksWith: (mark: number) => Cursor,
): Generator<number, void, undefined> {
  const wanted = keys.flatMap((alternatives, position) =>
    alternatives.length > 0 ? [keyMarks(position, alternatives)] : [],
  );
  if (addresses) wanted.push(addresses.map((felt) => markOf(felt, EMITTER)));
  if (wanted.length === 0) wanted.push([ANY_EVENT]);
  const conditions = wanted.map((marks) => marks.map(blocksWith));
  // Every condition in turn moves the candidate to where it holds next. The rarest takes the largest
  // steps, so nobody has to know which that is.
  let candidate = from;
  for (;;) {
    const agreed = conditions.reduce((least, cursors) => earliest(cursors, least), candidate);
    if (agreed > to) return;
    if (agreed === candidate) {
      yield candidate;
      candidate += 1;
    } else {
      candidate = agreed;
    }
  }
}

function keyMarks(position: number, alternatives: readonly string[]): readonly number[] {
  const marks = alternatives.map((key) => markOf(key, FIRST_KEY + position));
  for (let count = 0; count <= position; count += 1) marks.push(keyCountMark(count));
  return marks;
}

function earliest(cursors: readonly Cursor[], least: number): number {
  return cursors.reduce(
    (first, cursor) => Math.min(first, cursor.seek(least)),
    Number.POSITIVE_INFINITY,
  );
}
