// Knows which questions go on to the origin of a fork when the chain itself has no answer.
import type { Chain } from '../chain/chain.js';
import { RpcError } from '../errors.js';
import { tellOrigin } from '../fork/fork.js';
import { Semaphore } from '../scheduling/semaphore.js';
import { ERRORS, methodFacts } from '../spec.js';
import type { Handler } from './protocol/dispatcher.js';

/** The engine has 512 threads; the others are for changes of the chain, which may need no origin. */
const WAITING = 448;

type Handlers = Readonly<Record<string, Handler | undefined>>;

/**
 * The same handlers for a chain that may be forked. What a handler finds is its answer, at once; what it
 * does not find is asked of the origin, which knows only what came before.
 */
export function overFork(handlers: Handlers, chain: Chain): Handlers {
  const { patience, maximumWaitingExecutions: queue } = chain.options;
  const queueOption = '--maximum-waiting-executions';
  const turnstile = new Semaphore({ places: WAITING, patience, queue, queueOption });
  return Object.fromEntries(
    Object.entries(handlers).map(([name, handler]) => {
      if (!handler) return [name, handler];
      const gated: Handler = methodFacts(name)?.waits
        ? (params, context) =>
            turnstile.run(async () => handler(params, context), context.session.signal)
        : handler;
      return [name, overOne(name, handler, gated, chain)];
    }),
  );
}

function overOne(name: string, handler: Handler, gated: Handler, chain: Chain): Handler {
  const isForwarded = Boolean(methodFacts(name)?.forwarded);
  return (params, context) => {
    const { fork } = chain.options;
    if (!fork) return handler(params, context);
    const { acceptedOnL1 } = chain.world;
    const onError = (error: unknown): Promise<unknown> => {
      if (!isForwarded || !isElsewhere(error)) throw tellOrigin(error);
      return fork.answer(name, { ...params }, acceptedOnL1);
    };
    try {
      const answer = gated(params, context);
      return answer instanceof Promise ? answer.catch(onError) : answer;
    } catch (error) {
      return onError(error);
    }
  };
}

/** True for what is not part of this chain but may be of the one below. */
function isElsewhere(error: unknown): boolean {
  return (
    error instanceof RpcError &&
    (error.code === ERRORS.BLOCK_NOT_FOUND.code || error.code === ERRORS.TXN_HASH_NOT_FOUND.code)
  );
}
