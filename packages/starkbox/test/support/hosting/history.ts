// Checker of the answers that clients of a fleet got: each instance is one chain, and keeps what was acknowledged.
// Benches use it too, so that it imports no sources.

/** What an answer showed of an instance. */
export type Shown =
  /** The latest block. */
  | { readonly kind: 'head'; readonly number: number; readonly hash: string }
  /** A block that was asked for. */
  | { readonly kind: 'block'; readonly number: number; readonly hash: string }
  /** There is no block of this number yet. */
  | { readonly kind: 'no block'; readonly number: number }
  /** It is in the chain: it was read, or its sender was told so. */
  | { readonly kind: 'transaction'; readonly hash: string }
  | { readonly kind: 'no transaction'; readonly hash: string };

/** Part of an answer. All times are of one clock, in milliseconds. */
export interface Answer {
  readonly instance: string;
  /** When its request was sent. */
  readonly began: number;
  readonly ended: number;
  /** What answered, for messages. */
  readonly from: string;
  readonly shown: Shown;
}

export interface Violation {
  readonly kind:
    | 'two blocks of one number'
    | 'head went back'
    | 'transaction lost'
    | 'wrong report of a change';
  readonly instance: string;
  readonly text: string;
}

/**
 * What no history of correct instances has, which never undo a block:
 *
 * - two hashes of one block number, in any two answers;
 * - after an answer that showed block n, an answer to a later request by which there is no block n;
 * - after an answer that showed a transaction, an answer to a later request by which there is none.
 *
 * A request is later if it was sent after the other answer had arrived. A block that no answer has shown, such as
 * one of a change without an answer, may vanish.
 */
export function violationsIn(answers: readonly Answer[]): readonly Violation[] {
  const found: Violation[] = [];
  for (const [instance, own] of grouped(answers, ({ instance }) => instance)) {
    const violation = (kind: Violation['kind'], text: string): void => {
      found.push({ kind, instance, text });
    };
    for (const text of twoBlocks(own)) violation('two blocks of one number', text);
    for (const text of wentBack(own)) violation('head went back', text);
    for (const text of lost(own)) violation('transaction lost', text);
  }
  return found;
}

function* twoBlocks(answers: readonly Answer[]): Generator<string, void, undefined> {
  const first = new Map<number, { readonly answer: Answer; readonly hash: string }>();
  const told = new Set<number>();
  for (const answer of answers) {
    const { shown } = answer;
    if (shown.kind !== 'head' && shown.kind !== 'block') continue;
    const { number, hash } = shown;
    const known = first.get(number);
    if (!known) first.set(number, { answer, hash });
    else if (known.hash !== hash && !told.has(number)) {
      told.add(number);
      yield `block ${number} is ${known.hash} by ${said(known.answer)}, and ${hash} by ${said(answer)}`;
    }
  }
}

function* wentBack(answers: readonly Answer[]): Generator<string, void, undefined> {
  const byEnd = [...answers].sort((one, other) => one.ended - other.ended);
  const byBegin = [...answers].sort((one, other) => one.began - other.began);
  let at = 0;
  let highest: { readonly number: number; readonly answer: Answer } | undefined;
  for (const answer of byBegin) {
    for (let before = byEnd[at]; before && before.ended < answer.began; before = byEnd[at]) {
      at += 1;
      const { shown } = before;
      if (shown.kind !== 'head' && shown.kind !== 'block') continue;
      if (!highest || shown.number > highest.number) {
        highest = { number: shown.number, answer: before };
      }
    }
    const most = highestBy(answer.shown);
    if (highest && most < highest.number) {
      yield `the head is ${most} at most by ${said(answer)}, but block ${highest.number} was shown before by ${said(highest.answer)}`;
    }
  }
}

/** The highest number that the latest block can have by an answer. */
function highestBy(shown: Shown): number {
  if (shown.kind === 'head') return shown.number;
  return shown.kind === 'no block' ? shown.number - 1 : Number.POSITIVE_INFINITY;
}

function* lost(answers: readonly Answer[]): Generator<string, void, undefined> {
  const first = new Map<string, Answer>();
  for (const answer of answers) {
    const { shown } = answer;
    if (shown.kind !== 'transaction') continue;
    const known = first.get(shown.hash);
    if (!known || answer.ended < known.ended) first.set(shown.hash, answer);
  }
  for (const answer of answers) {
    const { shown } = answer;
    if (shown.kind !== 'no transaction') continue;
    const before = first.get(shown.hash);
    if (before && before.ended < answer.began) {
      yield `${shown.hash} is missing by ${said(answer)}, but was there by ${said(before)}`;
    }
  }
}

/** A change that a client sent, and what it was told. */
export interface Change {
  readonly instance: string;
  /** Part of the change, by which it is found in the chain. */
  readonly mark: string;
  /** Refused means: it was said that nothing was changed. */
  readonly outcome: 'made' | 'refused' | 'unknown';
}

/**
 * Changes of which the chain has another number than their senders were told.
 *
 * @param count how often the final chain of an instance has a mark
 */
export function misreported(
  changes: readonly Change[],
  count: (instance: string, mark: string) => number,
): readonly Violation[] {
  const found: Violation[] = [];
  for (const { instance, mark, outcome } of changes) {
    const times = count(instance, mark);
    const isRight = outcome === 'unknown' ? times <= 1 : times === (outcome === 'made' ? 1 : 0);
    if (isRight) continue;
    const text = `change ${mark}, of which its sender was told that it is ${outcome}, is ${times} times in the chain`;
    found.push({ kind: 'wrong report of a change', instance, text });
  }
  return found;
}

function said({ from, began, ended }: Answer): string {
  return `${from} (${began.toFixed(0)} to ${ended.toFixed(0)} ms)`;
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
