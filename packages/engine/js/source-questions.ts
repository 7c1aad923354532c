// Reads that the state asks a source, and functions that answer them.

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
