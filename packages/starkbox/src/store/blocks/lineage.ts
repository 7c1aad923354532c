// One line of blocks on disk, from the first to its last: contents and states.
import { type Slot, State, type StateSource } from '@starkbox/engine';
import { BoundedMap } from '../../bounded-map.js';
import type { Cursor } from '../../chain/history/block-index.js';
import type { Archive } from '../../chain/history/history.js';
import { type PackedBlock, readPackedBlock } from '../../chain/history/packed-block.js';
import type { ArchivedStates, Slots } from '../../chain/world/archived-states.js';
import { feltOf } from '../../felt.js';
import type { Database } from '../database/database.js';
import {
  beforeBranch,
  behind,
  blockKey,
  dateKey,
  feltIn,
  markPrefix,
  numberIn,
  prefix,
} from '../database/keys.js';
import { type FallbackSource, LineageValues, type Segment } from './lineage-values.js';

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
  readonly #values: LineageValues;
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
    this.#values = new LineageValues(database, segments, fallback);
  }

  /** The branch that new blocks are written under. */
  get tip(): number {
    return this.segments.at(-1)?.branch ?? 0;
  }

  /** The same before a block, and another branch from there on. */
  branchedOff(branch: number, from: number): Lineage {
    const remaining = this.segments.filter((segment) => segment.from < from);
    return new Lineage(this.#database, [...remaining, { branch, from }], {
      keepHistory: this.#keepHistory,
      fallback: this.#fallback,
    });
  }

  equals(other: Lineage): boolean {
    const { segments } = other;
    return (
      segments.length === this.segments.length &&
      segments.every(({ branch, from }, index) => {
        const segment = this.segments[index];
        return segment?.branch === branch && segment.from === from;
      })
    );
  }

  at(number: number): PackedBlock | undefined {
    const cached = this.#blocks.get(number);
    if (cached) return cached;
    const { branch } = this.#segmentOf(number) ?? {};
    const record = branch === undefined ? undefined : this.#database.get(blockKey(branch, number));
    const block = record && this.#database.decode(`block ${number}`, () => readPackedBlock(record));
    if (block) this.#blocks.set(number, block);
    return block;
  }

  find(mark: number, passes: (number: number) => boolean): number | undefined {
    const start = markPrefix(mark);
    for (const { branch, last } of this.#values.parts(Number.MAX_SAFE_INTEGER)) {
      const keys = this.#database.getKeys({
        start: dateKey(start, branch, last),
        end: beforeBranch(start, branch),
        reverse: true,
      });
      for (const key of keys) if (passes(numberIn(key))) return numberIn(key);
    }
    return undefined;
  }

  newest(mark: number, upTo: number): number | undefined {
    const start = markPrefix(mark);
    for (const { branch, last } of this.#values.parts(upTo)) {
      const [key] = this.#database.getKeys({
        start: dateKey(start, branch, last),
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
    const oldestFirst = this.#values.parts(Number.MAX_SAFE_INTEGER).toReversed();
    return {
      seek: (least) => {
        for (const { branch, first, last } of oldestFirst) {
          if (last < least) continue;
          const [key] = this.#database.getKeys({
            start: dateKey(start, branch, Math.max(first, least)),
            end: dateKey(start, branch, last + 1),
            limit: 1,
          });
          if (key) return numberIn(key);
        }
        return Number.POSITIVE_INFINITY;
      },
    };
  }

  stateAfter(number: number): State {
    const cached = this.#states.get(number);
    if (cached) return cached;
    const state = State.create({
      version: number + 1,
      keepHistory: this.#keepHistory,
      source: this.stateSourceAfter(number),
    });
    this.#states.set(number, state);
    return state;
  }

  /** Source of the state after a block. */
  stateSourceAfter(number: number): StateSource {
    return this.#values.sourceAfter(number);
  }

  storageAt(address: string, key: string, number: number): string | undefined {
    return this.#values.answer({ kind: 'storage', address, key }, number) ?? undefined;
  }

  storageSince(address: string, key: string, number: number): number | undefined {
    return this.#values.newest(prefix('storage', [address, key]), number)?.number;
  }

  slots(address: string, after: string | undefined, number: number, limit: number): Slots {
    const all = prefix('storage', [address]);
    const slots: Slot[] = [];
    let upTo = after;
    // Slots that only abandoned branches wrote count as lookups too.
    for (let remaining = 2 * limit; remaining > 0 && slots.length < limit; remaining -= 1) {
      const start = upTo === undefined ? all : behind(prefix('storage', [address, upTo]));
      const [next] = this.#database.getKeys({ start, end: behind(all), limit: 1 });
      if (!next) return { slots, upTo: undefined };
      const key = feltIn(next, all.length);
      const newest = this.#values.newest(prefix('storage', [address, key]), number);
      if (newest) slots.push({ key, value: feltOf(newest.value), since: newest.number });
      upTo = key;
    }
    return { slots, upTo };
  }

  classSince(classHash: string): number | undefined {
    return this.#values.newest(prefix('declared', [classHash]), Number.MAX_SAFE_INTEGER)?.number;
  }

  #segmentOf(number: number): Segment | undefined {
    return this.segments.findLast(({ from }) => from <= number);
  }
}
