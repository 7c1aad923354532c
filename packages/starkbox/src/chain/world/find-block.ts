// Lookup of blocks by block id, and of the states after them.

import type { State, StateDiff } from '@starkbox/engine';
import type { BLOCK_ID } from '@starkbox/spec';
import { fail, refuse } from '../../errors.js';
import type { Header } from '../history/header.js';
import { readStateDiff } from '../history/stored-texts.js';
import type { ArchivedStates } from './archived-states.js';
import type { World } from './world.js';

/** The number of the pending block. */
export function pendingNumber(world: World): number {
  return world.pendingState.version;
}

/** The header of the newest closed block. */
export function latestHeader(world: World): Header {
  const { latest } = world.history;
  if (!latest) throw new Error('the chain has no closed block');
  return latest;
}

/** The number of the block with an id, the pending block included. */
export function findBlock(world: World, id: BLOCK_ID): number | undefined {
  if (id === 'pre_confirmed') return pendingNumber(world);
  if (id === 'latest') return latestHeader(world).number;
  if (id === 'l1_accepted') {
    const { acceptedOnL1: accepted, history } = world;
    // The block can belong to the origin.
    return accepted !== undefined && accepted >= history.first ? accepted : undefined;
  }
  if ('block_hash' in id) return world.history.numberOf(id.block_hash);
  return world.history.has(id.block_number) ? id.block_number : undefined;
}

export function blockNumber(world: World, id: BLOCK_ID): number {
  return findBlock(world, id) ?? noBlock(world);
}

/** Fails because a chain does not have a block. */
export function noBlock(world: World): never {
  return fail('BLOCK_NOT_FOUND', `The newest block is ${latestHeader(world).number}.`);
}

/** The state after a block. */
export function stateById(world: World, id: BLOCK_ID): State {
  return stateByNumber(world, blockNumber(world, id), id);
}

export function stateByNumber(world: World, number: number, id: BLOCK_ID): State {
  if (number === pendingNumber(world)) return world.pendingState;
  if (number === latestHeader(world).number) return world.latestState;
  if (!world.keepsHistory) {
    refuse(
      `No state at block ${shownId(number, id)}; consider running with --state-archive-capacity full`,
    );
  }
  return isInMemory(world, number)
    ? world.pendingState.at(number)
    : archivedOf(world).stateAfter(number);
}

/** A slot after a block that left memory, without a state; undefined if its state must be asked. */
export function archivedSlot(
  world: World,
  number: number,
  address: string,
  key: string,
): string | undefined {
  const { archived } = world;
  if (!archived || !world.keepsHistory || isInMemory(world, number)) return undefined;
  return archived.storageAt(address, key, number);
}

/** The state after a block, or undefined if it is not kept. */
export function keptState(world: World, number: number): State | undefined {
  const isKept = world.keepsHistory || number >= latestHeader(world).number;
  if (!isKept || number < world.history.first || number > pendingNumber(world)) return undefined;
  return stateByNumber(world, number, { block_number: number });
}

/** The state before a block, or undefined if it is not kept. */
export function stateBefore(world: World, block: number): State | undefined {
  return keptState(world, block - 1);
}

/** The state after a block, as a base for the next block. */
export async function writableStateAfter(world: World, number: number): Promise<State> {
  return isInMemory(world, number)
    ? world.pendingState.rewind(number)
    : archivedOf(world).stateAfter(number);
}

const isInMemory = ({ pendingState: state }: World, number: number): boolean =>
  number + 1 >= state.firstVersion;

function archivedOf({ archived }: World): ArchivedStates {
  if (!archived) throw new Error('the chain has no archived states');
  return archived;
}

/** The state difference of a block as JSON text, also of the pending block. */
export function stateDiffText({ history, pendingState: state }: World, number: number): string {
  return history.stateDiff(number) ?? state.diffTextOf(number);
}

/** The state difference of a block, also of the pending block. */
export function stateDiff(world: World, number: number): StateDiff {
  return readStateDiff(stateDiffText(world, number));
}

function shownId(number: number, id: BLOCK_ID): string {
  return typeof id === 'object' && 'block_hash' in id
    ? `Hash(${id.block_hash})`
    : `Number(${number})`;
}
