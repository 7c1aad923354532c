// Values that the blocks of one line have written, and the source of a state that has them.
import { type FeltQuestion, type SourceQuestion, StateSource } from '@starkbox/engine';
import { feltOf } from '../../felt.js';
import type { Fork } from '../../fork/fork.js';
import type { Database } from '../database/database.js';
import { beforeBranch, classKey, dateKey, numberIn, prefix } from '../database/keys.js';

/** The branch that blocks are stored under, from a block number on. */
export interface Segment {
  readonly branch: number;
  readonly from: number;
}

/** Source of values that no local block has written: the origin of a fork. */
export type FallbackSource = Pick<Fork, 'read' | 'sourceOptions'>;

interface Part {
  readonly branch: number;
  readonly first: number;
  readonly last: number;
}

/** Largest block number whose successor fits into a key. */
const LARGEST = 2 ** 48 - 2;

/**
 * It must not refer to a state: the engine holds the functions of a source as long as there are states on it, and such a
 * circle through the engine is never collected.
 */
export class LineageValues {
  readonly #database: Database;
  readonly #segments: readonly Segment[];
  readonly #fallback: FallbackSource | undefined;

  constructor(
    database: Database,
    segments: readonly Segment[],
    fallback: FallbackSource | undefined,
  ) {
    this.#database = database;
    this.#segments = segments;
    this.#fallback = fallback;
  }

  /** Source of the state after a block. */
  sourceAfter(number: number): StateSource {
    const fallback = this.#fallback;
    return new StateSource(
      async (question) => this.answer(question, number) ?? fallback?.read(question) ?? null,
      {
        ...fallback?.sourceOptions,
        // The database is read synchronously; only reads of the origin are asynchronous.
        lookup: (question) => this.answer(question, number) ?? (fallback ? undefined : null),
      },
    );
  }

  answer(question: FeltQuestion, number: number): string | null;
  answer(question: SourceQuestion, number: number): string | Uint8Array | null;
  answer(question: SourceQuestion, number: number): string | Uint8Array | null {
    if (question.kind === 'class') {
      const classHash = question.class_hash;
      const declared = this.newest(prefix('declared', [classHash]), number);
      if (!declared) return null;
      const compiledClassHash = feltOf(declared.value);
      return this.#database.get(classKey({ classHash, compiledClassHash })) ?? null;
    }
    const entry = this.newest(prefixOf(question), number);
    return entry ? feltOf(entry.value) : null;
  }

  /** The newest entry under a prefix, up to a block. */
  newest(
    start: Buffer,
    upTo: number,
  ): { readonly number: number; readonly value: Buffer } | undefined {
    for (const { branch, last } of this.parts(upTo)) {
      const [entry] = this.#database.getRange({
        start: dateKey(start, branch, last),
        end: beforeBranch(start, branch),
        reverse: true,
        limit: 1,
      });
      if (entry) return { number: numberIn(entry.key), value: entry.value };
    }
    return undefined;
  }

  /** The parts of the line up to a block, newest first. */
  parts(upTo: number): readonly Part[] {
    const parts: Part[] = [];
    let last = Math.min(upTo, LARGEST);
    for (const { branch, from } of this.#segments.toReversed()) {
      if (from > last) continue;
      parts.push({ branch, first: from, last });
      last = from - 1;
    }
    return parts;
  }
}

function prefixOf(question: FeltQuestion): Buffer {
  if (question.kind === 'storage') return prefix('storage', [question.address, question.key]);
  return prefix(question.kind === 'nonce' ? 'nonce' : 'classHash', [question.address]);
}
