// Controls of the mempool: selection, pre-confirmation, sealing, removal.
import { fail, refuse } from '../errors.js';
import { onlyOriginFailures } from '../fork/fork.js';
import { sliced } from '../scheduling/slices.js';
import type { Chain } from './chain.js';
import { inMempool, withoutAll, withoutWaiting } from './mempool/mempool.js';
import { closeNow } from './steps/close-block.js';
import { type PreConfirmed, preConfirm, select, UNLIMITED } from './steps/mempool-steps.js';
import { type Cause, callCause } from './world/cause.js';

/** Selects the next transactions for the block under construction; their hashes, in order. */
export function selectFromMempool(
  chain: Chain,
  count: number = UNLIMITED,
  cause?: Cause,
): Promise<readonly string[]> {
  return chain.write(cause, (world) => select(world, count, chain.options));
}

/** Executes the next transactions into the pending block. */
export async function preConfirmFromMempool(
  chain: Chain,
  count: number = UNLIMITED,
  cause?: Cause,
): Promise<PreConfirmed> {
  if (chain.options.fork) await readMempoolAhead(chain, count);
  return chain.write(cause, (world) => preConfirm(world, count, chain.options));
}

/** Executes all transactions that can be, and closes the block. */
export async function sealMempool(
  chain: Chain,
): Promise<PreConfirmed & { readonly block: string }> {
  if (chain.options.fork) await readMempoolAhead(chain, UNLIMITED);
  // Both enter the queue of changes now, so that no other change comes between them.
  let isExecuted = false;
  const execution = chain.write(callCause('devnet_mempoolPreConfirm', null), async (world) => {
    const step = await preConfirm(world, UNLIMITED, chain.options);
    isExecuted = true;
    return step;
  });
  const closing = chain.write(callCause('devnet_createBlock', null), (world) =>
    isExecuted ? closeNow(world, chain.options) : refuse('The transactions were not executed'),
  );
  const [executed, block] = await Promise.all([execution, closing]);
  return { ...executed, block };
}

/**
 * Caches the origin's answers before the writer needs them, so that no other change waits for
 * them. A transaction that was sent to this process was read ahead when it arrived.
 */
async function readMempoolAhead({ world, options }: Chain, count: number): Promise<void> {
  let isPrepared = true;
  for await (const [, { prepared }] of sliced(world.mempool.waiting.from())) {
    if (prepared === undefined) isPrepared = false;
  }
  if (isPrepared) return;
  await onlyOriginFailures(preConfirm(world, count, options));
}

/** Removes a transaction. */
export function removeFromMempool(chain: Chain, hash: string, cause?: Cause): Promise<void> {
  return chain.write(cause, async (world) => {
    const queued = inMempool(world.mempool, hash) ?? fail('TXN_HASH_NOT_FOUND');
    return [{ ...world, mempool: withoutWaiting(world.mempool, queued) }, undefined];
  });
}

/** Removes all transactions; returns their number. */
export function clearMempool(chain: Chain, cause?: Cause): Promise<number> {
  return chain.write(cause, async (world) => {
    const { size } = world.mempool.waiting;
    return [size === 0 ? world : { ...world, mempool: withoutAll(world.mempool) }, size];
  });
}
