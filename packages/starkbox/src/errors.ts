// Errors with a code, a message and data for the JSON-RPC answer.
import { ERRORS, type ErrorName } from '@starkbox/spec';

/** An error that a node sends to its caller. Every other error becomes an internal error on the wire. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  /** The code of the specification, or of JSON-RPC. */
  readonly code: number;
  /** Details for the caller; undefined for none. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/**
 * Fails with an error of the specification.
 *
 * @example
 * const block = blocks.get(number) ?? fail('BLOCK_NOT_FOUND');
 */
export function fail(name: ErrorName, data?: unknown): never {
  const { code, message } = ERRORS[name];
  throw new RpcError(code, message, data);
}

/** Rejects a call for which the specification has no error: code -1, with the reason as the message. */
export function refuse(message: string, data?: unknown): never {
  throw new RpcError(-1, message, data);
}

/** The error of a request whose response would have more than `limit` bytes. */
export function answerTooLarge(limit: number): RpcError {
  return new RpcError(
    ERRORS.SERVICE_BUSY.code,
    `The response would exceed ${limit} bytes; request less at once, --maximum-response-size sets the limit`,
  );
}

/** A bundle that cannot be opened. The message says why and what to do. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
}

/** Rejects parameters. The reason names the parameter and what was expected. */
export function invalidParams(reason: string): never {
  throw new RpcError(ERRORS.INVALID_PARAMS.code, reason);
}

/** The file of `--account-class-custom` cannot be used. */
export class AccountClassError extends Error {
  override readonly name = 'AccountClassError';
}

/** The message of an error, for a sentence around it. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code that the system gave an error, if any. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** The message of the innermost cause of an error; for a failed connection, the code of the system. */
export function innermostReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return innermostReason(error.cause);
  const code = codeOf(error);
  return typeof code === 'string' ? code : error.message;
}

/** A URL as callers, logs and messages see it: without credentials, which may also be in the path or the query. */
export function shortUrl(url: string): string {
  const { protocol, host, pathname, search, hash } = new URL(url);
  const isWhole = pathname === '/' && search === '' && hash === '';
  return `${protocol}//${host}/${isWhole ? '' : '…'}`;
}
