// Second runs of the transactions and calls of a report.
import type { Retrace } from '@starkbox/engine';
import type { Chain } from '../chain.js';
import { retraceBlock, retraceCall } from '../retrace/retrace.js';
import { keptState, pendingNumber } from '../world/find-block.js';
import type { World } from '../world/world.js';

/** A transaction of a block, by its position. */
export interface Placed {
  readonly block: number;
  readonly index: number;
}

/**
 * Runs transactions again, each on the state before it.
 *
 * @param use gets undefined if the state before the block is not kept
 */
export async function rerunEach<T extends Placed>(
  chain: Chain,
  world: World,
  wanted: readonly T[],
  use: (placed: T, retrace: Retrace | undefined) => void,
): Promise<void> {
  const blocks = new Map<number, T[]>();
  for (const placed of wanted) {
    const inBlock = blocks.get(placed.block);
    if (inBlock) inBlock.push(placed);
    else blocks.set(placed.block, [placed]);
  }
  for (const [block, inBlock] of blocks) {
    const indexes = inBlock.map(({ index }) => index);
    const [first, last] = [Math.min(...indexes), Math.max(...indexes)];
    const traced = await retraceBlock(chain, world, { block, first, last }, { visited: true });
    for (const placed of inBlock) use(placed, traced[placed.index - first]);
  }
}

/** A call that was made outside of transactions, run again. */
export interface RerunCall {
  readonly retrace: Retrace;
  readonly times: number;
}

/** Runs the recorded calls again. Those whose state is not kept any more are left out. */
export async function rerunCalls(
  chain: Chain,
  world: World,
  detail: { readonly visited: boolean },
): Promise<readonly RerunCall[]> {
  const done: RerunCall[] = [];
  for (const { call, number: wanted, times } of chain.calls?.all ?? []) {
    // Blocks may have been aborted since.
    const number = Math.min(wanted, pendingNumber(world));
    const state = keptState(world, number);
    if (!state) continue;
    const retrace = await retraceCall(chain, call, { world, number, state }, detail);
    done.push({ retrace, times });
  }
  return done;
}
