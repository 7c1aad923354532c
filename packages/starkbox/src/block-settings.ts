// Settings of the following blocks that can be changed while the chain runs.
import type { StarknetVersion } from './starknet-versions.js';

/**
 * After each transaction, on demand, or at an interval in seconds. With `mempool`, transactions
 * wait there, and blocks are closed on demand; with an interval as it is shown, every time it ends.
 */
export type BlockGeneration =
  | 'transaction'
  | 'demand'
  | 'mempool'
  | `${typeof TIMED_MEMPOOL}${string}`
  | number;

export const BLOCK_GENERATION_WORDS = ['transaction', 'demand', 'mempool'] as const;

const TIMED_MEMPOOL = 'mempool:';

/** Milliseconds; closing an empty block takes about one. */
const MIN_INTERVAL = 10;

/** Timers of Node hold 31 bits of milliseconds. */
const MAX_TIMER = Math.floor((2 ** 31 - 1) / 1000);

/** Completes "must be". */
export const EXPECTED_BLOCK_GENERATION: string =
  `${BLOCK_GENERATION_WORDS.join(', ')}, a number of seconds up to ${MAX_TIMER}, ` +
  `of milliseconds from ${MIN_INTERVAL}ms, ` +
  `or mempool: and such a number, such as ${TIMED_MEMPOOL}2`;

/** `undefined` for an invalid text. */
export function readBlockGeneration(text: string): BlockGeneration | undefined {
  const lowercase = text.toLowerCase();
  const mode = BLOCK_GENERATION_WORDS.find((word) => word === lowercase);
  if (mode !== undefined) return mode;
  if (!lowercase.startsWith(TIMED_MEMPOOL)) return readInterval(lowercase);
  const seconds = readInterval(lowercase.slice(TIMED_MEMPOOL.length));
  return seconds && `${TIMED_MEMPOOL}${shownInterval(seconds)}`;
}

/** Seconds of a text such as `2`, `0.5` or `500ms`. */
function readInterval(text: string): number | undefined {
  const [, whole = '0', rest = ''] = /^(\d{1,15})(ms|\.\d{1,3})?$/.exec(text) ?? [];
  const seconds = rest === 'ms' ? Number(whole) / 1000 : Number(whole + rest);
  return seconds >= MIN_INTERVAL / 1000 && seconds <= MAX_TIMER ? seconds : undefined;
}

/** Whether transactions wait in the mempool. */
export function hasMempool(setting: BlockGeneration): boolean {
  return typeof setting === 'string' && setting.startsWith('mempool');
}

/** Seconds from one block to the next; undefined where blocks are not closed by a timer. */
export function intervalOf(setting: BlockGeneration): number | undefined {
  if (typeof setting === 'number') return setting;
  return setting.startsWith(TIMED_MEMPOOL)
    ? readInterval(setting.slice(TIMED_MEMPOOL.length))
    : undefined;
}

/** The setting as it is given. */
export function showBlockGeneration(setting: BlockGeneration): string {
  return typeof setting === 'string' ? setting : shownInterval(setting);
}

/** Whole seconds as a number, others in milliseconds. */
function shownInterval(seconds: number): string {
  return Number.isInteger(seconds) ? String(seconds) : `${Math.round(seconds * 1000)}ms`;
}

/**
 * When a block is accepted on L1: after this many blocks follow it, at an age in seconds (`600s`), or by
 * calls alone.
 */
export type L1Acceptance = number | `${number}s` | 'off';

/** Completes "must be". */
export const EXPECTED_L1_ACCEPTANCE =
  'a number of blocks from 1, a number of seconds from 1s such as 600s, or off';

/** `undefined` for an invalid text. */
export function readL1Acceptance(text: string): L1Acceptance | undefined {
  const lowercase = text.toLowerCase();
  if (lowercase === 'off') return 'off';
  const [, digits = '0', unit = ''] = /^(\d{1,15})(s?)$/.exec(lowercase) ?? [];
  const amount = Number(digits);
  if (amount < 1) return undefined;
  return unit === 's' ? `${amount}s` : amount;
}

export function secondsOfAcceptance(rule: `${number}s`): number {
  return Number(rule.slice(0, -1));
}

export interface BlockSettings {
  /** Undefined: as the chain was started. */
  readonly generation: BlockGeneration | undefined;
  /** Recipient of the fees. Undefined: the usual one. */
  readonly sequencer: string | undefined;
  /** Whose constants meter them. Undefined: the newest. */
  readonly starknetVersion?: StarknetVersion | undefined;
  /** Undefined: as the chain was started. */
  readonly l1Acceptance?: L1Acceptance | undefined;
}

export const USUAL_BLOCKS: BlockSettings = { generation: undefined, sequencer: undefined };

/** When blocks are closed now: the setting of the world, or that of the chain's options. */
export function effectiveBlockGeneration(
  { blocks }: { readonly blocks: BlockSettings },
  { blockGeneration }: { readonly blockGeneration: BlockGeneration },
): BlockGeneration {
  return blocks.generation ?? blockGeneration;
}

/** When blocks are accepted on L1 now: the setting of the world, or the chain's option. */
export function effectiveL1Acceptance(
  { blocks }: { readonly blocks: BlockSettings },
  { l1Acceptance = 'off' }: { readonly l1Acceptance?: L1Acceptance | undefined },
): L1Acceptance {
  return blocks.l1Acceptance ?? l1Acceptance;
}
