// A call's caller, context and handler.
import type { Prefix } from '@starkbox/spec';
import type { Caller } from './call-observer.js';
import type { Call } from './envelope.js';
import type { LongList } from './long-list.js';

/** The caller, as far as an answer may depend on it. */
export interface Session extends Caller {
  /** The key that a client of the paymaster sent. */
  readonly apiKey?: string | undefined;
  /** The socket, which can receive notifications. */
  readonly listener?: Listener | undefined;
  /** Aborted when an answer can no longer be delivered: the client is gone, or its timeout was answered. */
  readonly signal?: AbortSignal | undefined;
}

/** A session with some facts changed. A spread alone would lose a signal that a getter makes. */
export const sessionWith = (session: Session, facts: Partial<Session>): Session => ({
  ...session,
  signal: session.signal,
  ...facts,
});

/** The end of a connection to which more than answers can be sent. */
export interface Listener {
  readonly isOpen: boolean;
  send(text: string): void;
  /**
   * Runs once the answer to the call under way has been sent. A function that is returned runs a moment later, before
   * the next call of this listener.
   */
  afterAnswer(action: () => (() => void) | undefined): void;
  /** A subscription of it has ended; nothing is sent to a socket. */
  endSubscription?(): void;
}

/** How an older version of the specification writes the notifications of a subscription. */
export interface NotificationForm {
  /** Whether the result is the same for all subscriptions that have this form. */
  readonly isShared: boolean;
  /** The name in this version, without prefix. */
  name(newest: string): string;
  /** The result in this version; undefined if nothing is sent. */
  result(newest: string, text: string): string | undefined;
}

export interface CallContext {
  /** The prefix that the caller used; a method answers under both of its names. */
  readonly prefix: Prefix;
  readonly session: Session;
  /** Where notifications go; there is none over HTTP, nor in a batch. */
  readonly listener: Listener | undefined;
  /** The call by its canonical name, if it is journalled: what it changes is traced back to it. */
  readonly cause: Call | undefined;
  /** A list of the params that another thread has read; they have an empty one. */
  readonly list?: LongList | undefined;
  /** For subscriptions of older versions. */
  readonly form?: NotificationForm | undefined;
}

interface Signature {
  of(params: object, context: CallContext): unknown;
}

/**
 * A function that serves a method. As a method's type it accepts narrower parameters, which is
 * right here: the schema of the very method has been held against them.
 */
export type Handler = Signature['of'];

/** Handlers by canonical name. What has no handler does not exist. */
export type HandlerTable = Readonly<Record<string, Handler | undefined>>;

/** The handler of a method by its name in the documents; created when it is first needed. */
export type HandlerLookup = (documented: string) => Handler | undefined;
