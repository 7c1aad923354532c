// Reasons of failed calls, in few words.
import { decodeShortString } from '@starkbox/abi/basics';
import type { DirectResult } from '../model/direct-call.js';

type CallFailure = NonNullable<DirectResult['failure']>;

const MAX_LENGTH = 160;

/** Short: the strings of a panic, or the first line of the message. */
export function reasonOf({ message, panic }: CallFailure): string {
  const texts = panic?.map((felt) => decodeShortString(felt) ?? felt) ?? [];
  const reason = texts.length > 0 ? texts.join(', ') : (message.split('\n', 1)[0] ?? '');
  return reason.length <= MAX_LENGTH ? reason : `${reason.slice(0, MAX_LENGTH)}…`;
}

/** Most reasons that are told apart. */
const MAX_REASONS = 200;
const OTHERS = 'other reasons';

/** Failed calls, counted by function and reason. */
export class RevertCounts {
  readonly #counts = new Map<string, number>();

  add(key: string, count = 1): void {
    const isNew = !this.#counts.has(key);
    const counted = isNew && this.#counts.size >= MAX_REASONS ? OTHERS : key;
    this.#counts.set(counted, (this.#counts.get(counted) ?? 0) + count);
  }

  get pairs(): readonly (readonly [reason: string, count: number])[] {
    return [...this.#counts];
  }

  /** Most frequent first. */
  get sorted(): Readonly<Record<string, number>> {
    const byCount = [...this.#counts].sort(
      ([reason, count], [otherReason, otherCount]) =>
        otherCount - count || (reason < otherReason ? -1 : 1),
    );
    return Object.fromEntries(byCount);
  }
}
