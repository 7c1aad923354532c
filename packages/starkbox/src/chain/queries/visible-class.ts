// Lookup of a class as of a block.
import type { Class } from '@starkbox/engine';
import type { BLOCK_ID } from '@starkbox/spec';
import { fail } from '../../errors.js';
import { blockNumber } from '../world/find-block.js';
import type { World } from '../world/world.js';

/** A class that was declared no later than a block; needs no state of that block. */
export async function classAt(world: World, hash: string, id: BLOCK_ID): Promise<Class> {
  const number = blockNumber(world, id);
  const since = world.pendingState.classSince(hash) ?? world.archived?.classSince(hash);
  const found =
    since === undefined || since <= number ? await world.pendingState.class(hash) : undefined;
  return found ?? fail('CLASS_HASH_NOT_FOUND');
}
