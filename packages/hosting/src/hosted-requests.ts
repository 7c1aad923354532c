// Requests to an instance of an object store, which is loaded during each of them.
import {
  type ChainService,
  type Delivery,
  errorAnswer,
  idOf,
  NO_INSTANCE,
  type Requests,
  RpcError,
} from 'starkbox/registry';

type Run = <T>(
  id: string,
  tenant: string | undefined,
  work: (service: ChainService, mustHold: () => void) => Promise<T>,
) => Promise<T | undefined>;

/**
 * @param run loads an instance, and runs work on it while the lease is held
 * @param requestsOf the requests to a chain
 */
export function hostedRequests(
  id: string,
  run: Run,
  requestsOf: (service: ChainService) => Requests,
): Requests {
  return {
    handle: async (text, session, delivery) => {
      let hasBegun = false;
      const begin = (): void => {
        hasBegun = true;
      };
      try {
        const answered = await run(id, session.client, async (service, mustHold) => {
          const checked = delivery && withCheck(delivery, mustHold, begin);
          return { answer: await requestsOf(service).handle(text, session, checked) };
        });
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
