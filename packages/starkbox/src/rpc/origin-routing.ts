// Routing of calls over a fork: to the handlers of this chain, or to the origin.
import { type BLOCK_ID, type MethodFacts, methodFacts } from '@starkbox/spec';
import type { Chain } from '../chain/chain.js';
import { MAX_WAITING_EXECUTIONS } from '../chain/execution/executions.js';
import { inMempool } from '../chain/mempool/mempool.js';
import { l1TransactionHash } from '../chain/steps/l1-handler.js';
import { findBlock } from '../chain/world/find-block.js';
import { isKnown, type World } from '../chain/world/world.js';
import { withOriginMessage } from '../fork/fork.js';
import { Semaphore } from '../scheduling/semaphore.js';
import type { Handler } from './protocol/call-context.js';

/** The engine has 512 threads; the others are for changes of the chain, which may need no origin. */
const WAITING = 448;

/** What a call asks for; every method that is forwarded has the parameter that its facts name. */
interface Subject {
  readonly block_id: BLOCK_ID;
  readonly transaction_hash: string;
}

interface Check {
  isOurs(world: World, params: object): boolean;
}

/**
 * Whether this chain has what a call asks for. As a method's type it accepts narrower parameters, which
 * is right here: the schema of the very method has been held against them.
 */
type IsOurs = Check['isOurs'];

const IS_OURS: Readonly<Record<NonNullable<MethodFacts['forwarded']>, IsOurs>> = {
  block: (world: World, { block_id }: Subject) => findBlock(world, block_id) !== undefined,
  transaction: (world: World, { transaction_hash }: Subject) =>
    isKnown(world, transaction_hash) || inMempool(world.mempool, transaction_hash) !== undefined,
  message: (world: World, { transaction_hash }: Subject) =>
    world.messages.incoming.has(l1TransactionHash(transaction_hash)),
};

/**
 * Handlers for a chain that may be forked. A call for a block or a transaction that this chain
 * lacks goes to the origin, which is asked only for what came before the fork.
 */
export function overFork(chain: Chain): (name: string, handler: Handler) => Handler {
  const { queueTimeout } = chain.options;
  const queue = MAX_WAITING_EXECUTIONS;
  const semaphore = new Semaphore({ places: WAITING, queueTimeout, queue });
  return (name, handler) => route(name, handler, chain, semaphore);
}

function route(name: string, handler: Handler, chain: Chain, semaphore: Semaphore): Handler {
  const { waits, forwarded } = methodFacts(name) ?? {};
  const isOurs = forwarded && IS_OURS[forwarded];
  const localHandler: Handler = waits
    ? (params, context) =>
        semaphore.run(async () => handler(params, context), context.session.signal)
    : handler;
  return (params, context) => {
    const { fork } = chain.options;
    const { world } = chain;
    // The chain of a bundle has some values of an origin, without the origin.
    const isPartial = world.pendingState.hasSource && world.archived === undefined;
    if (!fork) {
      const answer = (): unknown => handler(params, context);
      return isPartial ? withOriginErrors(answer) : answer();
    }
    if (isOurs && !isOurs(world, params)) {
      return fork.answer(name, { ...params }, world.acceptedOnL1, context.session.signal);
    }
    return withOriginErrors(() => localHandler(params, context));
  };
}

/** Runs a handler; a failed read of the origin becomes an error that names it. */
function withOriginErrors(run: () => unknown): unknown {
  const explain = (error: unknown): never => {
    throw withOriginMessage(error);
  };
  try {
    const answer = run();
    return answer instanceof Promise ? answer.catch(explain) : answer;
  } catch (error) {
    return explain(error);
  }
}
