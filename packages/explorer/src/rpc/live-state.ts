// Live state of chain and connection, with throttled notification of components.
import { createStore, useStore } from '../state/store.js';

export type Connection =
  | 'starting'
  | 'live'
  | 'catching-up'
  | 'reconnecting'
  | 'unreachable'
  | 'locked'
  /** The page's instance does not exist, and no other gets its id. */
  | 'gone';

export interface Live {
  readonly connection: Connection;
  /** Time of the last message, in milliseconds of the system clock. */
  readonly receivedAt: number;
  readonly head: { readonly number: number; readonly hash: string } | undefined;
  readonly pending: number;
  /** Offset of the chain's clock from the system clock, in seconds. */
  readonly offset: number;
  /** The origin, for a fork. */
  readonly fork: Fork | undefined;
  /** How many instances the node has, as its last notification says. */
  readonly instances: number;
  /** Price of L2 gas in fri at the head. */
  readonly price: bigint | undefined;
  /** Increases when blocks may have disappeared. */
  readonly epoch: number;
  /** Reason of the last increase. */
  readonly pastChange: string | undefined;
  /** Increases with each change: a block, a transaction, a setting. */
  readonly revision: number;
  /** Whether changes arrive too fast to show; lists then only count them. */
  readonly isBusy: boolean;
  /** The last operations on the sandbox other than blocks, newest first. */
  readonly operations: readonly Operation[];
}

export interface Fork {
  readonly chain: string;
  /** The last block of the origin. */
  readonly block: number;
}

export interface Operation {
  readonly id: number;
  readonly event: string;
  readonly chainTime: number;
  readonly block: number;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Changes are collected this long before components render; longer under load. */
const COLLECT = 100;
const COLLECT_BUSY = 1_000;
/** Changes per second. */
const MAX_READABLE = 50;

let state: Live = {
  connection: 'starting',
  receivedAt: Date.now(),
  head: undefined,
  pending: 0,
  offset: 0,
  fork: undefined,
  instances: 0,
  price: undefined,
  epoch: 0,
  pastChange: undefined,
  revision: 0,
  isBusy: false,
  operations: [],
};
/** The state that components see. */
const published = createStore(state);
let collecting = false;
let hasChanged = false;
let isBehind = false;
let counted = new Map<string, number>();
let countedSince = Date.now();

export function change(part: Partial<Live>): void {
  state = { ...state, ...part };
}

/** Hidden pages are not rendered until they are visible. */
export function show(): void {
  isBehind = document.hidden;
  if (isBehind) return;
  published.set(state);
}

export function publish(part: Partial<Live>): void {
  change(part);
  show();
}

/** Publishes the state together with other pending changes. */
export function collect(part: Partial<Live> = {}): void {
  change(part);
  if (collecting) return;
  collecting = true;
  setTimeout(
    () => {
      collecting = false;
      flush();
    },
    state.isBusy ? COLLECT_BUSY : COLLECT,
  );
}

function flush(): void {
  const isBusy = isTooFast();
  if (state.isBusy !== isBusy) hasChanged = true;
  change({ isBusy });
  // No message marks the end of a burst, so a timer does.
  if (isBusy) collect();
  if (hasChanged && !document.hidden) {
    hasChanged = false;
    change({ revision: state.revision + 1 });
  }
  show();
}

/** Rate over the last second. */
function isTooFast(): boolean {
  const seconds = (Date.now() - countedSince) / 1000;
  const most = Math.max(0, ...counted.values());
  if (seconds < 1) return state.isBusy || most > MAX_READABLE;
  counted = new Map();
  countedSince = Date.now();
  return most > MAX_READABLE * seconds;
}

/** Increases `revision` at most once per collecting time. */
export function noteChange(): void {
  hasChanged = true;
  collect();
}

export function count(kind: string): void {
  counted.set(kind, (counted.get(kind) ?? 0) + 1);
}

export function notePastChange(why: string): void {
  publish({ epoch: state.epoch + 1, pastChange: why });
  noteChange();
}

/** The page became visible: publishes what was held back. */
export function wake(): void {
  if (hasChanged) flush();
  else if (isBehind) show();
}

export const onLive = published.subscribe;

/** The current state, including unpublished changes. */
export function liveNow(): Live {
  return state;
}

/** Renders only when the selected part changes. */
export function useLive<T>(select: (live: Live) => T): T {
  return useStore(published, select);
}

/** The chain's time now, in seconds; without its node, the time of the last message. */
export function chainNow(): number {
  const { connection, receivedAt, offset } = state;
  const at = connection === 'unreachable' ? receivedAt : Date.now();
  return Math.floor(at / 1000) + offset;
}

/** Whether actions can reach the node. */
export function canWrite(connection: Connection): boolean {
  return connection === 'live' || connection === 'catching-up';
}
