// Snapshots of a chain: creation, listing and return to one.
import { refuse } from '../errors.js';
import { PersistentMap } from '../immutable.js';
import type { SnapshotNote, WorldAndSnapshots } from './world/chain-store.js';
import { latestHeader } from './world/find-block.js';
import { returnedTo } from './world/messages.js';
import { nextTime, type World } from './world/world.js';
import type { ChangeResult } from './writer.js';

/** A world that was kept to return to. */
export interface Snapshot extends SnapshotNote {
  readonly id: bigint;
  readonly world: World;
}

/** Far more than tests take, because a loop that never reverts would use up the memory. */
const MAX_SNAPSHOTS = 100_000;

const NONE: Pick<WorldAndSnapshots, 'snapshots' | 'notes'> = {
  snapshots: PersistentMap(),
  notes: PersistentMap(),
};

export function withNoSnapshots(world: World): WorldAndSnapshots {
  return Object.freeze({ world, ...NONE, lastSnapshot: 0n });
}

/** Replaces the world and drops all snapshots; their numbers are not used again. */
export function replaceWorld(now: WorldAndSnapshots, world: World): ChangeResult<void> {
  return { after: { ...now, world: Object.freeze(world), ...NONE }, result: undefined };
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
      `The chain has ${MAX_SNAPSHOTS} snapshots, which is the maximum: revert to an old one, which deletes it and all later ones`,
    );
  }
  const id = now.lastSnapshot + 1n;
  const snapshots = now.snapshots.set(id, now.world);
  const notes = now.notes.set(id, { name, time: nextTime(now.world) });
  return { after: { ...now, snapshots, notes, lastSnapshot: id }, result: id };
}

/** All snapshots, newest first. */
export function listSnapshots({ snapshots, notes }: WorldAndSnapshots): readonly Snapshot[] {
  return [...snapshots]
    .map(([id, world]) => ({
      id,
      world,
      ...(notes.get(id) ?? { time: latestHeader(world).timestamp }),
    }))
    .sort((first, other) => (first.id > other.id ? -1 : 1));
}

/**
 * Returns to a snapshot and drops it with all later ones; false if it does not exist.
 *
 * @param isPaired whether L1 returns to its own snapshot as well
 */
export function revertTo(
  now: WorldAndSnapshots,
  id: bigint,
  isPaired: boolean,
): ChangeResult<boolean> {
  const snapshotWorld = now.snapshots.get(id);
  if (!snapshotWorld) return { after: now, result: false };
  const messages = isPaired
    ? snapshotWorld.messages
    : returnedTo(snapshotWorld.messages, now.world.messages);
  const world =
    messages === snapshotWorld.messages
      ? snapshotWorld
      : Object.freeze({ ...snapshotWorld, messages });
  const snapshots = now.snapshots.filter((_, other) => other < id);
  const notes = now.notes.filter((_, other) => other < id);
  return { after: { ...now, world, snapshots, notes }, result: true, snapshot: id };
}
