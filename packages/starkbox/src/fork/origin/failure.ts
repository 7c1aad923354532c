// Failures of the origin: what failed, and at which address.
import { ERRORS } from '@starkbox/spec';
import { RpcError } from '../../errors.js';
import { shortenText } from '../../terminal.js';

export type OriginFailureKind =
  | 'unreachable' // no connection, or it broke before an answer began
  | 'timeout' // connected, and no data in time
  | 'http' // a status other than 200
  | 'rate-limited' // too many requests
  | 'malformed' // an answer that is incomplete or of a wrong shape
  | 'too-large' // an answer beyond the limit
  | 'overloaded' // answers under way hold as much memory as they may
  | 'rpc' // an error to a question of the node itself
  | 'missing'; // offline, and not in the lock file

/** Characters of a reason, which may contain a text of the origin. */
const MAX_REASON_LENGTH = 1000;

/**
 * The origin gave no answer. Callers get this error: a failed read must never look like a zero.
 *
 * @example
 * if (error instanceof OriginFailure && error.kind === 'rate-limited') …
 */
export class OriginFailure extends RpcError {
  readonly kind: OriginFailureKind;
  /** Without credentials; empty if no single address failed. */
  readonly url: string;
  readonly reason: string;

  /** @param event start of the message, with the address; tools match it */
  constructor(
    kind: OriginFailureKind,
    url: string,
    reason: string,
    event = `Error in interacting with origin${url === '' ? '' : ` ${url}`}`,
  ) {
    const message = shortenText(reason, MAX_REASON_LENGTH);
    super(-32603, `${event}: ${message}`, { kind, url, reason: message });
    this.kind = kind;
    this.url = url;
    this.reason = message;
  }

  /** The same with what to do about it. */
  withAdvice(advice: string): OriginFailure {
    return new OriginFailure(this.kind, this.url, `${this.reason}. ${advice}`);
  }

  /** The same for a read of the state, with the message that tools match there. */
  ofStateRead(): OriginFailure {
    const { kind, url, reason } = this;
    if (kind === 'missing' || kind === 'rpc') return this;
    const suffix = url === '' ? '' : ` (url: "${new URL(url).href}")`;
    const event = `Error in communication with forking origin${suffix}`;
    return new OriginFailure(kind, url, reason, event);
  }
}

/** An error in the origin's answer; code, message and data are passed on unchanged. */
export class OriginError extends RpcError {
  /** Without credentials. */
  readonly url: string;

  constructor({ code, message, data }: WireError, url: string) {
    super(code, message, data);
    this.url = url;
  }

  /** Codes of the specification are small and positive; that of an unexpected error is not about the chain. */
  get isAboutTheChain(): boolean {
    return this.code > 0 && this.code < 400 && this.code !== UNEXPECTED;
  }

  /** Internal errors and those in the range for servers. */
  get mayPass(): boolean {
    const { code } = this;
    const isOfServer = code <= -32000 && code >= -32099;
    return code === -32603 || isOfServer || code === UNEXPECTED || code >= 500;
  }

  /** The same as a failure, for questions of the node itself. */
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

const UNEXPECTED = ERRORS.UNEXPECTED_ERROR.code;

/** A URL without secrets: providers put keys into paths and queries. */
export function shownUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  const path = pathname
    .split('/')
    .map((part) => (/^[\w-]{20,}$/.test(part) ? '…' : part))
    .join('/');
  return `${protocol}//${host}${path === '/' ? '' : path}`;
}
