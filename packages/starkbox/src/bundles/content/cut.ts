// The part of a chain that an execution runs on: the newest blocks up to it, and the state below them.
import { type Class, State, type StateSource } from '@starkbox/engine';
import type { BlockGeneration } from '../../block-settings.js';
import type { Chain } from '../../chain/chain.js';
import { declaredIn } from '../../chain/execution/apply-state-diff.js';
import { History } from '../../chain/history/history.js';
import { type PackedBlock, readPackedBlock, recordOf } from '../../chain/history/packed-block.js';
import { readStateDiff } from '../../chain/history/stored-texts.js';
import { EMPTY_MEMPOOL } from '../../chain/mempool/mempool.js';
import { withOldHash } from '../../chain/steps/close-block.js';
import { directWriteBefore } from '../../chain/world/direct-writes.js';
import {
  latestHeader,
  pendingNumber,
  stateDiff,
  writableStateAfter,
} from '../../chain/world/find-block.js';
import { NO_MESSAGES } from '../../chain/world/messages.js';
import { NOTHING_PENDING, nextTime, type World } from '../../chain/world/world.js';
import { List } from '../../immutable.js';
import type { BlockStart } from './format.js';

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
 *
 * @param world with all of its states in memory
 */
export async function cutWorld(
  world: World,
  { first, last }: CutRange,
  { origin, generation }: CutOptions,
): Promise<World> {
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
    blocks: {
      ...world.blocks,
      generation: stillGeneration(generation),
      l1Acceptance: undefined,
    },
  });
}

/** Where a transaction of a block runs again: after the last direct write before it, or after the write of an old hash. */
export async function startOf(
  { world, options }: Pick<Chain, 'world' | 'options'>,
  block: number,
  index: number,
): Promise<BlockStart | undefined> {
  const before = await stateAfter(world, block - 1);
  const written = directWriteBefore(world, block, index);
  const state = written?.state ?? (await withOldHash(before, world.history, options.fork));
  if (state === before) return undefined;
  const diff = JSON.stringify(await before.diffTo(state));
  return { block, index: written?.index ?? 0, diff };
}

/** The world of a bundle, in which the transactions of a block run again from its start. */
export async function withStart(world: World, start: BlockStart | undefined): Promise<World> {
  if (!start) return { ...world, directWrites: [] };
  const { block, index, diff } = start;
  if (!world.history.has(block - 1) || block > pendingNumber(world)) {
    throw new Error(`there is no block ${block}`);
  }
  const before = await stateAfter(world, block - 1);
  const changes = readStateDiff(diff);
  const state = await before.apply(changes, await classesOf(world, declaredIn(changes)));
  return { ...world, directWrites: [{ block, index, state }] };
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
  const diff = await empty.diffTo(await stateAfter(world, first));
  let state = (await empty.apply(diff, await classesOf(world, declaredIn(diff)))).advance();
  for (let number = first + 1; number <= last; number += 1) {
    state = (await withDiff(state, world, number)).advance();
  }
  return state;
}

/** A writable state. A chain without older states has only the latest. */
async function stateAfter(world: World, number: number): Promise<State> {
  return number === latestHeader(world).number
    ? world.latestState
    : writableStateAfter(world, number);
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
