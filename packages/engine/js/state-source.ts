// The origin of a forked or archived state: answers reads of what the state does not hold.

import type * as binding from '../binding.js';
import { addon } from './addon.js';
import { callNow, EngineError } from './error.js';

/** A read of one felt. */
export type FeltQuestion =
  | { readonly kind: 'storage'; readonly address: string; readonly key: string }
  | { readonly kind: 'nonce'; readonly address: string }
  | { readonly kind: 'class_hash'; readonly address: string };

/** A read that the local state cannot answer. */
export type OriginQuestion = FeltQuestion | { readonly kind: 'class'; readonly class_hash: string };

/**
 * Answers with a felt, or with a class as JSON text or as `Class.pack` wrote it; `null` if the origin
 * has none. A rejection fails the execution that asked with an error of kind `origin`.
 */
export type OriginReader = (question: OriginQuestion) => Promise<string | Uint8Array | null>;

/**
 * Answers without waiting: a felt, `null` if the origin has none, or `undefined` if the `OriginReader`
 * must be asked.
 */
export type OriginLookup = (question: FeltQuestion) => string | null | undefined;

export interface OriginOptions {
  /** Milliseconds: an execution that still reads from the origin this long after it began fails. */
  readonly timeLimit?: number | undefined;
  /** For values that lie in this process or on its disk: plain reads then need no other thread. */
  readonly lookup?: OriginLookup | undefined;
}

/** A fork point. Each question is asked once; all states above it share the answers. */
export class Origin {
  /** @internal */
  readonly native: binding.Origin;
  readonly #lookup: OriginLookup | undefined;

  constructor(ask: OriginReader, { timeLimit, lookup }: OriginOptions = {}) {
    this.native = callNow(
      () => new addon.Origin(async (question) => ask(JSON.parse(question)), timeLimit),
    );
    this.#lookup = lookup;
  }

  /** How many different questions have been asked by executions and reads on worker threads. */
  get answers(): number {
    return this.native.answers;
  }

  /** @internal The answer of the lookup; `undefined` if the reader must be asked. */
  lookUp(question: FeltQuestion): string | undefined {
    try {
      const found = this.#lookup?.(question);
      return found === null ? '0x0' : found;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new EngineError(
        'origin',
        `the origin did not answer ${JSON.stringify(question)}: ${reason}`,
      );
    }
  }
}
