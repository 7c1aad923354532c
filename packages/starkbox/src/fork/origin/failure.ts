// Failures of the origin: what failed, and at which address.
import { RpcError } from '../../errors.js';

export type OriginFailureKind =
  | 'unreachable' // no connection, or it broke before an answer began
  | 'timeout' // connected, and then silence
  | 'http' // an answer that is no 200
  | 'rate-limited' // asked too often
  | 'malformed' // an answer that is cut off or says something else than was asked
  | 'rpc' // an error to a question that no caller asked
  | 'missing'; // offline, and not in the lock file

/**
 * The origin gave no answer. Whoever asked is told so: a failed read must never look like a zero.
 *
 * @example
 * if (error instanceof OriginFailure && error.kind === 'rate-limited') …
 */
export class OriginFailure extends RpcError {
  readonly kind: OriginFailureKind;
  /** Without credentials; empty where no single address is to blame. */
  readonly url: string;
  readonly reason: string;

  /** @param event how the message begins; tools look for these words */
  constructor(
    kind: OriginFailureKind,
    url: string,
    reason: string,
    event = 'Error in interacting with origin',
  ) {
    const place = url === '' ? '' : ` ${url}`;
    super(-32603, `${event}${place}: ${reason}`, { kind, url, reason });
    this.kind = kind;
    this.url = url;
    this.reason = reason;
  }

  /** The same for a read of the state, in the words that tools expect there. */
  ofStateRead(): OriginFailure {
    const { kind, url, reason } = this;
    return kind === 'missing' || kind === 'rpc'
      ? this
      : new OriginFailure(kind, url, reason, 'Error in communication with forking origin');
  }
}

/** An error that the origin answered with: its code, its message and its data, to be passed on as they are. */
export class OriginError extends RpcError {
  /** Without credentials. */
  readonly url: string;

  constructor({ code, message, data }: WireError, url: string) {
    super(code, message, data);
    this.url = url;
  }

  /** Starknet's own codes are small and positive. One of them says only that something went wrong. */
  get isAboutTheChain(): boolean {
    return this.code > 0 && this.code < 400 && this.code !== UNEXPECTED;
  }

  /** Internal errors and those that a server defines for itself. */
  get mayPass(): boolean {
    const { code } = this;
    const isOfServer = code <= -32000 && code >= -32099;
    return code === -32603 || isOfServer || code === UNEXPECTED || code >= 500;
  }

  /** The same as a failure of ours, for questions that no caller asked. */
  asFailure(method: string): OriginFailure {
    const reason = `${method} fails with ${this.code}: ${this.message}`;
    return new OriginFailure('rpc', this.url, reason);
  }
}

export interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

const UNEXPECTED = 63;

/** Providers put keys into paths and queries, so that both can be as secret as a password. */
export function shownUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  const path = pathname
    .split('/')
    .map((part) => (/^[\w-]{20,}$/.test(part) ? '…' : part))
    .join('/');
  return `${protocol}//${host}${path === '/' ? '' : path}`;
}
