// Notifications of changes of the chain: their order and their texts.
import type { REORG_DATA, TXN_STATUS } from '@starkbox/spec';
import type { Header } from '../../chain/history/header.js';
import { readReceipt, readTransaction } from '../../chain/history/stored-texts.js';
import { inMempool, type QueuedTransaction } from '../../chain/mempool/mempool.js';
import { eventsOf, type FoundEvent, pendingEventsOf } from '../../chain/queries/find-events.js';
import { changedInMempool, diffWorlds } from '../../chain/world/diff.js';
import { pendingNumber } from '../../chain/world/find-block.js';
import {
  findTransaction,
  type Located,
  transactionsOf,
  type World,
} from '../../chain/world/world.js';
import type { Change } from '../../chain/writer.js';
import type { OriginEvent } from '../../fork/fork.js';
import { stringify } from '../../json/json.js';
import {
  poolStatus,
  wireHeader,
  wireReceiptWithBlock,
  wireStatus,
  wireTransaction,
} from '../wire-format.js';
import type { Notification, Subscriptions } from './subscriptions.js';

/** Tells subscribers of a change that just happened, as soon as that keeps no call waiting. */
export function announceSoon(subscriptions: Subscriptions, change: Change): void {
  if (change.kind === 'restart' || change.kind === 'load') {
    subscriptions.catchUp();
    subscriptions.clear();
  } else if (!subscriptions.isEmpty) {
    subscriptions.later(() => announce(subscriptions, change));
  }
}

/** Tells subscribers of a change. Without subscribers nothing is looked at. */
export function announce(subscriptions: Subscriptions, { kind, before, after }: Change): void {
  if (subscriptions.isEmpty) return;
  const { undone, refinalised, added, pendingFrom, dropped } = diffWorlds(before, after);

  if (undone) subscriptions.notifyReorg(reorgText(undone.first, undone.last));
  else subscriptions.notifyReorgOf(droppedNotification(subscriptions, before, dropped));
  notifyMempool(subscriptions, before, after);
  for (let block = refinalised.from; block <= refinalised.to; block += 1) {
    for (const hash of after.history.hashes(block)) notifyStatus(subscriptions, after, hash);
  }
  const isStep = kind === 'step';
  // A block that a step both closes and accepts on L1 is accepted on L2 first, as on the network.
  const closedWorld = isStep ? { ...after, acceptedOnL1: undefined } : after;
  for (let block = added.from; block <= added.to; block += 1) {
    notifyBlock(subscriptions, closedWorld, block);
  }
  const lastAccepted = isStep ? Math.min(after.acceptedOnL1 ?? -1, added.to) : -1;
  for (let block = added.from; block <= lastAccepted; block += 1) {
    for (const hash of after.history.hashes(block)) notifyStatus(subscriptions, after, hash);
  }
  for (const { record } of after.pending.transactions.slice(isStep ? pendingFrom : 0)) {
    const { hash } = record;
    if (isStep) notifyCandidate(subscriptions, before, hash);
    // A transaction that a revert restores may have been pending before, with another status.
    if (isStep || statusText(before, hash) !== statusText(after, hash)) {
      notifyStatus(subscriptions, after, hash);
    }
    // With blocks that are gone, the whole pending block is gone for subscribers.
    const isRestored = undone !== undefined || !before.pending.positions.has(hash);
    if (isStep || isRestored) notifyPending(subscriptions, after, hash);
  }
}

/** Tells of transactions that came to the mempool, and of those that were selected there. */
function notifyMempool(subscriptions: Subscriptions, before: World, after: World): void {
  if (before.mempool === after.mempool || !subscriptions.wantsTransactions) return;
  for (const { one: pooled, isNew } of changedInMempool(before.mempool, after.mempool)) {
    const received = { ...pooled, position: undefined };
    if (isNew) notifyPool(subscriptions, received);
    if (pooled.position !== undefined) notifyPool(subscriptions, pooled);
    else if (!isNew) subscriptions.notify(poolStatusNotification(received));
  }
}

