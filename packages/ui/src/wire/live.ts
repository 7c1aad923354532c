// Knows what the chain is like at this moment and how sure we are of it: head, clock, prices, connection.
import { useSyncExternalStore } from 'react';
import { Socket } from './socket.js';

export type Connection = 'starting' | 'live' | 'catching-up' | 'reconnecting' | 'unreachable';

export interface Live {
  readonly connection: Connection;
  /** When something was last heard, by the wall clock, in milliseconds. */
  readonly heardAt: number;
  readonly head: { readonly number: number; readonly hash: string } | undefined;
  readonly pending: number;
  /** What the chain's clock is ahead of the wall's, in seconds. */
  readonly offset: number;
  /** Price of L2 gas in fri at the head. */
  readonly price: bigint | undefined;
  /** Grows when the past changes: blocks that were there may be gone. */
  readonly epoch: number;
  /** Why it grew last. */
  readonly upheaval: string | undefined;
  /** Grows when something was added: a block, a transaction, a setting. */
  readonly beat: number;
  /** The last things done to the sandbox that are not blocks, newest first. */
  readonly deeds: readonly Deed[];
}

export interface Deed {
  readonly id: number;
  readonly event: string;
  readonly chainTime: number;
  readonly block: number;
  readonly detail: Readonly<Record<string, unknown>>;
}

const FRESH = 5_000;
const PATIENCE = 10_000;
const DEEDS_KEPT = 200;
/** News is collected for so long before pages hear of it. */
const COLLECT = 100;
const POLL = 2_000;
const UPHEAVALS = new Set(['revert', 'restart', 'load', 'abort', 'state']);

let state: Live = {
  connection: 'starting',
  heardAt: Date.now(),
  head: undefined,
  pending: 0,
  offset: 0,
  price: undefined,
  epoch: 0,
  upheaval: undefined,
  beat: 0,
  deeds: [],
};
const listeners = new Set<() => void>();
let collecting = false;
let changedAtAll = false;
let isOpen = false;
let openedAt = 0;
let hasBeat = false;
let nextDeed = 1;
let headBeforeGap: string | undefined;

function publish(change: Partial<Live>): void {
  state = { ...state, ...change };
  for (const listener of listeners) listener();
}

/** Pages look again at most once per collecting time, however much happens. */
function stir(): void {
  changedAtAll = true;
  if (collecting) return;
  collecting = true;
  setTimeout(() => {
    collecting = false;
    if (changedAtAll && !document.hidden) {
      changedAtAll = false;
      publish({ beat: state.beat + 1 });
    }
  }, COLLECT);
}

