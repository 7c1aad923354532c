// The source below a state, for a fork a network and for an archived chain the disk: answers reads of values that the state does not hold.

import type * as binding from '../binding.js';
import { addon } from './addon.js';
import { callNow, suspendedCalls } from './call.js';
import { EngineError } from './error.js';

/** A read of one felt. */
export type FeltQuestion =
  | { readonly kind: 'storage'; readonly address: string; readonly key: string }
  | { readonly kind: 'nonce'; readonly address: string }
  | { readonly kind: 'class_hash'; readonly address: string };

/** A read that the local state cannot answer. */
export type SourceQuestion = FeltQuestion | { readonly kind: 'class'; readonly class_hash: string };

/**
 * Answers with a felt, or with a class as JSON text or as `Class.pack` wrote it; `null` if the source
 * has none. A rejection fails the execution that asked with an error of kind `state_source`.
 */
export type SourceReader = (question: SourceQuestion) => Promise<string | Uint8Array | null>;

/**
 * Answers without waiting: a felt, `null` if the source has none, or `undefined` if the `SourceReader`
 * must be asked.
 */
export type SourceLookup = (question: FeltQuestion) => string | null | undefined;

export interface SourceOptions {
  /** Milliseconds: an execution that still reads from the source this long after it began fails. */
  readonly timeLimit?: number | undefined;
  /** For values that lie in this process or on its disk: plain reads then need no other thread. */
  readonly lookup?: SourceLookup | undefined;
}

/** Each question is asked once; all states above it share the answers. */
export class StateSource {
  /** @internal */
  readonly native: binding.StateSource;
  readonly #lookup: SourceLookup | undefined;

  constructor(ask: SourceReader, { timeLimit, lookup }: SourceOptions = {}) {
    this.native = callNow(
      () => new addon.StateSource(async (question) => ask(JSON.parse(question)), timeLimit),
    );
    suspendedCalls?.addSource(this.native.id, { ask, timeLimit });
    this.#lookup = lookup;
  }

  /** How many different questions have been asked by executions and reads on worker threads. */
  get answers(): number {
    return this.native.answers;
  }

  /** @internal The answer of the lookup; `undefined` if the reader must be asked. */
  lookUp(question: FeltQuestion): string | undefined {
    try {
      const felt = this.#lookup?.(question);
      return felt === null ? '0x0' : felt;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new EngineError(
        'state_source',
        `the origin did not answer ${JSON.stringify(question)}: ${reason}`,
      );
    }
  }
}
