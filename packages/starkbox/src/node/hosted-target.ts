// Instance of an object store as the servers call it: awake during each call.

import { RpcError } from '../errors.js';
import type { HostedInstances } from '../hosting/hosted-instances.js';
import type { Delivery } from '../rpc/protocol/batch.js';
import type { Dispatcher } from '../rpc/protocol/dispatcher.js';
import { errorAnswer, idOf } from '../rpc/protocol/envelope.js';
import { NO_INSTANCE, type Target } from '../server/http/request-target.js';
import type { ServedChain } from '../server/ws/server.js';
import type { ChainService } from '../service/chain-service.js';
import type { ServiceTarget } from './targets.js';

type Requests = Pick<Dispatcher, 'handle'>;

export class HostedTarget implements Target {
  readonly #id: string;
  readonly #instances: HostedInstances;
  readonly #targetOf: (service: ChainService) => ServiceTarget;
  /** As it was when the request arrived; it may hibernate before the call. */
  readonly #first: ServiceTarget;

  constructor(
    id: string,
    instances: HostedInstances,
    targetOf: (service: ChainService) => ServiceTarget,
    first: ServiceTarget,
  ) {
    this.#id = id;
    this.#instances = instances;
    this.#targetOf = targetOf;
    this.#first = first;
  }

  get dispatcher(): Requests {
    return this.#calling((target) => target.dispatcher);
  }

  readonly versions: NonNullable<Target['versions']> = {
    get: (path) => this.#calling((target) => target.at(path)),
  };

  readonly config: Target['config'] = () => this.#first.config();

  readonly onRefusal: NonNullable<Target['onRefusal']> = (...refusal) =>
    this.#first.onRefusal(...refusal);

  /** What a socket at a path calls; the socket is closed when the instance hibernates. */
  socketAt(path: string): ServedChain {
    return {
      ...this.#first.socketAt(path),
      dispatcher: this.#calling((target) => target.at(path)),
    };
  }

  #calling(requestsOf: (target: ServiceTarget) => Requests): Requests {
    return {
      handle: async (text, session, delivery) => {
        let hasBegun = false;
        const begin = (): void => {
          hasBegun = true;
        };
        try {
          const answered = await this.#instances.run(
            this.#id,
            session.tenant,
            async (service, mustHold) => {
              const requests = requestsOf(this.#targetOf(service));
              const checked = delivery && withCheck(delivery, mustHold, begin);
              return { answer: await requests.handle(text, session, checked) };
            },
          );
          if (!answered) throw new RpcError(-32600, NO_INSTANCE);
          return answered.answer;
        } catch (error) {
          // The rest of an answer that has begun cannot be an error: the connection is broken off.
          if (hasBegun || !(error instanceof RpcError)) throw error;
          return errorAnswer(error, idOf(text));
        }
      },
    };
  }
}

/** Sends a piece of an answer only while the lease is held under which its calls were made. */
function withCheck(
  { share, write }: Delivery,
  mustHold: () => void,
  onBegin: () => void,
): Delivery {
  if (!write) return { share };
  return {
    share,
    write: async (piece) => {
      mustHold();
      onBegin();
      await write(piece);
    },
  };
}
