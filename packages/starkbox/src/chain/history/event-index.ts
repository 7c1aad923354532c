// Index marks of events, and the search for blocks that can match an event filter.

import { type Cursor, markOf } from './block-index.js';

/** The indexed part of an event. */
export interface Emitted {
  readonly from_address: string;
  readonly keys: readonly string[];
}

export interface EventFilter {
  /** The first and the last block to search. */
  readonly from: number;
  readonly to: number;
  /** Emitting contracts; `undefined` matches every contract, an empty list matches none. */
  readonly addresses: readonly string[] | undefined;
  /** The accepted keys for each position; an empty list accepts every key. */
  readonly keys: readonly (readonly string[])[];
}

const EMITTER = 1;
const KEY_COUNT = 2;
const FIRST_KEY = 3;

/** Marks of a block with these events. The position of a key is part of its mark. */
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
 * The blocks in which an event can match, ascending. They include blocks with events that have
 * fewer keys than the filter; the reader of the block decides about those.
 *
 * @param blocksWith gives a cursor over the blocks under a mark
 */
export function* candidates(
  { from, to, addresses, keys }: EventFilter,
  blocksWith: (mark: number) => Cursor,
): Generator<number, void, undefined> {
  const groups = keys.flatMap((alternatives, position) =>
    alternatives.length > 0 ? [keyMarks(position, alternatives)] : [],
  );
  if (addresses) groups.push(addresses.map((felt) => markOf(felt, EMITTER)));
  if (groups.length === 0) groups.push([ANY_EVENT]);
  const conditions = groups.map((marks) => marks.map(blocksWith));
  // Each condition advances the candidate to its next match. The rarest condition takes the largest
  // steps, so the order of the conditions does not matter.
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
