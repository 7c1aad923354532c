// Knows what happened between two worlds of a chain, as those who watch it must be told.
import { pendingNumber } from './block.js';
import type { Header } from './closed-block.js';
import type { World } from './world.js';

export interface Transition {
  /** Blocks that are no longer part of the chain, oldest and newest. */
  readonly undone: { readonly first: Header; readonly last: Header } | undefined;
  /** Blocks of the common past whose finality changed: from, to; none if from is above to. */
  readonly refinalised: Range;
  /** Blocks that are part of the chain now and were not before. */
  readonly added: Range;
  /** Transactions of the block under construction from this position on were not there before. */
  readonly waitingFrom: number;
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

export function transition(before: World, after: World): Transition {
  const common = commonBlock(before, after);
  const [first, last] = [before.history.header(common + 1), before.history.latest];
  return {
    undone: first && last ? { first, last } : undefined,
    refinalised: refinalised(before, after, common),
    added: { from: common + 1, to: after.history.next - 1 },
    waitingFrom: waitingFrom(before, after),
  };
}

/** The newest block that both have. Blocks name their parents, so equal ones have equal pasts. */
export function commonBlock({ history: before }: World, { history: after }: World): number {
  const shared = (number: number): boolean => {
    const header = before.header(number);
    return header !== undefined && header.hash === after.header(number)?.hash;
  };
  let low = before.first - 1;
  let high = Math.min(before.next, after.next) - 1;
  // Nearly always one is the continuation of the other.
  if (shared(high)) return high;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (shared(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function refinalised(before: World, after: World, common: number): Range {
  const first = before.history.first;
  const [one, other] = [before, after].map(({ acceptedOnL1 = first - 1 }) => acceptedOnL1);
  const [low = first, high = first] = [one, other].toSorted((a = first, b = first) => a - b);
  // Below the first block is the origin of a fork, whose transactions nobody follows here.
  return { from: Math.max(low + 1, first), to: Math.min(high, common) };
}

function waitingFrom(before: World, after: World): number {
  if (pendingNumber(before) !== pendingNumber(after)) return 0;
  const old = before.pending.transactions;
  const now = after.pending.transactions;
  const known = old.last();
  if (!known) return 0;
  return now.get(old.size - 1)?.record.hash === known.record.hash ? old.size : 0;
}
