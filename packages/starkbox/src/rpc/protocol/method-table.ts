// Table of the methods that are served, by all their names, and the rules of who may call which.
import { RpcError } from '../../errors.js';
import { namesOf, type Prefix } from '../../method-names.js';
import { methodFacts } from '../../spec.js';
import type { Handler, HandlerTable, Session } from './call-context.js';
import { didYouMean, nearestMethod } from './method-suggestions.js';

export interface Method {
  /** The canonical name. */
  readonly name: string;
  /** The name in the documents, which is another in some older version of the specification. */
  readonly documented: string;
  /** The prefix of the name that was used. */
  readonly prefix: Prefix;
  readonly handler: Handler;
  readonly isControl: boolean;
  readonly needsListener: boolean;
  readonly isJournalled: boolean;
}

/** What metrics and logs call a method that does not exist. */
export const UNKNOWN = 'unknown';

const FOREIGN =
  'Pages of this site may not steer the chain; --allowed-origins names those that may';

export class MethodTable {
  readonly #methods = new Map<string, Method>();
  readonly #restricted: ReadonlySet<string>;
  readonly #socketUrl: (() => string | undefined) | undefined;

  /**
   * @param restricted forbidden methods, by any of their names
   * @param socketUrl where WebSocket connections are served, once they are
   * @param renamed the canonical names of handlers that have another name
   */
  constructor(
    handlers: HandlerTable,
    restricted: readonly string[] = [],
    socketUrl?: () => string | undefined,
    renamed: Readonly<Record<string, string>> = {},
  ) {
    const forbidden = new Set(restricted.flatMap(namesOf).map(({ name }) => name));
    for (const [documented, handler] of Object.entries(handlers)) {
      if (handler === undefined) continue;
      const name = renamed[documented] ?? documented;
      const { needsListener = false, journalled: isJournalled = false } = methodFacts(name) ?? {};
      const isControl = name.startsWith('devnet_');
      const facts = { name, documented, handler, isControl, needsListener, isJournalled };
      for (const { name: alias, prefix } of namesOf(documented)) {
        this.#methods.set(alias, { ...facts, prefix });
        if (forbidden.has(name)) forbidden.add(alias);
      }
    }
    this.#restricted = forbidden;
    this.#socketUrl = socketUrl;
  }

  /** The canonical name; `unknown` for what is no method. */
  nameOf(method: unknown): string {
    return (typeof method === 'string' && this.#methods.get(method)?.name) || UNKNOWN;
  }

  /**
   * The method of that name, if the caller may call it.
   *
   * @throws RpcError
   */
  admit(name: string, session: Session): Method {
    const method = this.#methods.get(name);
    if (this.#restricted.has(name)) throw new RpcError(-32604, 'Method forbidden');
    if (session.isForeign && method?.isControl) {
      throw new RpcError(-32604, 'Method forbidden', { reason: FOREIGN });
    }
    if (method === undefined) throw notFound(this.#noSuchMethod(name));
    if (method.needsListener && !session.listener) throw notFound(this.#needsSocket(session));
    return method;
  }

  /** Without a name to suggest there is no reason: test suites compare the whole error. */
  #noSuchMethod(name: string): string | undefined {
    const nearest = nearestMethod(name, this.#methods.keys());
    return nearest && `There is no method ${name}${didYouMean(nearest)}`;
  }

  #needsSocket({ transport }: Session): string {
    if (transport === 'ws') return 'A subscription cannot be part of a batch: send it alone';
    const url = this.#socketUrl?.();
    return `Subscriptions need a WebSocket: ${url ?? 'connect to the path /ws of a node that listens'}`;
  }
}

function notFound(reason: string | undefined): RpcError {
  return new RpcError(-32601, 'Method not found', reason && { reason });
}
