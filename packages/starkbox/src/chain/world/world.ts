// World: the complete content of a chain as one frozen value.
import type { Receipt, State } from '@starkbox/engine';
import { type BlockSettings, USUAL_BLOCKS } from '../../block-settings.js';
import { List, PersistentMap } from '../../immutable.js';
import { type StarknetVersion, storedVersion } from '../../starknet-versions.js';
import type { TransactionRecord } from '../history/header.js';
import { History } from '../history/history.js';
import { EMPTY_MEMPOOL, type Mempool } from '../mempool/mempool.js';
import type { NetworkConditions } from '../network/conditions.js';
import { type Network, withConditions } from '../network/network.js';
import type { ArchivedStates } from './archived-states.js';
import { type Clock, clockFrom, nextBlockTime } from './clock.js';
import { type Gas, type GasPrices, startingAt } from './gas-prices.js';
import { type Impersonation, NO_IMPERSONATION } from './impersonation.js';
import { type Labels, NO_LABELS } from './labels.js';
import { type Messages, NO_MESSAGES } from './messages.js';

/** A transaction of the pending block. */
export interface Included {
  readonly record: TransactionRecord;
  readonly signature: readonly string[];
  /** In the engine's format, from which the commitments are computed. */
  readonly receipt: Receipt;
}

/**
 * A writer creates a new world; a reader keeps its own. So snapshot, revert, abort, restart,
 * rollback and branching are assignments.
 */
export interface World {
  /** The state with the changes of the pending block, whose number is its version. */
  readonly pendingState: State;
  /** The state after the newest closed block. */
  readonly latestState: State;
  readonly history: History;
  /** The states of blocks that are no longer in `pendingState`. */
  readonly archived: ArchivedStates | undefined;
  /** Whether the states of older blocks can be read. */
  readonly keepsHistory: boolean;
  /** The transactions of the pending block. */
  readonly pending: Pending;
  /** The newest ones, the oldest first. */
  readonly directWrites: readonly DirectWrite[];
  /** The transactions that were sent and not executed; empty unless blocks come from the mempool. */
  readonly mempool: Mempool;
  readonly clock: Clock;
  readonly gas: Gas;
  readonly blocks: BlockSettings;
  /** The network that the chain imitates, if any. */
  readonly network?: Network | undefined;
  readonly impersonation: Impersonation;
  readonly messages: Messages;
  readonly labels: Labels;
  /** The calls that led to this world, as JSON texts; empty if they are not recorded. */
  readonly journal: List<string>;
  /** The newest block that is accepted on L1; all earlier blocks are accepted too. */
  readonly acceptedOnL1: number | undefined;
}

/** A change of the pending block that no transaction made. */
export interface DirectWrite {
  readonly block: number;
  /** Transactions of the block that precede it. */
  readonly index: number;
  /** The state after it. */
  readonly state: State;
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

/** A world whose first block is pending. */
export function firstWorld(
  state: State,
  options: {
    readonly startTime: number | undefined;
    readonly prices: GasPrices;
    readonly keepsHistory: boolean;
    readonly starknetVersion?: StarknetVersion | undefined;
    readonly conditions?: NetworkConditions | undefined;
  },
): World {
  const version = storedVersion(options.starknetVersion);
  return Object.freeze({
    pendingState: state,
    latestState: state,
    history: History.startingAt(state.version),
    archived: undefined,
    keepsHistory: options.keepsHistory,
    pending: NOTHING_PENDING,
    directWrites: [],
    mempool: EMPTY_MEMPOOL,
    clock: clockFrom(options.startTime),
    gas: startingAt(options.prices),
    blocks: version === undefined ? USUAL_BLOCKS : { ...USUAL_BLOCKS, starknetVersion: version },
    ...(options.conditions
      ? { network: withConditions(undefined, options.conditions, options.prices) }
      : {}),
    impersonation: NO_IMPERSONATION,
    messages: NO_MESSAGES,
    labels: NO_LABELS,
    journal: List<string>(),
    acceptedOnL1: undefined,
  });
}

/** The timestamp of the pending block if it is closed now. */
export function nextTime({ clock, history }: Pick<World, 'clock' | 'history'>): number {
  return nextBlockTime(clock, history.latest?.timestamp);
}

/** A transaction and its position, in a closed block or in the pending block. */
export interface Located {
  readonly record: TransactionRecord;
  readonly block: number;
  readonly index: number;
}

export function findTransaction(world: World, hash: string): Located | undefined {
  const { pending, history, pendingState: state } = world;
  const index = pending.positions.get(hash);
  if (index !== undefined) {
    const included = pending.transactions.get(index);
    return included && { record: included.record, block: state.version, index };
  }
  const position = history.locate(hash);
  const record = position && history.transaction(position.block, position.index);
  return record && { ...position, record };
}

/** One transaction of a closed or pending block; does not read the whole block. */
export function transactionAt(
  { history, pending, pendingState: state }: World,
  block: number,
  index: number,
): TransactionRecord | undefined {
  return block === state.version
    ? pending.transactions.get(index)?.record
    : history.transaction(block, index);
}

/** The transactions of a closed or pending block. */
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

/** Whether a transaction is part of a closed block or of the pending block. */
export function isKnown({ history, pending }: World, hash: string): boolean {
  return pending.positions.has(hash) || history.locate(hash) !== undefined;
}
