// Knows how a failure of the origin is told: what failed, where, and never as a value.
import { RpcError } from '../errors.js';

export type UpstreamFailureKind =
  | 'unreachable' // no connection, or it broke before an answer began
  | 'timeout' // connected, and then silence
  | 'http' // an answer that is no 200
  | 'rate-limited' // asked too often
  | 'malformed' // an answer that is cut off or says something else than was asked
  | 'rpc' // an error that says nothing about the chain
  | 'missing'; // offline, and not in the lock file

/**
 * The origin gave no answer. Whoever asked is told so: a failed read must never look like a zero.
 *
 * @example
 * if (error instanceof UpstreamError && error.kind === 'rate-limited') …
 */
export class UpstreamError extends RpcError {
  readonly kind: UpstreamFailureKind;
  /** Without credentials; empty where no single address is to blame. */
  readonly url: string;
  readonly reason: string;

  constructor(kind: UpstreamFailureKind, url: string, reason: string) {
    const place = url === '' ? '' : ` ${url}`;
    super(-32603, `Error in interacting with origin${place}: ${reason}`, { kind, url, reason });
    this.kind = kind;
    this.url = url;
    this.reason = reason;
  }
}

/** Providers put keys into paths and queries, so that both can be as secret as a password. */
export function shownUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  const path = pathname
    .split('/')
    .map((part) => (/^[\w-]{20,}$/.test(part) ? '…' : part))
    .join('/');
  return `${protocol}//${host}${path === '/' ? '' : path}`;
}
