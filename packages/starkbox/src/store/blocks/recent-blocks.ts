// Limit of the blocks of a stored chain that are in memory.
import type { World } from '../../chain/world/world.js';
import type { ChainPosition } from './branches.js';
import type { Lineage } from './lineage.js';

/** Old blocks leave memory when it holds so many times the limit. */
const SLACK = 4;

/**
 * The world with only its newest blocks in memory, if memory holds too many.
 *
 * @param durable where the chain is on disk
 * @param recent blocks and transactions that stay in memory
 */
export async function withoutOldBlocks(
  world: World,
  lineage: Lineage,
  durable: ChainPosition,
  recent: number,
): Promise<World> {
  const { history } = world;
  const held = (from: number): number => {
    const before = history.totals(from - 1)?.transactions ?? 0;
    return history.next - from + history.transactionCount - before;
  };
  if (held(history.base) <= SLACK * recent) return world;
  let base = history.next;
  while (base > history.base && held(base - 1) <= recent) base -= 1;
  base = Math.min(base, durable.next);
  if (!durable.lineage.equals(lineage) || base <= history.base) return world;
  const origin = lineage.stateSourceAfter(base - 1);
  const [pendingState, latestState] = await Promise.all([
    world.pendingState.settle(base - 1, origin),
    world.latestState.settle(base - 1, origin),
  ]);
  const settled = history.settled(lineage, base);
  return Object.freeze({
    ...world,
    pendingState,
    latestState,
    history: settled,
    archived: lineage,
  });
}
