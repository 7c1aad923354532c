// One line of blocks on disk, from the first to its last: contents and states.
import {
  type FeltQuestion,
  type OriginQuestion,
  type Slot,
  State,
  Origin as StateSource,
} from '@starkbox/engine';
import { BoundedMap } from '../../bounded-map.js';
import type { Cursor } from '../../chain/history/block-index.js';
import type { Archive } from '../../chain/history/history.js';
import { type PackedBlock, readPackedBlock } from '../../chain/history/packed-block.js';
import type { ArchivedStates, Slots } from '../../chain/world/archived-states.js';
import { feltOf } from '../../felt.js';
import type { Fork } from '../../fork/fork.js';
import type { Database } from '../database/database.js';
import {
  beforeBranch,
  behind,
  blockKey,
  classKey,
  dated,
  feltIn,
  markPrefix,
  numberIn,
  prefix,
} from '../database/keys.js';

/** The branch that blocks are stored under, from a block number on. */
export interface Segment {
  readonly branch: number;
  readonly from: number;
}

/** Source of values that no local block has written: the origin of a fork. */
export type FallbackSource = Pick<Fork, 'read' | 'sourceOptions'>;

/** States of old blocks in the cache. */
const STATES = 16;
/** Blocks in the cache: one request reads a block and the one before it several times. */
const BLOCKS = 8;

/**
 * Blocks are never overwritten: after a reorganization, new blocks are written under another
 * branch. A lineage lists the branches of its blocks, oldest first.
 */
export class Lineage implements Archive, ArchivedStates {
  readonly segments: readonly Segment[];
  readonly #database: Database;
  readonly #keepHistory: boolean;
  readonly #fallback: FallbackSource | undefined;
  readonly #states = new BoundedMap<number, State>(STATES);
  readonly #blocks = new BoundedMap<number, PackedBlock>(BLOCKS);

  constructor(
    database: Database,
    segments: readonly Segment[],
    {
      keepHistory,
      fallback,
    }: { readonly keepHistory: boolean; readonly fallback: FallbackSource | undefined },
  ) {
    this.#database = database;
    this.segments = segments;
    this.#keepHistory = keepHistory;
    this.#fallback = fallback;
  }

  /** The branch that new blocks are written under. */
  get tip(): number {
    return this.segments.at(-1)?.branch ?? 0;
  }

