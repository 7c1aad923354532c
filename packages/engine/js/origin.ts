// Knows how a forked state asks the chain below it.

import * as binding from '../binding.js';
import { now } from './error.js';

/** A read that the local state cannot answer. */
export type OriginQuestion =
  | { readonly kind: 'storage'; readonly address: string; readonly key: string }
  | { readonly kind: 'nonce'; readonly address: string }
  | { readonly kind: 'class_hash'; readonly address: string }
  | { readonly kind: 'class'; readonly class_hash: string };

/**
 * Answers with a felt, or with a class as JSON text or as `Class.pack` wrote it; `null` if the origin has no such thing. A
 * rejection fails the execution that asked with an error of kind `origin`.
 */
export type OriginReader = (question: OriginQuestion) => Promise<string | Uint8Array | null>;

export interface OriginManners {
  /** Milliseconds: an execution that reads of the origin later than that after it began fails. */
  readonly patience?: number;
}

/** A fork point. Each question is asked once; all states above it share the answers. */
export class Origin {
  /** @internal */
  readonly native: binding.Origin;

  constructor(ask: OriginReader, { patience }: OriginManners = {}) {
    this.native = now(
      () => new binding.Origin(async (question) => ask(JSON.parse(question)), patience),
    );
  }

  /** How many different questions have been asked. */
  get answers(): number {
    return this.native.answers;
  }
}