/** Tells that a transaction was selected in the change that also executed it. */
function notifyCandidate(subscriptions: Subscriptions, before: World, hash: string): void {
  const pooled = inMempool(before.mempool, hash);
  if (pooled && pooled.position === undefined)
    notifyPool(subscriptions, { ...pooled, position: 0 });
}

function notifyPool(subscriptions: Subscriptions, pooled: QueuedTransaction): void {
  subscriptions.notify(poolStatusNotification(pooled));
  subscriptions.notify(
    shownTransactionNotification(pooled, poolStatus(pooled), () => pooled.sender),
  );
}

function notifyBlock(subscriptions: Subscriptions, world: World, block: number): void {
  const header = world.history.header(block);
  if (!header) return;
  subscriptions.notify(headNotification(header));
  if (header.transactionCount === 0 || !subscriptions.wantsTransactions) return;
  for (const [index, record] of transactionsOf(world, block).entries()) {
    const located = { record, block, index };
    subscriptions.notify(transactionNotification(world, located));
    subscriptions.notify(statusNotification(world, located));
    subscriptions.notify(receiptNotification(world, located));
  }
  if (!subscriptions.has('events')) return;
  for (const event of eventsOf(world, block)) subscriptions.notify(eventNotification(world, event));
}

const PENDING_TOPICS = ['transactions', 'receipts', 'events'] as const;

/** Tells of a transaction in the pending block, but not of its status. */
function notifyPending(subscriptions: Subscriptions, world: World, hash: string): void {
  if (!PENDING_TOPICS.some((topic) => subscriptions.has(topic))) return;
  const located = findTransaction(world, hash);
  if (!located) return;
  subscriptions.notify(transactionNotification(world, located));
  subscriptions.notify(receiptNotification(world, located));
  if (!subscriptions.has('events')) return;
  for (const event of pendingEventsOf(world, located.index)) {
    subscriptions.notify(eventNotification(world, event));
  }
}

/**
 * The notifications of transactions that are no longer pending, each with the text of a reorg. The block
 * under construction has a number but no hash, and the standard's form requires one: it is zero.
 */
function* droppedNotification(
  subscriptions: Subscriptions,
  world: World,
  dropped: readonly Located[],
): Iterable<Notification> {
  const number = pendingNumber(world);
  const text = once(() => stringify(reorgOf({ number, hash: '0x0' }, { number, hash: '0x0' })));
  for (const located of dropped) {
    yield { ...statusNotification(world, located), text };
    yield { ...transactionNotification(world, located), text };
    yield { ...receiptNotification(world, located), text };
    if (!subscriptions.has('events')) continue;
    for (const event of pendingEventsOf(world, located.index)) {
      yield { ...eventNotification(world, event), text };
    }
  }
}

function notifyStatus(subscriptions: Subscriptions, world: World, hash: string): void {
  if (!subscriptions.has(`status ${hash}`)) return;
  const located = findTransaction(world, hash);
  if (located) subscriptions.notify(statusNotification(world, located));
}

/** How many texts of notifications were written in this process: none without a subscriber. */
export const figures: { textsWritten: number } = { textsWritten: 0 };

/** Writes a text when it is first asked for, and once. */
function once(write: () => string): () => string {
  return remembered(() => {
    figures.textsWritten += 1;
    return write();
  });
}

function remembered(find: () => string): () => string {
  let text: string | undefined;
  return () => {
    text ??= find();
    return text;
  };
}

/** The header of a block below a fork, as the origin shows it. */
export function pastHeadNotification(header: object): Notification {
  return { topic: 'heads', text: once(() => stringify(header)) };
}

export function headNotification(header: Header): Notification {
  return { topic: 'heads', text: once(() => stringify(wireHeader(header))) };
}

