// Interface between a chain and the store that makes its transitions durable.
import type { PersistentMap } from '../../immutable.js';
import type { Cause } from './cause.js';
import type { World } from './world.js';

export interface SnapshotNote {
  /** Name given by the user. */
  readonly name?: string | undefined;
  /** Chain time at its creation. */
  readonly time: number;
}

/** A moment of a chain to return to. */
export interface Snapshot extends SnapshotNote {
  /** The newest closed block. */
  readonly block: number;
  /** All transactions of the chain, those of the pending block included. */
  readonly transactions: number;
  /** The world of that moment: kept in memory, or read from a store. */
  readonly world: () => World | Promise<World>;
}

/** A snapshot of a world, which it does not keep itself. */
export function snapshotOf(
  { history, pending }: World,
  { name, time }: SnapshotNote,
  world: Snapshot['world'],
): Snapshot {
  const transactions = history.transactionCount + pending.transactions.size;
  return { name, time, block: history.next - 1, transactions, world };
}

/** The current world and its snapshots: a frozen value. */
export interface WorldAndSnapshots {
  readonly world: World;
  readonly snapshots: PersistentMap<bigint, Snapshot>;
  /** Id of the newest snapshot, including removed ones. */
  readonly lastSnapshot: bigint;
}

/** Replacement of one world by another. */
export interface Transition {
  /** A step, a return to a snapshot, a restart from genesis, or the load of another chain. */
  readonly kind: 'step' | 'revert' | 'restart' | 'load';
  readonly before: WorldAndSnapshots;
  readonly after: WorldAndSnapshots;
  /** The snapshot of a revert. */
  readonly snapshot?: bigint | undefined;
  /** The call that requested it; `undefined` if the node itself did. */
  readonly cause?: Cause | undefined;
}

export interface ChainStore {
  /**
   * Prepares the commit of a transition. Transitions are prepared and committed in sequence; one
   * can be prepared before the commit of the previous one is complete.
   */
  prepare(transition: Transition): Promise<PreparedCommit>;
}

/** A chain that begins as another one is, in the same store. */
export interface KeptBranch<S extends ChainStore> {
  readonly store: S;
  readonly start: WorldAndSnapshots;
  /** Resolves when it is durable. */
  readonly committed: Promise<void>;
}

export interface PreparedCommit {
  /** Equivalent to the `after` of the transition, but can hold less in memory. */
  readonly after: WorldAndSnapshots;
  /** Resolves when the transition is durable. */
  commit(): Promise<void>;
}
