// Knows in which blocks an event may be found that matches a filter, without reading any block.

import { Cursor, Mentions, markOf } from './mentions.js';
import { List } from './persistent.js';

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

/** A felt is marked together with its place: a sender is not a receiver. */
function marksOf(events: Iterable<Emitted>): readonly number[] {
  const marks = new Set<number>();
  for (const { from_address, keys } of events) {
    marks.add(markOf(from_address, EMITTER));
    marks.add(keyCountMark(keys.length));
    keys.forEach((key, position) => {
      marks.add(markOf(key, FIRST_KEY + position));
    });
  }
  return [...marks];
}

const keyCountMark = (count: number): number => markOf(String(count), KEY_COUNT);

/** An index of events: a persistent value. */
export class EventIndex {
  static readonly empty: EventIndex = new EventIndex(Mentions.none, List(), List());

  readonly #mentions: Mentions;
  /** The blocks with at least one event, and what each is marked with, to undo it. */
  readonly #blocks: List<number>;
  readonly #marks: List<string>;

  constructor(mentions: Mentions, blocks: List<number>, marks: List<string>) {
    this.#mentions = mentions;
    this.#blocks = blocks;
    this.#marks = marks;
  }

  /** How many different marks there are. */
  get size(): number {
    return this.#mentions.size;
  }

  /** With the events of one more block, which must be newer than all before. */
  with(block: number, events: Iterable<Emitted>): EventIndex {
    const marks = marksOf(events);
    if (marks.length === 0) return this;
    return new EventIndex(
      this.#mentions.with(marks, block),
      this.#blocks.push(block),
      this.#marks.push(written(marks)),
    );
  }

  /** Without the blocks from `from` on. Costs what they hold. */
  truncate(from: number): EventIndex {
    let size = this.#blocks.size;
    const marks = new Set<number>();
    while (size > 0 && (this.#blocks.get(size - 1) ?? 0) >= from) {
      size -= 1;
      for (const mark of read(this.#marks.get(size) ?? '')) marks.add(mark);
    }
    if (size === this.#blocks.size) return this;
    return new EventIndex(
      this.#mentions.without(marks, from),
      this.#blocks.setSize(size),
      this.#marks.setSize(size),
    );
  }

  /**
   * The blocks in which an event may match, ascending. Whether an event with fewer keys than the filter
   * matches is for the reader of the block to say: here it might.
   */
  *candidates({ from, to, addresses, keys }: EventFilter): Generator<number, void, undefined> {
    const wanted = keys.flatMap((alternatives, position) =>
      alternatives.length > 0 ? [this.#keyAt(position, alternatives)] : [],
    );
    if (addresses) wanted.push(this.#anyOf(addresses.map((felt) => markOf(felt, EMITTER))));
    if (wanted.length === 0) wanted.push([new Cursor(this.#blocks)]);
    // Every condition in turn moves the candidate to where it holds next. The rarest takes the largest
    // steps, so nobody has to know which that is.
    let candidate = from;
    for (;;) {
      const agreed = wanted.reduce((least, cursors) => earliest(cursors, least), candidate);
      if (agreed > to) return;
      if (agreed === candidate) {
        yield candidate;
        candidate += 1;
      } else {
        candidate = agreed;
      }
    }
  }

  #keyAt(position: number, alternatives: readonly string[]): readonly Cursor[] {
    const marks = alternatives.map((key) => markOf(key, FIRST_KEY + position));
    for (let count = 0; count <= position; count += 1) marks.push(keyCountMark(count));
    return this.#anyOf(marks);
  }

  #anyOf(marks: readonly number[]): readonly Cursor[] {
    return marks.map((mark) => this.#mentions.cursor(mark));
  }
}

function earliest(cursors: readonly Cursor[], least: number): number {
  return cursors.reduce(
    (first, cursor) => Math.min(first, cursor.seek(least)),
    Number.POSITIVE_INFINITY,
  );
}

/** Marks as text of two characters each: an array would weigh twice as much. */
function written(marks: readonly number[]): string {
  return marks.map((mark) => String.fromCharCode(mark >>> 15, mark & 0x7fff)).join('');
}

function read(text: string): readonly number[] {
  return Array.from(
    { length: text.length / 2 },
    (_, index) => (text.charCodeAt(2 * index) << 15) | text.charCodeAt(2 * index + 1),
  );
}
