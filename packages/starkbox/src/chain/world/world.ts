// World: the complete content of a chain as one frozen value.
import type { Receipt, State } from '@starkbox/engine';
import { List, PersistentMap } from '../../immutable.js';
import type { TransactionRecord } from '../history/header.js';
import { History } from '../history/history.js';
import type { ArchivedStates } from './archived-states.js';
import { type Clock, clockFrom, nextBlockTime } from './clock.js';
import { type Gas, type GasPrices, startingAt } from './gas-prices.js';
import { type Impersonation, NO_IMPERSONATION } from './impersonation.js';
import { type Labels, NO_LABELS } from './labels.js';
import { type Messages, NO_MESSAGES } from './messages.js';

/** A transaction that waits in the block under construction. */
export interface Included {
  readonly record: TransactionRecord;
  readonly signature: readonly string[];
  /** As the engine gave it: commitments are made of it. */
  readonly receipt: Receipt;
}

/**
 * Writers make a new world; readers keep the one they were given. So snapshot, revert, abort,
 * restart, rollback after an error and branching are assignments.
 */
export interface World {
  /** The state with what the block under construction has changed; its version is that block. */
  readonly pendingState: State;
  /** The state as the last closed block left it. */
  readonly latestState: State;
  readonly history: History;
  /** The states of blocks that are older than what `state` knows, where there are such. */
  readonly archived: ArchivedStates | undefined;
  /** Whether the states of older blocks can be read. */
  readonly keepsHistory: boolean;
  /** What the block under construction holds. */
  readonly pending: Pending;
  readonly clock: Clock;
  readonly gas: Gas;
  readonly impersonation: Impersonation;
  readonly messages: Messages;
  readonly labels: Labels;
  /** The calls that made it, as JSON texts, where they are kept. */
  readonly journal: List<string>;
  /** The newest block that L1 accepted: all before it are accepted as well. */
  readonly acceptedOnL1: number | undefined;
}

export interface Pending {
  readonly transactions: List<Included>;
  /** Positions by transaction hash. */
  readonly positions: PersistentMap<string, number>;
}

export const NOTHING_PENDING: Pending = { transactions: List(), positions: PersistentMap() };

export function withIncluded(pending: Pending, included: Included): Pending {
  const { transactions, positions } = pending;
  return {
    transactions: transactions.push(included),
    positions: positions.set(included.record.hash, transactions.size),
  };
}

/** A world whose first block is written but not closed. */
export function firstWorld(
  state: State,
  options: {
    readonly startTime: number | undefined;
    readonly prices: GasPrices;
    readonly keepsHistory: boolean;
  },
): World {
  return Object.freeze({
    pendingState: state,
    latestState: state,
    history: History.startingAt(state.version),
    archived: undefined,
    keepsHistory: options.keepsHistory,
    pending: NOTHING_PENDING,
    clock: clockFrom(options.startTime),
    gas: startingAt(options.prices),
    impersonation: NO_IMPERSONATION,
    messages: NO_MESSAGES,
    labels: NO_LABELS,
    journal: List<string>(),
    acceptedOnL1: undefined,
  });
}

/** The time that the block under construction gets if it is closed at this moment. */
export function nextTime({ clock, history }: Pick<World, 'clock' | 'history'>): number {
  return nextBlockTime(clock, history.latest?.timestamp);
}

/** A transaction and its place: the number of its block, also while that is under construction. */
export interface Located {
  readonly record: TransactionRecord;
  readonly block: number;
  readonly index: number;
}

export function findTransaction(world: World, hash: string): Located | undefined {
  const { pending, history, pendingState: state } = world;
  const index = pending.positions.get(hash);
  if (index !== undefined) {
    const waiting = pending.transactions.get(index);
    return waiting && { record: waiting.record, block: state.version, index };
  }
  const place = history.locate(hash);
  const record = place && history.transaction(place.block, place.index);
  return record && { ...place, record };
}

/** One transaction of a block, also of the one under construction; reads no others of a large block. */
export function transactionAt(
  { history, pending, pendingState: state }: World,
  block: number,
  index: number,
): TransactionRecord | undefined {
  return block === state.version
    ? pending.transactions.get(index)?.record
    : history.transaction(block, index);
}

/** The transactions of a block, also of the one under construction. */
export function transactionsOf(world: World, block: number): readonly TransactionRecord[] {
  return block === world.pendingState.version
    ? world.pending.transactions.toArray().map(({ record }) => record)
    : world.history.transactions(block);
}

export function transactionHashesOf(world: World, block: number): readonly string[] {
  return block === world.pendingState.version
    ? world.pending.transactions.toArray().map(({ record }) => record.hash)
    : world.history.hashes(block);
}

/** Whether a transaction is part of the chain or of the block under construction. */
export function isKnown({ history, pending }: World, hash: string): boolean {
  return pending.positions.has(hash) || history.locate(hash) !== undefined;
}
