// A moment of a chain that it can return to any number of times.
import type { Chain } from '../chain/chain.js';
import { refuse } from '../errors.js';
import type { L1 } from '../l1/l1.js';

export interface ChainSnapshot {
  /** Puts the chain back to the moment of the snapshot; can be called any number of times. */
  restore(): Promise<void>;
}

/** In memory a snapshot is the world itself: it costs nothing and needs no end. @internal */
export function worldSnapshot(chain: Chain): ChainSnapshot {
  const { world } = chain;
  return { restore: () => chain.returnTo(world) };
}

/**
 * A snapshot of a chain that is stored, or has an L1 that returns with it. A restore drops
 * snapshots that were made later. @internal
 */
export async function storedSnapshot({ snapshots }: Pick<L1, 'snapshots'>): Promise<ChainSnapshot> {
  let id = await snapshots.snapshot();
  return {
    restore: async () => {
      if (!(await snapshots.revert(id))) {
        refuse(
          'The snapshot no longer exists: the chain was restarted, loaded or reverted to an earlier snapshot',
        );
      }
      id = await snapshots.snapshot();
    },
  };
}
