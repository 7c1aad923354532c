// One call on both sides: what differs.
import type { DirectResult } from '../model/direct-call.js';

/** A kind of difference between two calls. */
export type DifferenceKind = 'failure' | 'result' | 'events' | 'storage' | 'gas';

/** Options that decide what counts as a difference. */
export interface CompareOptions {
  /** The compared kinds. Default: everything but gas. */
  readonly compare?: readonly DifferenceKind[];
  /** The part by which gas may differ, if it is compared: 0.05 is 5 percent. 0 by default. */
  readonly gasTolerance?: number;
}

export const COMPARED: readonly DifferenceKind[] = ['failure', 'result', 'events', 'storage'];

/** The first difference of two results, in the order of their weight; undefined if there is none. */
export function compareResults(
  a: DirectResult,
  b: DirectResult,
  { compare = COMPARED, gasTolerance = 0 }: CompareOptions,
): DifferenceKind | undefined {
  const differs: Readonly<Record<DifferenceKind, () => boolean>> = {
    failure: () => a.hasFailed !== b.hasFailed || panicOf(a) !== panicOf(b),
    result: () => !a.hasFailed && !b.hasFailed && !areEqual(a.result, b.result),
    storage: () => !areEqual(writeTexts(a), writeTexts(b)),
    events: () => !areEqual(eventTexts(a), eventTexts(b)),
    gas: () => !a.hasFailed && !b.hasFailed && Math.abs(a.gas - b.gas) > gasTolerance * a.gas,
  };
  const kinds: readonly DifferenceKind[] = ['failure', 'result', 'storage', 'events', 'gas'];
  return kinds.find((kind) => compare.includes(kind) && differs[kind]());
}

/** The panic of a failed call; messages differ by class hashes. */
function panicOf({ failure }: DirectResult): string | undefined {
  return failure && JSON.stringify(failure.returned);
}

const writeTexts = (result: DirectResult): readonly string[] =>
  result.hasFailed
    ? []
    : result.writes().map(({ address, key, value }) => `${address} ${key} ${value}`);

const eventTexts = (result: DirectResult): readonly string[] =>
  result.hasFailed
    ? []
    : result
        .events()
        .map(({ from_address, keys, data }) => `${from_address} ${keys.join()} ${data.join()}`);

function areEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at]);
}

/** Whether two calls on equal states leave equal states. */
export const leavesEqualStates = (a: DirectResult, b: DirectResult): boolean =>
  areEqual(writeTexts(a), writeTexts(b));
