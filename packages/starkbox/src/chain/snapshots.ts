// Snapshots of a chain: creation, listing, deletion and return to one.
import { refuse } from '../errors.js';
import { PersistentMap } from '../immutable.js';
import { type Snapshot, snapshotOf, type WorldAndSnapshots } from './world/chain-store.js';
import { returnedTo } from './world/messages.js';
import { nextTime, type World } from './world/world.js';
import type { ChangeResult } from './writer.js';

/** A snapshot and its number. */
export type NumberedSnapshot = readonly [id: bigint, snapshot: Snapshot];

/** Far more than tests take, because a loop that never reverts would use up the memory. */
const MAX_SNAPSHOTS = 100_000;

const NONE: WorldAndSnapshots['snapshots'] = PersistentMap();

export function withNoSnapshots(world: World): WorldAndSnapshots {
  return Object.freeze({ world, snapshots: NONE, lastSnapshot: 0n });
}

/** Replaces the world and drops all snapshots; their numbers are not used again. */
export function replaceWorld(now: WorldAndSnapshots, world: World): ChangeResult<void> {
  return { after: { ...now, world: Object.freeze(world), snapshots: NONE }, result: undefined };
}

/** Replaces the world and keeps all snapshots. */
export function withWorld(now: WorldAndSnapshots, world: World): ChangeResult<void> {
  return { after: { ...now, world }, result: undefined };
}

/** Makes a snapshot; its number. */
export function addSnapshot(
  now: WorldAndSnapshots,
  name: string | undefined,
): ChangeResult<bigint> {
  if (now.snapshots.size >= MAX_SNAPSHOTS) {
    refuse(
      `The chain has ${MAX_SNAPSHOTS} snapshots, which is the maximum: delete some with devnet_deleteSnapshot, or revert to an old one, which deletes it and all later ones`,
    );
  }
  const id = now.lastSnapshot + 1n;
  const { world } = now;
  const snapshot = snapshotOf(world, { name, time: nextTime(world) }, () => world);
  return {
    after: { ...now, snapshots: now.snapshots.set(id, snapshot), lastSnapshot: id },
    result: id,
  };
}

/** All snapshots, newest first. */
export function listSnapshots({ snapshots }: WorldAndSnapshots): readonly NumberedSnapshot[] {
  return [...snapshots].sort(([id], [other]) => (id > other ? -1 : 1));
}

/** Deletes a snapshot; false if it does not exist. */
export function deleteSnapshot(now: WorldAndSnapshots, id: bigint): ChangeResult<boolean> {
  if (!now.snapshots.has(id)) return { after: now, result: false };
  return { after: { ...now, snapshots: now.snapshots.delete(id) }, result: true };
}

/**
 * Returns to a snapshot and drops it with all later ones; false if it does not exist.
 *
 * @param isPaired whether L1 returns to its own snapshot as well
 */
export async function revertTo(
  now: WorldAndSnapshots,
  id: bigint,
  isPaired: boolean,
): Promise<ChangeResult<boolean>> {
  const snapshotWorld = await now.snapshots.get(id)?.world();
  if (!snapshotWorld) return { after: now, result: false };
  const messages = isPaired
    ? snapshotWorld.messages
    : returnedTo(snapshotWorld.messages, now.world.messages);
  const world =
    messages === snapshotWorld.messages
      ? snapshotWorld
      : Object.freeze({ ...snapshotWorld, messages });
  const snapshots = now.snapshots.filter((_, other) => other < id);
  return { after: { ...now, world, snapshots }, result: true, snapshot: id };
}
