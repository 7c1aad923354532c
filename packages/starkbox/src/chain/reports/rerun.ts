// Second runs of the transactions and calls of a report.
import type { Retrace } from '@starkbox/engine';
import { refuse } from '../../errors.js';
import { stopwatch } from '../../probe.js';
import type { Chain } from '../chain.js';
import { retraceBlock, retraceCall } from '../retrace/retrace.js';
import { keptState, pendingNumber } from '../world/find-block.js';
import type { World } from '../world/world.js';

/** The second runs of one report. */
export interface Rerun {
  readonly chain: Chain;
  readonly world: World;
  readonly signal: AbortSignal | undefined;
  /** Throws if the report takes longer than a batch of transactions may. */
  readonly checkTime: () => void;
}

export function newRerun(chain: Chain, world: World, signal: AbortSignal | undefined): Rerun {
  const { patience = Number.POSITIVE_INFINITY } = chain.options;
  const elapsed = stopwatch();
  const checkTime = (): void => {
    if (elapsed() <= patience) return;
    refuse(
      `Running the transactions of the report again took longer than ${patience} s: ask for fewer with limit, or set a longer --timeout`,
    );
  };
  return { chain, world, signal, checkTime };
}

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
  { chain, world, signal, checkTime }: Rerun,
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
    checkTime();
    const detail = { visited: true, signal };
    const traced = await retraceBlock(chain, world, { block, first, last }, detail);
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
  { chain, world, signal, checkTime }: Rerun,
  visited: boolean,
): Promise<readonly RerunCall[]> {
  const done: RerunCall[] = [];
  for (const { call, number: wanted, times } of chain.calls?.all ?? []) {
    // Blocks may have been aborted since.
    const number = Math.min(wanted, pendingNumber(world));
    const state = keptState(world, number);
    if (!state) continue;
    checkTime();
    const place = { world, number, state };
    const retrace = await retraceCall(chain, call, place, { visited, signal });
    done.push({ retrace, times });
  }
  return done;
}
