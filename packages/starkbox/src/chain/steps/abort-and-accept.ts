// Steps that abort the newest blocks or accept the oldest ones on L1.
import type { BLOCK_ID } from '@starkbox/spec';
import { refuse } from '../../errors.js';
import type { Fork } from '../../fork/fork.js';
import { findBlock, latestHeader, writableStateAfter } from '../world/find-block.js';
import { withoutBlocksFrom, withoutIncoming } from '../world/messages.js';
import { NOTHING_PENDING, type World } from '../world/world.js';
import { withOldHash } from './close-block.js';

/** The number of a block that can be aborted with all after it. */
export function firstToAbort(world: World, start: BLOCK_ID): number {
  const from = findBlock(world, start) ?? refuse('No block found');
  if (from === world.history.first) refuse("Genesis block can't be aborted");
  return from;
}

/** The world without a block and all after it, and their hashes, newest first. */
export async function withoutSince(
  world: World,
  from: number,
  fork: Fork | undefined,
): Promise<readonly [World, readonly string[]]> {
  const numbers = descending(latestHeader(world).number, from);
  const removed = new Set(numbers.flatMap((number) => world.history.hashes(number)));
  for (const hash of world.pending.positions.keys()) removed.add(hash);
  const history = world.history.truncate(from);
  const latest = await writableStateAfter(world, from - 1);
  const accepted = world.acceptedOnL1;
  const next: World = {
    ...world,
    history,
    latestState: latest,
    pendingState: await withOldHash(latest, history, fork),
    pending: NOTHING_PENDING,
    directWrites: world.directWrites.filter(({ block }) => block < from),
    messages: withoutIncoming(withoutBlocksFrom(world.messages, from), removed),
    acceptedOnL1: accepted === undefined ? undefined : Math.min(accepted, from - 1),
  };
  return [await withShorterNetwork(next, world, from), hashesOf(world, numbers)];
}

async function withShorterNetwork(next: World, before: World, from: number): Promise<World> {
  const { network } = next;
  const price = before.history.header(from)?.prices.l2_gas_price;
  if (!network || !price) return next;
  const { withoutRounds } = await import('../network/blocks/network-block.js');
  return withoutRounds({ ...next, network }, BigInt(price.price_in_fri));
}

const ALREADY_ACCEPTED = 'Block already accepted on L1';

/** Whether an error says that a block was accepted before. */
export function isAlreadyAccepted({ message }: Error): boolean {
  return message.endsWith(ALREADY_ACCEPTED);
}

/**
 * The world with a block and all before it accepted; hashes of the newly accepted, newest first.
 */
export function acceptedUpTo(world: World, number: number): readonly [World, readonly string[]] {
  const { acceptedOnL1, history } = world;
  if (acceptedOnL1 !== undefined && number <= acceptedOnL1) refuse(ALREADY_ACCEPTED);
  const oldest = Math.max(history.first, (acceptedOnL1 ?? -1) + 1);
  return [{ ...world, acceptedOnL1: number }, hashesOf(world, descending(number, oldest))];
}

function hashesOf({ history }: World, numbers: readonly number[]): readonly string[] {
  return numbers.map((number) => history.hash(number) ?? '0x0');
}

function descending(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, from - to + 1) }, (_, index) => from - index);
}
