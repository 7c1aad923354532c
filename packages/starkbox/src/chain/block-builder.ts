// Builder that streams: it closes a block in each interval, and selects and executes transactions in between.
import { stopwatch } from '../probe.js';
import type { Chain } from './chain.js';
import type { TimedSteps } from './interval-timer.js';
import { countSelected } from './mempool/mempool.js';
import { preConfirmFromMempool, selectFromMempool } from './mempool-controls.js';
import { callCause } from './world/cause.js';

/** Steps from one block to the next, in which transactions become candidates, and candidates are executed. */
const STEPS = 4;

/** Seconds; shorter intervals have one step. */
const SHORTEST_STEPS = 0.04;

/** Transactions that are selected, or executed, in one change: others wait for so long at most. */
const MAX_AT_ONCE = 50;

/** The steps of a builder that closes a block every `interval` seconds. */
export function streamBlocks(chain: Chain, interval: number): TimedSteps {
  const steps = interval < SHORTEST_STEPS ? 1 : STEPS;
  let stepOfBlock = 0;
  return {
    interval: interval / steps,
    async step(isActive) {
      stepOfBlock = (stepOfBlock + 1) % steps;
      const closes = stepOfBlock === 0;
      // Executed transactions are pre-confirmed for at least a step, and no candidate waits while the block closes.
      const executes = steps === 1 || !closes;
      const isLast = stepOfBlock === steps - 1;
      const hasRoom = !executes || (await execute(chain, interval / steps / 2, isActive));
      if (closes && isActive()) await chain.createBlock(callCause('devnet_createBlock', null));
      const selects = closes || (hasRoom && !isLast);
      if (selects && isActive()) await select(chain);
    },
  };
}

/**
 * Executes the candidates, and more where many transactions wait; whether the block has room.
 *
 * @param seconds after which it selects no more
 */
async function execute(chain: Chain, seconds: number, isActive: () => boolean): Promise<boolean> {
  const elapsed = stopwatch();
  for (;;) {
    const size = countSelected(chain.world.mempool);
    if (size === 0) return true;
    const count = Math.min(size, MAX_AT_ONCE);
    const cause = callCause('devnet_mempoolPreConfirm', { count });
    const { isFull } = await preConfirmFromMempool(chain, count, cause);
    if (isFull) return false;
    const isBacklog = size >= MAX_AT_ONCE;
    if (!isBacklog || elapsed() > seconds || !isActive()) return true;
    await select(chain);
  }
}

async function select(chain: Chain): Promise<void> {
  if (chain.world.mempool.waiting.size === countSelected(chain.world.mempool)) return;
  const count = MAX_AT_ONCE;
  await selectFromMempool(chain, count, callCause('devnet_mempoolSelect', { count }));
}
