// Subscriptions of the main socket, and their effect on the live state.

import { membersOf } from '@starkbox/abi/basics';
import { runTask } from '../state/tasks.js';
import { tokenRejected } from './auth-token.js';
import { call } from './client.js';
import {
  type Connection,
  change,
  collect,
  count,
  type Fork,
  type Live,
  liveNow,
  noteChange,
  notePastChange,
  type Operation,
  publish,
  show,
  wake,
} from './live-state.js';
import { Socket } from './socket.js';

const FRESH = 5_000;
const UNREACHABLE_MILLISECONDS = 10_000;
const OPERATIONS_KEPT = 200;
const POLL = 2_000;
const PAST_CHANGES = new Set(['revert', 'restart', 'load', 'abort', 'state']);

let isOpen = false;
let openedAt = 0;
let hasBeat = false;
let nextOperation = 1;
let headBeforeGap: string | undefined;

const numberIn = (value: unknown, name: string): number | undefined => {
  const member = membersOf(value)[name];
  return typeof member === 'number' ? member : undefined;
};
const textIn = (value: unknown, name: string): string | undefined => {
  const member = membersOf(value)[name];
  return typeof member === 'string' ? member : undefined;
};

function applyHead(header: unknown): void {
  const number = numberIn(header, 'block_number');
  const hash = textIn(header, 'block_hash');
  if (number === undefined || hash === undefined) return;
  const price = textIn(membersOf(header)['l2_gas_price'], 'price_in_fri');
  const changes: { -readonly [K in keyof Live]?: Live[K] } = { head: { number, hash } };
  if (price !== undefined) changes.price = BigInt(price);
  // The first one is awaited.
  const head = liveNow().head;
  if (head === undefined) publish(changes);
  else {
    collect(changes);
    if (head.hash !== hash) noteChange();
  }
}

function applySandbox(notification: unknown): void {
  hasBeat = true;
  const event = textIn(notification, 'event') ?? 'beat';
  const chainTime = numberIn(notification, 'chain_time');
  const pending = numberIn(notification, 'pending');
  const head = membersOf(notification)['head'];
  const before = liveNow().pending;
  const update: { -readonly [K in keyof Live]?: Live[K] } = {};
  if (chainTime !== undefined) {
    // The clocks are read at different times; a difference of one second is ignored.
    const offset = chainTime - Math.floor(Date.now() / 1000);
    if (Math.abs(offset - liveNow().offset) > 1) update.offset = offset;
  }
  if (pending !== undefined && pending !== before) update.pending = pending;
  const instances = numberIn(notification, 'instances');
  if (instances !== undefined && instances !== liveNow().instances) update.instances = instances;
  const number = numberIn(head, 'block_number');
  const hash = textIn(head, 'block_hash');
  const isKnown = liveNow().head !== undefined;
  const moved = number !== undefined && hash !== undefined && hash !== liveNow().head?.hash;
  if (moved) update.head = { number, hash };
  // A mempool changes as often as transactions come, so it is no operation.
  if (event !== 'beat' && event !== 'mempool') {
    const operation: Operation = {
      id: nextOperation++,
      event,
      chainTime: chainTime ?? 0,
      block: number ?? liveNow().head?.number ?? 0,
      detail: membersOf(membersOf(notification)['detail']),
    };
    update.operations = [operation, ...liveNow().operations].slice(0, OPERATIONS_KEPT);
  }
  if (Object.keys(update).length > 0) collect(update);
  if (PAST_CHANGES.has(event)) {
    notePastChange(event);
    // Restart and load end all subscriptions except this one.
    if (event === 'restart' || event === 'load') runTask(subscribe(true));
    return;
  }
  // The first epoch is the start, not a change.
  if (!isKnown && event === 'beat') show();
  else if (event !== 'beat' || moved || (pending !== undefined && pending !== before)) noteChange();
}

const socket = new Socket({
  opened() {
    isOpen = true;
    openedAt = Date.now();
    runTask(subscribe());
  },
  closed() {
    if (isOpen) headBeforeGap = liveNow().head?.hash;
    isOpen = false;
    updateConnection();
  },
  refused() {
    // A plain HTTP request reveals whether a token or the instance is missing.
    call('starknet_blockNumber').catch(() => {});
  },
  received() {
    const receivedAt = Date.now();
    const { connection } = liveNow();
    change({ receivedAt });
    if (connection !== 'live' && connection !== 'catching-up') updateConnection();
  },
  notified(method, result) {
    if (method.endsWith('_subscriptionNewHeads')) {
      count('head');
      applyHead(result);
    } else if (method.endsWith('_subscriptionReorg')) notePastChange('reorg');
    else if (method.endsWith('_subscriptionSandbox')) applySandbox(result);
    else {
      // A transaction is notified once per status.
      count(textIn(result, 'finality_status') ?? method);
      noteChange();
    }
  },
});

