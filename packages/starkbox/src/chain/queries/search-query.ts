// Felts and parts of felts in the query of a search, and the result of a search.
import { PRIME, toFelt } from '@starkbox/abi/basics';
import type { CANDIDATE } from '@starkbox/spec';

export interface SearchResult {
  readonly candidates: readonly CANDIDATE[];
  /** Older blocks were not searched; undefined if all were. */
  readonly searched_to_block?: number;
}

/** Digits at the begin of a felt, and at its end where it is shortened as pages show it. */
export interface FeltPart {
  readonly head: string;
  readonly tail: string;
}

/** Whether a felt has these digits. */
export function hasPart(felt: string, { head, tail }: FeltPart): boolean {
  return felt.startsWith(head) && felt.endsWith(tail) && felt.length >= head.length + tail.length;
}

export function feltIn(text: string): string | undefined {
  if (!/^0x[\da-f]{1,64}$/.test(text) || BigInt(text) >= PRIME) return undefined;
  return toFelt(BigInt(text));
}

/** `0x4d18f2`, `4d18f2` or `0x4d18f2…5ef2`; at least six digits. */
export function partIn(text: string): FeltPart | undefined {
  const [, digits, head, tail] =
    /^(?:(?:0x)?([\da-f]{6,64})|(?:0x)?([\da-f]{2,64})(?:…|\.{3})([\da-f]{2,64}))$/.exec(text) ??
    [];
  if (digits !== undefined) return { head: `0x${digits.replace(/^0+/, '')}`, tail: '' };
  if (head === undefined || tail === undefined || head.length + tail.length < 6) return undefined;
  return { head: `0x${head.replace(/^0+/, '')}`, tail };
}
