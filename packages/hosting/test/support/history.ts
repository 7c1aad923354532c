// Checker of the answers that clients of a fleet got: each instance is one chain, and keeps what was acknowledged.
// Benches use it too, so that it imports no sources.

/** What an answer showed of an instance. */
export type Observation =
  /** The latest block. */
  | { readonly kind: 'head'; readonly number: number; readonly hash: string }
  /** A block that was asked for. */
  | { readonly kind: 'block'; readonly number: number; readonly hash: string }
  /** There is no block of this number yet. */
  | { readonly kind: 'no block'; readonly number: number }
  /** It is in the chain: it was read, or its sender was told so. */
  | { readonly kind: 'transaction'; readonly hash: string }
  | { readonly kind: 'no transaction'; readonly hash: string }
  /** The nonce of the account that signs. */
  | { readonly kind: 'nonce'; readonly nonce: number }
  /** There is no such instance, or its deletion was acknowledged. */
  | { readonly kind: 'gone' };

/** Part of an answer. All times are of one clock, in milliseconds. */
export interface Answer {
  readonly instance: string;
  /** When its request was sent. */
  readonly began: number;
  readonly ended: number;
  /** What answered, for messages. */
  readonly from: string;
  readonly observation: Observation;
}

/** When an instance may end. */
export interface Life {
  readonly created: number;
  /** When a deletion was sent first that was not refused. */
  readonly deletion: number | undefined;
  /** Milliseconds without a request after which it expires, less what clocks may differ by. */
  readonly ttl: number | undefined;
}

export const VIOLATIONS = [
  'two blocks of one number',
  'head went back',
  'transaction lost',
  'wrong report of a change',
  'nonce went back',
  'nonces have a gap',
  'instance lost',
  'ended instance came back',
  'expired instance stays',
  'new instance has a past',
  'no change accepted',
] as const;

export interface Violation {
  readonly kind: (typeof VIOLATIONS)[number];
  readonly instance: string;
  readonly text: string;
}

/**
 * What no history of correct instances has, which never undo a block:
 *
 * - two hashes of one block number, in any two answers;
 * - after an answer that showed block n, an answer to a later request by which there is no block n;
 * - after an answer that showed a transaction, an answer to a later request by which there is none;
 * - after an answer that showed a nonce, an answer to a later request with a lower one;
 * - an answer by which there is no instance, although it was not deleted and has not expired;
 * - after an answer by which there is no instance, an answer to a later request that shows it.
 *
 * A request is later if it was sent after the other answer had arrived. A block that no answer has shown, such as
 * one of a change without an answer, may vanish.
 *
 * @param lives of instances that may end; all others never do
 */
export function violationsIn(
  answers: readonly Answer[],
  lives: ReadonlyMap<string, Life> = new Map(),
): readonly Violation[] {
  const violations: Violation[] = [];
  for (const [instance, ofInstance] of grouped(answers, ({ instance }) => instance)) {
    const violation = (kind: Violation['kind'], text: string): void => {
      violations.push({ kind, instance, text });
    };
    for (const text of twoBlocks(ofInstance)) violation('two blocks of one number', text);
    for (const text of wentBack(ofInstance, HEADS)) violation('head went back', text);
    for (const text of wentBack(ofInstance, NONCES)) violation('nonce went back', text);
    for (const text of lost(ofInstance)) violation('transaction lost', text);
    for (const text of vanished(ofInstance, lives.get(instance))) violation('instance lost', text);
    for (const text of cameBack(ofInstance)) violation('ended instance came back', text);
  }
  return violations;
}

function* twoBlocks(answers: readonly Answer[]): Generator<string, void, undefined> {
  const first = new Map<number, { readonly answer: Answer; readonly hash: string }>();
  const reported = new Set<number>();
  for (const answer of answers) {
    const { observation } = answer;
    if (observation.kind !== 'head' && observation.kind !== 'block') continue;
    const { number, hash } = observation;
    const earlier = first.get(number);
    if (!earlier) first.set(number, { answer, hash });
    else if (earlier.hash !== hash && !reported.has(number)) {
      reported.add(number);
      yield `block ${number} is ${earlier.hash} by ${said(earlier.answer)}, and ${hash} by ${said(answer)}`;
    }
  }
}