export function statusNotification(world: World, located: Located): Notification {
  const { hash } = located.record;
  return {
    topic: 'status',
    hash,
    text: once(() => stringify({ transaction_hash: hash, status: wireStatus(world, located) })),
  };
}

export function poolStatusNotification(pooled: QueuedTransaction): Notification {
  const status = { finality_status: poolStatus(pooled) };
  return {
    topic: 'status',
    hash: pooled.hash,
    text: once(() => stringify({ transaction_hash: pooled.hash, status })),
  };
}

function statusText(world: World, hash: string): string | undefined {
  const located = findTransaction(world, hash);
  return located && stringify(wireStatus(world, located));
}

function transactionNotification(world: World, located: Located): Notification {
  const { record, block } = located;
  return shownTransactionNotification(
    record,
    notificationFinality(world, block),
    senderOf(located),
  );
}

function shownTransactionNotification(
  record: Parameters<typeof wireTransaction>[0],
  finality_status: TXN_STATUS,
  sender: () => string,
): Notification {
  const write = (proofFacts: boolean): string =>
    stringify(
      wireTransaction(record, proofFacts && record.proofFacts ? ['INCLUDE_PROOF_FACTS'] : [], {
        hash: true,
        finality_status,
      }),
    );
  const [plain, proven] = [once(() => write(false)), once(() => write(true))];
  return {
    topic: 'transactions',
    finality: finality_status,
    sender,
    text: (proofFacts) => (proofFacts ? proven() : plain()),
  };
}

function receiptNotification(world: World, located: Located): Notification {
  return {
    topic: 'receipts',
    finality: notificationFinality(world, located.block),
    sender: senderOf(located),
    text: once(() => stringify(wireReceiptWithBlock(world, located))),
  };
}

/** A block that is new to a subscriber is shown as accepted on L2, even if a revert brings it back as accepted on L1. */
function notificationFinality(world: World, block: number): 'PRE_CONFIRMED' | 'ACCEPTED_ON_L2' {
  return block === pendingNumber(world) ? 'PRE_CONFIRMED' : 'ACCEPTED_ON_L2';
}

/** The account that sent it or came to be by it, or the contract that a message from L1 went to. */
function senderOf({ record }: Located): () => string {
  return remembered(() => {
    const transaction = readTransaction(record.transaction);
    switch (transaction.type) {
      case 'L1_HANDLER':
        return transaction.contract_address;
      case 'DEPLOY_ACCOUNT':
        return readReceipt(record.receipt).contract_address ?? '0x0';
      default:
        return transaction.sender_address;
    }
  });
}

/** @param as the finality that is shown, where it is not the real one */
export function eventNotification(world: World, event: FoundEvent, as?: string): Notification {
  const { block, ...rest } = event;
  const real = notificationFinality(world, block?.number ?? pendingNumber(world));
  return {
    topic: 'events',
    finality: as ?? real,
    event,
    text: once(() =>
      stringify({
        ...rest,
        block_hash: block?.hash,
        block_number: block?.number,
        finality_status: as ?? real,
      }),
    ),
  };
}

/** An event from below a fork. */
export function pastEventNotification(event: OriginEvent, finality: string): Notification {
  const { from_address, keys } = event;
  return {
    topic: 'events',
    finality,
    event: {
      from_address: String(from_address),
      keys: Array.isArray(keys) ? keys.map(String) : [],
    },
    text: once(() => stringify({ ...event, finality_status: finality })),
  };
}

function reorgText(first: Header, last: Header): string {
  figures.textsWritten += 1;
  return stringify(reorgOf(first, last));
}

type BlockReference = Pick<Header, 'number' | 'hash'>;

function reorgOf(first: BlockReference, last: BlockReference): REORG_DATA {
  return {
    starting_block_hash: first.hash,
    starting_block_number: first.number,
    ending_block_hash: last.hash,
    ending_block_number: last.number,
  };
}