  /** The same before a block, and another branch from there on. */
  branchedOff(branch: number, from: number): Lineage {
    const kept = this.segments.filter((segment) => segment.from < from);
    return new Lineage(this.#database, [...kept, { branch, from }], {
      keepHistory: this.#keepHistory,
      fallback: this.#fallback,
    });
  }

  equals(other: Lineage): boolean {
    const { segments } = other;
    return (
      segments.length === this.segments.length &&
      segments.every(({ branch, from }, index) => {
        const own = this.segments[index];
        return own?.branch === branch && own.from === from;
      })
    );
  }

  at(number: number): PackedBlock | undefined {
    const known = this.#blocks.get(number);
    if (known) return known;
    const { branch } = this.#segmentOf(number) ?? {};
    const record = branch === undefined ? undefined : this.#database.get(blockKey(branch, number));
    const block = record && this.#database.decode(`block ${number}`, () => readPackedBlock(record));
    if (block) this.#blocks.set(number, block);
    return block;
  }

  find(mark: number, passes: (number: number) => boolean): number | undefined {
    const start = markPrefix(mark);
    for (const { branch, last } of this.#newestFirst(Number.MAX_SAFE_INTEGER)) {
      const keys = this.#database.getKeys({
        start: dated(start, branch, last),
        end: beforeBranch(start, branch),
        reverse: true,
      });
      for (const key of keys) if (passes(numberIn(key))) return numberIn(key);
    }
    return undefined;
  }

  newest(mark: number, upTo: number): number | undefined {
    const start = markPrefix(mark);
    for (const { branch, last } of this.#newestFirst(upTo)) {
      const [key] = this.#database.getKeys({
        start: dated(start, branch, last),
        end: beforeBranch(start, branch),
        reverse: true,
        limit: 1,
      });
      if (key) return numberIn(key);
    }
    return undefined;
  }

  cursor(mark: number): Cursor {
    const start = markPrefix(mark);
    const oldestFirst = this.#newestFirst(Number.MAX_SAFE_INTEGER).toReversed();
    return {
      seek: (least) => {
        for (const { branch, first, last } of oldestFirst) {
          if (last < least) continue;
          const [key] = this.#database.getKeys({
            start: dated(start, branch, Math.max(first, least)),
            end: dated(start, branch, last + 1),
            limit: 1,
          });
          if (key) return numberIn(key);
        }
        return Number.POSITIVE_INFINITY;
      },
    };
  }

  stateAfter(number: number): State {
    const known = this.#states.get(number);
    if (known) return known;
    const state = State.create({
      version: number + 1,
      keepHistory: this.#keepHistory,
      origin: this.stateSourceAfter(number),
    });
    this.#states.set(number, state);
    return state;
  }

  /** Source of the state after a block. */
  stateSourceAfter(number: number): StateSource {
    const fallback = this.#fallback;
    return new StateSource(
      async (question) => this.#answer(question, number) ?? fallback?.read(question) ?? null,
      {
        ...fallback?.sourceOptions,
        // The database is read synchronously; only reads of the origin are asynchronous.
        lookup: (question) => this.#answer(question, number) ?? (fallback ? undefined : null),
      },
    );
  }

  storageAt(address: string, key: string, number: number): string | undefined {
    return this.#answer({ kind: 'storage', address, key }, number) ?? undefined;
  }

  storageSince(address: string, key: string, number: number): number | undefined {
    return this.#newest(prefix('storage', [address, key]), number)?.number;
  }

  slots(address: string, after: string | undefined, number: number, limit: number): Slots {
    const all = prefix('storage', [address]);
    const found: Slot[] = [];
    let upTo = after;
    // Slots that only abandoned branches wrote count as lookups too.
    for (let left = 2 * limit; left > 0 && found.length < limit; left -= 1) {
      const start = upTo === undefined ? all : behind(prefix('storage', [address, upTo]));
      const [next] = this.#database.getKeys({ start, end: behind(all), limit: 1 });
      if (!next) return { slots: found, upTo: undefined };
      const key = feltIn(next, all.length);
      const newest = this.#newest(prefix('storage', [address, key]), number);
      if (newest) found.push({ key, value: feltOf(newest.value), since: newest.number });
      upTo = key;
    }
    return { slots: found, upTo };
  }

  classSince(classHash: string): number | undefined {
    return this.#newest(prefix('declared', [classHash]), Number.MAX_SAFE_INTEGER)?.number;
  }

  #answer(question: FeltQuestion, number: number): string | null;
  #answer(question: OriginQuestion, number: number): string | Uint8Array | null;
  #answer(question: OriginQuestion, number: number): string | Uint8Array | null {
    if (question.kind === 'class') {
      const hash = question.class_hash;
      if (!this.#newest(prefix('declared', [hash]), number)) return null;
      return this.#database.get(classKey(hash)) ?? null;
    }
    const found = this.#newest(prefixOf(question), number);
    return found ? feltOf(found.value) : null;
  }

  /** The newest entry under a prefix, up to a block. */
  #newest(
    start: Buffer,
    upTo: number,
  ): { readonly number: number; readonly value: Buffer } | undefined {
    for (const { branch, last } of this.#newestFirst(upTo)) {
      const [entry] = this.#database.getRange({
        start: dated(start, branch, last),
        end: beforeBranch(start, branch),
        reverse: true,
        limit: 1,
      });
      if (entry) return { number: numberIn(entry.key), value: entry.value };
    }
    return undefined;
  }

  #segmentOf(number: number): Segment | undefined {
    return this.segments.findLast(({ from }) => from <= number);
  }

  /** The parts of this lineage up to a block, newest first. */
  #newestFirst(upTo: number): readonly { branch: number; first: number; last: number }[] {
    const parts: { branch: number; first: number; last: number }[] = [];
    let last = Math.min(upTo, LARGEST);
    for (const { branch, from } of this.segments.toReversed()) {
      if (from > last) continue;
      parts.push({ branch, first: from, last });
      last = from - 1;
    }
    return parts;
  }
}

/** Largest block number whose successor fits into a key. */
const LARGEST = 2 ** 48 - 2;

function prefixOf(question: FeltQuestion): Buffer {
  if (question.kind === 'storage') return prefix('storage', [question.address, question.key]);
  return prefix(question.kind === 'nonce' ? 'nonce' : 'classHash', [question.address]);
}
