// Instance as the servers call it.
import type { Target } from '../server/http/request-target.js';
import type { ServedChain } from '../server/ws/server.js';
import type { Requests } from '../service/instance-registry.js';
import type { ServiceTarget } from './targets.js';

export class InstanceTarget implements Target {
  /** The chain as it was when a request arrived. */
  readonly #found: ServiceTarget;
  readonly #requests: (requestsOf: (target: ServiceTarget) => Requests) => Requests;

  /** @param requests to the chain that the instance has at each request */
  constructor(
    found: ServiceTarget,
    requests: (requestsOf: (target: ServiceTarget) => Requests) => Requests,
  ) {
    this.#found = found;
    this.#requests = requests;
  }

  get dispatcher(): Requests {
    return this.#requests((target) => target.dispatcher);
  }

  get paymaster(): Requests | undefined {
    if (!this.#found.paymaster) return undefined;
    return this.#requests((target) => target.paymaster ?? target.dispatcher);
  }

  readonly versions: NonNullable<Target['versions']> = {
    get: (path) => this.#requests((target) => target.at(path)),
  };

  readonly config: Target['config'] = () => this.#found.config();

  readonly onRefusal: NonNullable<Target['onRefusal']> = (...refusal) =>
    this.#found.onRefusal(...refusal);

  /** What a socket at a path calls; the socket is closed with the chain. */
  socketAt(path: string): ServedChain {
    return {
      ...this.#found.socketAt(path),
      dispatcher: this.#requests((target) => target.at(path)),
    };
  }
}
