// Chains as the servers call them.
import { stringify } from '../json/json.js';
import { type Listener, sessionWith } from '../rpc/protocol/call-context.js';
import { olderAt } from '../rpc/versions/versions.js';
import type { BodyLog } from '../server/body-log.js';
import type { Target } from '../server/http/request-target.js';
import type { ServedChain } from '../server/ws/server.js';
import type { ChainService } from '../service/chain-service.js';

type Requests = Target['dispatcher'];

/** A chain for both servers. Its dispatchers are created by the first request that needs them. */
export class ServiceTarget implements Target {
  readonly #service: ChainService;
  readonly #logBodies: BodyLog | undefined;
  #dispatcher: Requests | undefined;
  #paymaster: Requests | undefined;
  #older: Map<string, Requests> | undefined;

  constructor(service: ChainService, logBodies?: BodyLog) {
    this.#service = service;
    this.#logBodies = logBodies;
  }

  get dispatcher(): Requests {
    this.#dispatcher ??= this.#logRequests(this.#service.dispatcher);
    return this.#dispatcher;
  }

  get paymaster(): Requests | undefined {
    if (!this.#service.base.config.paymaster) return undefined;
    this.#paymaster ??= this.#logRequests(this.#service.paymasterDispatcher);
    return this.#paymaster;
  }

  /** The dispatcher at a path. */
  readonly at = (path: string): Requests => {
    const name = olderAt(path);
    if (name === undefined) return this.dispatcher;
    this.#older ??= new Map();
    const older = this.#older.get(name) ?? this.#olderOf(name);
    this.#older.set(name, older);
    return older;
  };

  readonly versions: { readonly get: (path: string) => Requests } = { get: this.at };

  readonly config: Target['config'] = () => {
    const { shared, chain } = this.#service;
    if (shared.protocol.isRestricted('devnet_getConfig')) return undefined;
    return stringify(this.#service.configOf(chain));
  };

  readonly onRefusal: NonNullable<Target['onRefusal']> = (session, what, error) =>
    this.#service.requests.recordRefusal(session, what, error);

  /** What a socket at a path calls. */
  socketAt(path: string): ServedChain {
    const { subscriptions } = this.#service;
    return {
      owner: this.#service,
      dispatcher: this.at(path),
      beforeAnswer: () => subscriptions.catchUp(),
      onClose: (listener: Listener) => subscriptions.drop(listener),
    };
  }

  #olderOf(name: string): Requests {
    const older = this.#logRequests({
      handle: (...call) => this.#service.older(name).handle(...call),
    });
    return {
      handle: (text, session, delivery) =>
        older.handle(text, sessionWith(session, { version: name }), delivery),
    };
  }

  #logRequests(requests: Requests): Requests {
    return this.#logBodies?.(requests) ?? requests;
  }
}
