// Histories with one step less.
import type { History } from '../model/history.js';
import { withReplaced } from './replaced-values.js';

/** Without a step: as it is, and with later ids one lower, which the step may have created. */
export function* shorterHistories(history: History, at: number): Generator<History> {
  const earlier = history.slice(0, at);
  const later = history.slice(at + 1);
  yield [...earlier, ...later];
  for (const id of smallIntegers(later, history.length)) {
    const lowered = withReplaced(later, (part) => {
      if (typeof part === 'bigint') return isBetween(part, id, history.length) ? part - 1n : part;
      if (typeof part === 'number') return isBetween(part, id, history.length) ? part - 1 : part;
      return part;
    });
    yield [...earlier, ...lowered];
  }
}

const isBetween = (value: bigint | number, least: number, most: number): boolean =>
  value >= least && value <= most;

/** Integers of the steps that count at most so many steps, in ascending order. */
function smallIntegers(history: History, most: number): readonly number[] {
  const integers = new Set<number>();
  withReplaced(history, (part) => {
    const isInteger = typeof part === 'bigint' || typeof part === 'number';
    if (isInteger && isBetween(part, 1, most)) integers.add(Number(part));
    return part;
  });
  return [...integers].sort((first, other) => first - other);
}
