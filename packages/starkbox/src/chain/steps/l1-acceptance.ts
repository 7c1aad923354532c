// Rule by which blocks are accepted on L1 as blocks follow or time passes.
import { effectiveL1Acceptance, secondsOfAcceptance } from '../../block-settings.js';
import type { BlockRules } from '../execution/block-context.js';
import type { History } from '../history/history.js';
import { nextTime, type World } from '../world/world.js';

type AcceptanceRules = Pick<BlockRules, 'l1Acceptance'>;

/**
 * The newest block that is accepted on L1 at a time of the chain. It never belongs to the origin of a
 * fork, unless a call accepted it.
 */
export function acceptedAt(
  { history, acceptedOnL1, blocks }: Pick<World, 'history' | 'acceptedOnL1' | 'blocks'>,
  rules: AcceptanceRules,
  time: number,
): number | undefined {
  const rule = effectiveL1Acceptance({ blocks }, rules);
  if (rule === 'off') return acceptedOnL1;
  const from = Math.max(history.first, (acceptedOnL1 ?? -1) + 1);
  const newest =
    typeof rule === 'number'
      ? history.next - 1 - rule
      : newestUntil(history, from, time - secondsOfAcceptance(rule));
  return newest < from ? acceptedOnL1 : newest;
}

/** The block up to which the rule accepts now; undefined if it accepts no further block. */
export function dueOnL1(world: World, rules: AcceptanceRules): number | undefined {
  const accepted = acceptedAt(world, rules, nextTime(world));
  return accepted === world.acceptedOnL1 ? undefined : accepted;
}

/**
 * The newest block from `from` on whose timestamp is at most `latest`, or the block before `from`. The
 * number of headers that it reads grows with the logarithm of the newly accepted blocks. Where a call set
 * the time back, the blocks up to the result may include later ones.
 */
function newestUntil(history: History, from: number, latest: number): number {
  const isOld = (number: number): boolean => {
    const header = history.header(number);
    return header !== undefined && header.timestamp <= latest;
  };
  let low = from - 1;
  let step = 1;
  while (isOld(low + step)) {
    low += step;
    step *= 2;
  }
  let high = low + step;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isOld(middle)) low = middle;
    else high = middle;
  }
  return low;
}