/** A number that grows only. */
interface Growing {
  readonly name: string;
  /** What an answer showed; undefined if it did not show it. */
  readonly shownBy: (observation: Observation) => number | undefined;
  /** The highest number that it can have by an answer. */
  readonly mostBy: (observation: Observation) => number;
}

const HEADS: Growing = {
  name: 'block',
  shownBy: (observation) =>
    observation.kind === 'head' || observation.kind === 'block' ? observation.number : undefined,
  mostBy: (observation) => {
    if (observation.kind === 'head') return observation.number;
    return observation.kind === 'no block' ? observation.number - 1 : Number.POSITIVE_INFINITY;
  },
};

const NONCES: Growing = {
  name: 'nonce',
  shownBy: (observation) => (observation.kind === 'nonce' ? observation.nonce : undefined),
  mostBy: (observation) =>
    observation.kind === 'nonce' ? observation.nonce : Number.POSITIVE_INFINITY,
};

function* wentBack(
  answers: readonly Answer[],
  { name, shownBy, mostBy }: Growing,
): Generator<string, void, undefined> {
  const byEnd = [...answers].sort((first, other) => first.ended - other.ended);
  const byBegin = [...answers].sort((first, other) => first.began - other.began);
  let at = 0;
  let highest: { readonly number: number; readonly answer: Answer } | undefined;
  for (const answer of byBegin) {
    for (let before = byEnd[at]; before && before.ended < answer.began; before = byEnd[at]) {
      at += 1;
      const number = shownBy(before.observation);
      if (number === undefined) continue;
      if (!highest || number > highest.number) highest = { number, answer: before };
    }
    const most = mostBy(answer.observation);
    if (highest && most < highest.number) {
      yield `${name} ${most} is the highest by ${said(answer)}, but ${highest.number} was shown before by ${said(highest.answer)}`;
    }
  }
}

/** Answers by which there is no instance, although it cannot have ended. */
function* vanished(
  answers: readonly Answer[],
  life: Life | undefined,
): Generator<string, void, undefined> {
  const uses = answers.filter(({ observation }) => observation.kind !== 'gone');
  for (const answer of answers) {
    if (answer.observation.kind !== 'gone') continue;
    if (life?.deletion !== undefined && life.deletion < answer.ended) continue;
    if (life?.ttl !== undefined) {
      const before = uses.filter(({ began }) => began < answer.ended);
      const last = Math.max(life.created, ...before.map(({ began }) => began));
      if (answer.ended - last > life.ttl) continue;
    }
    yield `there is none by ${said(answer)}, but it was neither deleted nor has it expired`;
    return;
  }
}

function* cameBack(answers: readonly Answer[]): Generator<string, void, undefined> {
  const ends = answers.filter(({ observation }) => observation.kind === 'gone');
  const [first] = ends.sort((first, other) => first.ended - other.ended);
  if (!first) return;
  const reappeared = answers.find(
    ({ observation, began }) => observation.kind !== 'gone' && began > first.ended,
  );
  if (reappeared) yield `it is there by ${said(reappeared)}, but was gone by ${said(first)}`;
}

function* lost(answers: readonly Answer[]): Generator<string, void, undefined> {
  const first = new Map<string, Answer>();
  for (const answer of answers) {
    const { observation } = answer;
    if (observation.kind !== 'transaction') continue;
    const earlier = first.get(observation.hash);
    if (!earlier || answer.ended < earlier.ended) first.set(observation.hash, answer);
  }
  for (const answer of answers) {
    const { observation } = answer;
    if (observation.kind !== 'no transaction') continue;
    const before = first.get(observation.hash);
    if (before && before.ended < answer.began) {
      yield `${observation.hash} is missing by ${said(answer)}, but was there by ${said(before)}`;
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
  const violations: Violation[] = [];
  for (const { instance, mark, outcome } of changes) {
    const times = count(instance, mark);
    const isRight = outcome === 'unknown' ? times <= 1 : times === (outcome === 'made' ? 1 : 0);
    if (isRight) continue;
    const text = `change ${mark}, of which its sender was told that it is ${outcome}, is ${times} times in the chain`;
    violations.push({ kind: 'wrong report of a change', instance, text });
  }
  return violations;
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
