// Second runs of the transactions and calls of a report.
import type { Retrace } from '@starkbox/engine';
import { refuse } from '../../errors.js';
import { stopwatch } from '../../probe.js';
import type { Chain } from '../chain.js';
import { retraceBlock, retraceCall } from '../retrace/retrace.js';
import { keptState, pendingNumber } from '../world/find-block.js';
import type { World } from '../world/world.js';

/** The second runs of one report. */
export interface ReportRetrace {
  readonly chain: Chain;
  readonly world: World;
  readonly signal: AbortSignal | undefined;
  /** Throws if the report takes longer than a batch of transactions may. */
  readonly checkTime: () => void;
}

export function startReportRetrace(
  chain: Chain,
  world: World,
  signal: AbortSignal | undefined,
): ReportRetrace {
  const { queueTimeout = Number.POSITIVE_INFINITY } = chain.options;
  const elapsed = stopwatch();
  const checkTime = (): void => {
    if (elapsed() <= queueTimeout) return;
    refuse(
      `Running the report's transactions again took longer than ${queueTimeout} s: lower limit, or raise --timeout`,
    );
  };
  return { chain, world, signal, checkTime };
}

/** A transaction of a block, by its position. */
export interface TransactionPosition {
  readonly block: number;
  readonly index: number;
}

/**
 * Runs transactions again, each on the state before it.
 *
 * @param use gets undefined if the state before the block is not kept
 */
export async function retraceEach<T extends TransactionPosition>(
  { chain, world, signal, checkTime }: ReportRetrace,
  transactions: readonly T[],
  use: (position: T, retrace: Retrace | undefined) => void,
): Promise<void> {
  const blocks = new Map<number, T[]>();
  for (const position of transactions) {
    const inBlock = blocks.get(position.block);
    if (inBlock) inBlock.push(position);
    else blocks.set(position.block, [position]);
  }
  for (const [block, inBlock] of blocks) {
    const indexes = inBlock.map(({ index }) => index);
    const [first, last] = [Math.min(...indexes), Math.max(...indexes)];
    checkTime();
    const detail = { visited: true, signal };
    const traced = await retraceBlock(chain, world, { block, first, last }, detail);
    for (const position of inBlock) use(position, traced[position.index - first]);
  }
}

/** A call that was made outside of transactions, run again. */
export interface RetracedCall {
  readonly retrace: Retrace;
  readonly times: number;
}

/** Runs the recorded calls again. Those whose state is not kept any more are left out. */
export async function retraceCalls(
  { chain, world, signal, checkTime }: ReportRetrace,
  visited: boolean,
): Promise<readonly RetracedCall[]> {
  const retraced: RetracedCall[] = [];
  for (const { call, number: recordedNumber, times } of chain.calls?.all ?? []) {
    // Blocks may have been aborted since.
    const number = Math.min(recordedNumber, pendingNumber(world));
    const state = keptState(world, number);
    if (!state) continue;
    checkTime();
    const location = { world, number, state };
    const retrace = await retraceCall(chain, call, location, { visited, signal });
    retraced.push({ retrace, times });
  }
  return retraced;
}