async function subscribe(hasSandbox = false): Promise<void> {
  publish({ connection: 'catching-up' });
  const finality_status = ['PRE_CONFIRMED', 'ACCEPTED_ON_L2'];
  const [, , sandbox] = await Promise.all([
    socket.request('starknet_subscribeNewHeads'),
    socket.request('starknet_subscribeNewTransactionReceipts', { finality_status }),
    hasSandbox ? undefined : socket.request('devnet_subscribeSandbox'),
    refresh(),
  ]);
  hasBeat ||= sandbox?.result !== undefined;
  const before = headBeforeGap;
  headBeforeGap = undefined;
  if (before !== undefined) await compare(before);
  updateConnection();
}

/** Whether the known head still exists after a reconnect. */
async function compare(before: string): Promise<void> {
  const answer = await socket.request('starknet_getBlockWithTxHashes', {
    block_id: { block_hash: before },
  });
  if (answer?.error) notePastChange('away');
  else noteChange();
}

let forkIsKnown: () => void;
const forkKnown = new Promise<void>((resolve) => {
  forkIsKnown = resolve;
});

function applyFork(status: unknown): void {
  const block = numberIn(membersOf(status)['fork_config'], 'block');
  const chain = textIn(status, 'chain_id');
  const fork = block === undefined || chain === undefined ? undefined : { chain, block };
  if (fork?.block !== liveNow().fork?.block || fork?.chain !== liveNow().fork?.chain)
    publish({ fork });
  forkIsKnown();
}

/** The origin of a fork, once the node has answered. */
export async function whatIsForked(): Promise<Fork | undefined> {
  await forkKnown;
  return liveNow().fork;
}

async function refresh(): Promise<void> {
  const [block, next, status] = await Promise.all([
    socket.request('starknet_getBlockWithTxHashes', { block_id: 'latest' }),
    socket.request('starknet_getBlockWithTxHashes', { block_id: 'pre_confirmed' }),
    socket.request('devnet_getStatus'),
  ]);
  applyHead(block?.result);
  // The pre-confirmed block has the time that it would get if it were closed now.
  const timestamp = numberIn(next?.result, 'timestamp');
  if (timestamp !== undefined) publish({ offset: timestamp - Math.floor(Date.now() / 1000) });
  applyFork(status?.result);
  const pending = numberIn(status?.result, 'pre_confirmed_tx_count');
  if (pending !== undefined && pending !== liveNow().pending) {
    publish({ pending });
    noteChange();
  }
}

/**
 * The head, read in the same request as the first page. Changes up to the first subscription are found by
 * comparison.
 */
export async function readFirstHead(): Promise<void> {
  runTask(call('devnet_getStatus').then(applyFork, () => forkIsKnown()));
  try {
    const { block_number: number, block_hash: hash } = await call('starknet_blockHashAndNumber');
    const head = liveNow().head;
    if (head === undefined) publish({ head: { number, hash } });
    else if (head.hash !== hash) noteChange();
  } catch {
    // The connection state shows the error.
  }
}

/** Connection state, from the last event. */
function updateConnection(): void {
  if (liveNow().connection === 'gone') return;
  const silence = Date.now() - liveNow().receivedAt;
  const connection: Connection = tokenRejected.get()
    ? 'locked'
    : isOpen && silence < FRESH
      ? 'live'
      : silence < UNREACHABLE_MILLISECONDS
        ? 'reconnecting'
        : 'unreachable';
  if (
    isOpen &&
    silence > UNREACHABLE_MILLISECONDS &&
    Date.now() - openedAt > UNREACHABLE_MILLISECONDS
  )
    socket.drop();
  if (connection !== liveNow().connection || connection === 'reconnecting') publish({ connection });
}

let started = false;

/** Opens the socket, once per page load. */
export function startLive(): void {
  if (started) return;
  started = true;
  socket.open();
  tokenRejected.subscribe(() => {
    if (!tokenRejected.get()) socket.open();
    updateConnection();
  });
  setInterval(updateConnection, 500);
  setInterval(() => {
    if (isOpen && !hasBeat && !document.hidden) runTask(refresh());
  }, POLL);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) wake();
  });
}
