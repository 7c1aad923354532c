// Table of the methods that are served, by all their names, and which of them are restricted.
import { ERRORS, methodFacts, namesOf, type Prefix } from '@starkbox/spec';
import { RpcError } from '../../errors.js';
import type { Handler, HandlerLookup, Session } from './call-context.js';
import { UNKNOWN_METHOD } from './call-observer.js';
import { didYouMean, nearestMethod } from './method-suggestions.js';

/** Facts of a method under one of its names. */
export interface MethodEntry {
  /** The canonical name. */
  readonly name: string;
  /** The name in the documents, which is another in some older version of the specification. */
  readonly documented: string;
  /** The prefix of the name that was used. */
  readonly prefix: Prefix;
  readonly needsListener: boolean;
  readonly isJournalled: boolean;
}

export interface Method {
  readonly entry: MethodEntry;
  readonly handler: Handler;
}

/** Facts of methods by all their names, and which are forbidden. Chains of a node share one. */
export class MethodIndex {
  readonly facts: ReadonlyMap<string, MethodEntry>;
  readonly #restricted: ReadonlySet<string>;

  /**
   * @param documented names of the methods in the documents
   * @param restricted forbidden methods, by any of their names
   * @param renamed the canonical names of methods that have another name in the documents
   */
  constructor(
    documented: Iterable<string>,
    restricted: readonly string[] = [],
    renamed: Readonly<Record<string, string>> = {},
  ) {
    const facts = new Map<string, MethodEntry>();
    const forbidden = new Set(restricted.flatMap(namesOf).map(({ name }) => name));
    for (const documentedName of documented) {
      const name = renamed[documentedName] ?? documentedName;
      const { needsListener = false, journalled: isJournalled = false } = methodFacts(name) ?? {};
      const entry = { name, documented: documentedName, needsListener, isJournalled };
      for (const { name: alias, prefix } of namesOf(documentedName)) {
        facts.set(alias, { ...entry, prefix });
        if (forbidden.has(name)) forbidden.add(alias);
      }
    }
    this.facts = facts;
    this.#restricted = forbidden;
  }

  isRestricted(name: string): boolean {
    return this.#restricted.has(name);
  }
}

export class MethodTable {
  readonly #index: MethodIndex;
  readonly #handlerOf: HandlerLookup;
  readonly #socketUrl: (() => string | undefined) | undefined;

  /** @param socketUrl where WebSocket connections are served, once they are */
  constructor(index: MethodIndex, handlerOf: HandlerLookup, socketUrl?: () => string | undefined) {
    this.#index = index;
    this.#handlerOf = handlerOf;
    this.#socketUrl = socketUrl;
  }

  /** The canonical name; `unknown` for what is no method. */
  nameOf(method: unknown): string {
    return (typeof method === 'string' && this.#index.facts.get(method)?.name) || UNKNOWN_METHOD;
  }

  /**
   * The method of that name, if it may be called.
   *
   * @throws RpcError
   */
  admit(name: string, session: Session): Method {
    const method = this.#index.facts.get(name);
    if (this.#index.isRestricted(name))
      throw new RpcError(ERRORS.METHOD_FORBIDDEN.code, 'Method forbidden');
    const handler = method && this.#handlerOf(method.documented);
    if (!handler) throw notFound(this.#noSuchMethod(name));
    if (method.needsListener && !session.listener) throw notFound(this.#needsSocket(session));
    return { entry: method, handler };
  }

  /** Without a name to suggest there is no reason: test suites compare the whole error. */
  #noSuchMethod(name: string): string | undefined {
    const nearest = nearestMethod(name, this.#index.facts.keys());
    return nearest && `Unknown method ${name}${didYouMean(nearest)}`;
  }

  #needsSocket({ transport }: Session): string {
    if (transport === 'ws') return 'A subscription cannot be part of a batch: send it separately';
    const url = this.#socketUrl?.();
    return `Subscriptions need a WebSocket: ${url ?? 'connect to the path /ws of a node that listens'}`;
  }
}

function notFound(reason: string | undefined): RpcError {
  return new RpcError(ERRORS.METHOD_NOT_FOUND.code, 'Method not found', reason && { reason });
}