function upset(why: string): void {
  publish({ epoch: state.epoch + 1, upheaval: why });
  stir();
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const field = (value: unknown, name: string): unknown =>
  isFields(value) ? value[name] : undefined;
const numberIn = (value: unknown, name: string): number | undefined => {
  const found = field(value, name);
  return typeof found === 'number' ? found : undefined;
};
const textIn = (value: unknown, name: string): string | undefined => {
  const found = field(value, name);
  return typeof found === 'string' ? found : undefined;
};

function takeHead(header: unknown): void {
  const number = numberIn(header, 'block_number');
  const hash = textIn(header, 'block_hash');
  if (number === undefined || hash === undefined) return;
  const price = textIn(field(header, 'l2_gas_price'), 'price_in_fri');
  const change: { -readonly [K in keyof Live]?: Live[K] } = { head: { number, hash } };
  if (price !== undefined) change.price = BigInt(price);
  const isNew = state.head?.hash !== hash;
  publish(change);
  if (isNew) stir();
}

function takeSandbox(news: unknown): void {
  hasBeat = true;
  const event = textIn(news, 'event') ?? 'beat';
  const chainTime = numberIn(news, 'chain_time');
  const pending = numberIn(news, 'pending');
  const head = field(news, 'head');
  const before = state.pending;
  const change: { -readonly [K in keyof Live]?: Live[K] } = {};
  if (chainTime !== undefined) {
    // Both clocks tick between two beats, and not together; a second either way is no news.
    const offset = chainTime - Math.floor(Date.now() / 1000);
    if (Math.abs(offset - state.offset) > 1) change.offset = offset;
  }
  if (pending !== undefined && pending !== before) change.pending = pending;
  const number = numberIn(head, 'block_number');
  const hash = textIn(head, 'block_hash');
  const moved = number !== undefined && hash !== undefined && hash !== state.head?.hash;
  if (moved) change.head = { number, hash };
  if (event !== 'beat') {
    const detail = field(news, 'detail');
    const deed: Deed = {
      id: nextDeed++,
      event,
      chainTime: chainTime ?? 0,
      block: number ?? state.head?.number ?? 0,
      detail: isFields(detail) ? detail : {},
    };
    change.deeds = [deed, ...state.deeds].slice(0, DEEDS_KEPT);
  }
  if (Object.keys(change).length > 0) publish(change);
  if (UPHEAVALS.has(event)) {
    upset(event);
    // Restarting and loading drop every subscription.
    if (event === 'restart' || event === 'load') void subscribe();
  } else if (event !== 'beat' || moved || (pending !== undefined && pending !== before)) stir();
}

const socket = new Socket({
  opened() {
    isOpen = true;
    openedAt = Date.now();
    void subscribe();
  },
  closed() {
    if (isOpen) headBeforeGap = state.head?.hash;
    isOpen = false;
    look();
  },
  heard() {
    const heardAt = Date.now();
    const { connection } = state;
    state = { ...state, heardAt };
    if (connection !== 'live' && connection !== 'catching-up') look();
  },
  notified(method, result) {
    if (method.endsWith('_subscriptionNewHeads')) takeHead(result);
    else if (method.endsWith('_subscriptionReorg')) upset('reorg');
    else if (method.endsWith('_subscriptionSandbox')) takeSandbox(result);
    else stir();
  },
});

async function subscribe(): Promise<void> {
  publish({ connection: 'catching-up' });
  const finality_status = ['PRE_CONFIRMED', 'ACCEPTED_ON_L2'];
  const [, , sandbox] = await Promise.all([
    socket.request('starknet_subscribeNewHeads'),
    socket.request('starknet_subscribeNewTransactionReceipts', { finality_status }),
    socket.request('devnet_subscribeSandbox'),
    refresh(),
  ]);
  hasBeat ||= sandbox?.result !== undefined;
  const before = headBeforeGap;
  headBeforeGap = undefined;
  if (before !== undefined) await compare(before);
  look();
}

/** Whether the chain that we knew is still there after a gap. */
async function compare(before: string): Promise<void> {
  const answer = await socket.request('starknet_getBlockWithTxHashes', {
    block_id: { block_hash: before },
  });
  if (answer?.error) upset('away');
  else stir();
}

async function refresh(): Promise<void> {
  const [block, next, status] = await Promise.all([
    socket.request('starknet_getBlockWithTxHashes', { block_id: 'latest' }),
    socket.request('starknet_getBlockWithTxHashes', { block_id: 'pre_confirmed' }),
    socket.request('devnet_getStatus'),
  ]);
  takeHead(block?.result);
  // The block being built has the time that it would get if it were sealed now.
  const timestamp = numberIn(next?.result, 'timestamp');
  if (timestamp !== undefined) publish({ offset: timestamp - Math.floor(Date.now() / 1000) });
  const pending = numberIn(status?.result, 'pre_confirmed_tx_count');
  if (pending !== undefined && pending !== state.pending) {
    publish({ pending });
    stir();
  }
}

/** What the connection is, by what it did last. */
function look(): void {
  const silence = Date.now() - state.heardAt;
  const connection: Connection =
    isOpen && silence < FRESH ? 'live' : silence < PATIENCE ? 'reconnecting' : 'unreachable';
  if (isOpen && silence > PATIENCE && Date.now() - openedAt > PATIENCE) socket.drop();
  if (connection !== state.connection || connection === 'reconnecting') publish({ connection });
}

let started = false;

/** Opens the socket; once for a page. */
export function startLive(): void {
  if (started) return;
  started = true;
  socket.open();
  setInterval(look, 500);
  setInterval(() => {
    if (isOpen && !hasBeat && !document.hidden) void refresh();
  }, POLL);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && changedAtAll) stir();
  });
}

export function onLive(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function liveNow(): Live {
  return state;
}

/** Renders again only when the part that is looked at changes. */
export function useLive<T>(select: (live: Live) => T): T {
  return useSyncExternalStore(onLive, () => select(state));
}

/** The chain's time now, in seconds. */
export function chainNow(): number {
  return Math.floor(Date.now() / 1000) + state.offset;
}

/** Writing needs a node that listens. */
export function canWrite(connection: Connection): boolean {
  return connection === 'live' || connection === 'catching-up';
}
