// The part of a chain that an execution runs on: the newest blocks up to it, and the state below them.
import { type Class, State, type StateSource } from '@starkbox/engine';
import type { BlockGeneration } from '../../block-settings.js';
import { History } from '../../chain/history/history.js';
import { type PackedBlock, readPackedBlock, recordOf } from '../../chain/history/packed-block.js';
import { EMPTY_MEMPOOL } from '../../chain/mempool/mempool.js';
import { declaredIn } from '../../chain/steps/apply-state-diff.js';
import {
  latestHeader,
  pendingNumber,
  stateDiff,
  writableStateAfter,
} from '../../chain/world/find-block.js';
import { NO_MESSAGES } from '../../chain/world/messages.js';
import { NOTHING_PENDING, nextTime, type World } from '../../chain/world/world.js';
import { loadArchivedWorld } from '../../dump/image/load-archived.js';
import { List } from '../../immutable.js';

/** What of a chain is kept. */
export interface CutRange {
  /** The first block whose state is kept. */
  readonly first: number;
  /** The last block; that of `pendingNumber` keeps the pending one too. */
  readonly last: number;
}

export interface CutOptions {
  /** The origin of a fork, whose states are kept from the first block on. */
  readonly origin: StateSource | undefined;
  readonly generation: BlockGeneration;
}

/** No block closes by itself. Only with a block for each transaction, nonces must not be ahead. */
export function stillGeneration(generation: BlockGeneration | undefined): BlockGeneration {
  return generation === undefined || generation === 'transaction' ? 'transaction' : 'demand';
}

/**
 * The world without the blocks and states before and after a range, and without what no execution reads: the mempool,
 * messages and the journal.
 */
export async function cutWorld(
  given: World,
  { first, last }: CutRange,
  { origin, generation }: CutOptions,
): Promise<World> {
  const world = await loadArchivedWorld(given, origin);
  const isPending = last === pendingNumber(world);
  const lastClosed = Math.min(last, latestHeader(world).number);
  // The zeros of a fork hide values of its origin, which a difference between two states leaves out.
  const begin = origin ? world.history.first : first;
  const latest = await stateOf(world, begin, lastClosed, origin);
  const history = await historyOf(world, begin, lastClosed);
  const { timestamp } = latestHeader({ ...world, history });
  return Object.freeze({
    ...world,
    history,
    latestState: latest,
    pendingState: isPending ? await withDiff(latest, world, last) : latest,
    pending: isPending ? world.pending : NOTHING_PENDING,
    keepsHistory: true,
    mempool: EMPTY_MEMPOOL,
    messages: NO_MESSAGES,
    journal: List<string>(),
    acceptedOnL1: undefined,
    // The pending block has the time that it had, whenever it is run again.
    clock: { offset: 0, phase: 0, exact: isPending ? nextTime(world) : timestamp },
    blocks: { ...world.blocks, generation: stillGeneration(generation) },
  });
}

/** The state after the last block, with the history since the first one. */
async function stateOf(
  world: World,
  first: number,
  last: number,
  origin: StateSource | undefined,
): Promise<State> {
  if (origin) return world.pendingState.rewind(last);
  const empty = State.create({ version: first });
  const isLatest = first === latestHeader(world).number;
  const before = isLatest ? world.latestState : await writableStateAfter(world, first);
  const diff = await empty.diffTo(before);
  let state = (await empty.apply(diff, await classesOf(world, declaredIn(diff)))).advance();
  for (let number = first + 1; number <= last; number += 1) {
    state = (await withDiff(state, world, number)).advance();
  }
  return state;
}

async function withDiff(state: State, world: World, number: number): Promise<State> {
  const diff = stateDiff(world, number);
  return state.apply(diff, await classesOf(world, declaredIn(diff)));
}

async function classesOf(world: World, hashes: readonly string[]): Promise<readonly Class[]> {
  const classes: Class[] = [];
  for (const hash of hashes) {
    const contractClass = await world.pendingState.class(hash);
    if (!contractClass) throw new Error(`the class ${hash} is missing`);
    classes.push(contractClass);
  }
  return classes;
}

/** The first block counts transactions and events from itself on, and has no block before it. */
function historyOf({ history }: World, first: number, last: number): Promise<History> {
  const records: Uint8Array[] = [];
  let before: PackedBlock | undefined;
  for (let number = first; number <= last; number += 1) {
    const header = history.header(number);
    const record = history.recordWithoutDiff(number);
    if (!header) throw new Error(`block ${number} is missing`);
    const block: PackedBlock = {
      ...readPackedBlock(record, before),
      ...(before ? {} : { parentHash: header.parentHash }),
      transactionsUpTo: (before?.transactionsUpTo ?? 0) + header.transactionCount,
      eventsUpTo: (before?.eventsUpTo ?? 0) + header.eventCount,
    };
    records.push(recordOf(block));
    before = block;
  }
  return History.restore(first, records);
}
