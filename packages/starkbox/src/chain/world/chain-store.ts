// Interface between a chain and the store that makes its transitions durable.
import type { PersistentMap } from '../../immutable.js';
import type { Cause } from './cause.js';
import type { World } from './world.js';

export interface SnapshotNote {
  /** What somebody called it. */
  readonly name?: string | undefined;
  /** Chain time when it was made. */
  readonly time: number;
}

/** A chain with the moments it can go back to: a frozen value. */
export interface WorldAndSnapshots {
  readonly world: World;
  readonly snapshots: PersistentMap<bigint, World>;
  /** What is known of them besides. */
  readonly notes: PersistentMap<bigint, SnapshotNote>;
  /** The name of the newest snapshot that was ever made. */
  readonly lastSnapshot: bigint;
}

/** A standing that took the place of another. */
export interface Transition {
  /** One after the other, a world that was kept, everything from the start, or another chain. */
  readonly kind: 'step' | 'revert' | 'restart' | 'load';
  readonly before: WorldAndSnapshots;
  readonly after: WorldAndSnapshots;
  /** The snapshot that was gone back to. */
  readonly snapshot?: bigint | undefined;
  /** The call that asked for it; there is none where the node itself did. */
  readonly cause?: Cause | undefined;
}

export interface ChainStore {
  /**
   * Gets ready to write a move down. Moves are prepared and committed one after the other; none waits
   * for the commit of another.
   */
  prepare(move: Transition): Promise<PreparedCommit>;
}

export interface PreparedCommit {
  /** What the chain goes on with: it may hold less in memory, and answers alike. */
  readonly after: WorldAndSnapshots;
  /** Writes it; resolves when no power cut can undo it. */
  commit(): Promise<void>;
}
