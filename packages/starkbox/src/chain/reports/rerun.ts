// Second runs of the transactions of a report, block by block.
import type { Retrace } from '@starkbox/engine';
import type { Chain } from '../chain.js';
import { retraceBlock } from '../retrace/retrace.js';
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
export async function rerunEach(
  chain: Chain,
  world: World,
  wanted: readonly Placed[],
  use: (placed: Placed, retrace: Retrace | undefined) => void,
): Promise<void> {
  const blocks = new Map<number, number[]>();
  for (const { block, index } of wanted) {
    blocks.set(block, [...(blocks.get(block) ?? []), index]);
  }
  for (const [block, indexes] of blocks) {
    const [first, last] = [Math.min(...indexes), Math.max(...indexes)];
    const traced = await retraceBlock(chain, world, { block, first, last, visited: true });
    for (const index of indexes) use({ block, index }, traced[index - first]);
  }
}
