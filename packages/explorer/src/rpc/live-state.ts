// Knows what the chain is like at this moment, how sure we are of it, and when pages hear of a change.
import { useSyncExternalStore } from 'react';

export type Connection =
  | 'starting'
  | 'live'
  | 'catching-up'
  | 'reconnecting'
  | 'unreachable'
  | 'locked';

export interface Live {
  readonly connection: Connection;
  /** When something was last heard, by the wall clock, in milliseconds. */
  readonly heardAt: number;
  readonly head: { readonly number: number; readonly hash: string } | undefined;
  readonly pending: number;
  /** What the chain's clock is ahead of the wall's, in seconds. */
  readonly offset: number;
  /** The chain that this one stands on, if there is one. */
  readonly fork: Fork | undefined;
  /** Price of L2 gas in fri at the head. */
  readonly price: bigint | undefined;
  /** Grows when the past changes: blocks that were there may be gone. */
  readonly epoch: number;
  /** Why it grew last. */
  readonly upheaval: string | undefined;
  /** Grows when something was added: a block, a transaction, a setting. */
  readonly beat: number;
  /** More comes than anybody can read: lists count, and stand still. */
  readonly flood: boolean;
  /** The last things done to the sandbox that are not blocks, newest first. */
  readonly deeds: readonly Deed[];
}

export interface Fork {
  readonly chain: string;
  /** The last block of the origin. */
  readonly block: number;
}

export interface Deed {
  readonly id: number;
  readonly event: string;
  readonly chainTime: number;
  readonly block: number;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** News is collected for so long before pages hear of it, and longer where there is very much. */
const COLLECT = 100;
const COLLECT_FLOOD = 1_000;
/** Blocks or transactions a second. */
const MOST_READABLE = 50;

let state: Live = {
  connection: 'starting',
  heardAt: Date.now(),
  head: undefined,
  pending: 0,
  offset: 0,
  fork: undefined,
  price: undefined,
  epoch: 0,
  upheaval: undefined,
  beat: 0,
  flood: false,
  deeds: [],
};
/** What pages know of it. */
let shown: Live = state;
const listeners = new Set<() => void>();
let collecting = false;
let isStirred = false;
let isBehind = false;
let counted = new Map<string, number>();
let countedSince = Date.now();

export function change(part: Partial<Live>): void {
  state = { ...state, ...part };
}

/** Pages that nobody sees are left alone until somebody does. */
export function show(): void {
  isBehind = document.hidden;
  if (isBehind) return;
  shown = state;
  for (const listener of listeners) listener();
}

export function publish(part: Partial<Live>): void {
  change(part);
  show();
}

/** Pages hear of it together with whatever else comes meanwhile. */
export function collect(part: Partial<Live> = {}): void {
  change(part);
  if (collecting) return;
  collecting = true;
  setTimeout(
    () => {
      collecting = false;
      flush();
    },
    state.flood ? COLLECT_FLOOD : COLLECT,
  );
}

function flush(): void {
  const flood = isFlooded();
  if (state.flood !== flood) isStirred = true;
  change({ flood });
  // Its end is no news that would come by itself.
  if (flood) collect();
  if (isStirred && !document.hidden) {
    isStirred = false;
    change({ beat: state.beat + 1 });
  }
  show();
}

/** By the last second, not by a burst. */
function isFlooded(): boolean {
  const seconds = (Date.now() - countedSince) / 1000;
  const most = Math.max(0, ...counted.values());
  if (seconds < 1) return state.flood || most > MOST_READABLE;
  counted = new Map();
  countedSince = Date.now();
  return most > MOST_READABLE * seconds;
}

/** Pages look again at most once per collecting time, however much happens. */
export function stir(): void {
  isStirred = true;
  collect();
}

export function count(kind: string): void {
  counted.set(kind, (counted.get(kind) ?? 0) + 1);
}

export function upset(why: string): void {
  publish({ epoch: state.epoch + 1, upheaval: why });
  stir();
}

/** Somebody looks again: what has been held back is shown. */
export function wake(): void {
  if (isStirred) flush();
  else if (isBehind) show();
}

export function onLive(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** As it is at this moment, also where pages have not heard of it yet. */
export function liveNow(): Live {
  return state;
}

/** Renders again only when the part that is looked at changes. */
export function useLive<T>(select: (live: Live) => T): T {
  return useSyncExternalStore(onLive, () => select(shown));
}

/** The chain's time now, in seconds. */
export function chainNow(): number {
  return Math.floor(Date.now() / 1000) + state.offset;
}

/** Writing needs a node that listens. */
export function canWrite(connection: Connection): boolean {
  return connection === 'live' || connection === 'catching-up';
}
