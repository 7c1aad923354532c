// Branch of a chain in the store that keeps the chain.
import { Chain } from './chain.js';
import { withNoSnapshots } from './snapshots.js';
import type { ChainStore, KeptBranch, WorldAndSnapshots } from './world/chain-store.js';
import { unlinkL1 } from './world/messages.js';

/**
 * As `chain.branch()`, but with all changes that were requested before, and kept in a store.
 *
 * @param begin from the newest world, and from what the branch begins with
 */
export async function keptBranch<S extends ChainStore>(
  from: Chain,
  begin: (now: WorldAndSnapshots, start: WorldAndSnapshots) => KeptBranch<S>,
): Promise<{ readonly chain: Chain; readonly store: S }> {
  const { options, executions } = from;
  const { store, start, committed } = await from.withNewest((now) =>
    begin(now, withNoSnapshots(unlinkL1(now.world))),
  );
  await committed;
  return { chain: new Chain(options, start, store, executions.ofChain()), store };
}
