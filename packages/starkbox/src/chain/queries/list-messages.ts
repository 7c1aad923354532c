// Lists of messages between L1 and L2, with their states.
import { padFelt } from '@starkbox/abi/basics';
import { messageToL1Hash } from '@starkbox/engine';
import type { MESSAGE_ROW } from '@starkbox/spec';
import { holds, isReverted, SENDS, sendsMessages, typeOf } from '../history/block-keys.js';
import type { TransactionRecord } from '../history/header.js';
import { readReceipt, readTransaction } from '../history/stored-texts.js';
import { pendingNumber } from '../world/find-block.js';
import type { Messages } from '../world/messages.js';
import {
  nextTime,
  transactionAt,
  transactionHashesOf,
  transactionsOf,
  type World,
} from '../world/world.js';
import type { PageRequest } from './list-contracts.js';
import { type Page, readPage } from './page.js';

const MAX_REASON_LENGTH = 300;

/** Messages newest first, in one direction or in both; a transaction may send several. */
export function listMessages(
  world: World,
  direction: MESSAGE_ROW['direction'] | undefined,
  request: PageRequest,
): Promise<Page<MESSAGE_ROW>> {
  const handlers = direction === 'TO_L1' ? [] : [holds('L1_HANDLER')];
  const senders = direction === 'TO_L2' ? [] : [SENDS];
  return readPage({
    world,
    from: pendingNumber(world),
    ...request,
    blockKeys: [[...handlers, ...senders]],
    rowsIn: (block) => {
      const toL1 = direction === 'TO_L2' ? [] : sentIn(world, block);
      if (direction === 'TO_L1') return toL1.map((row) => () => row);
      let next = 0;
      return transactionHashesOf(world, block).flatMap((hash, index) => {
        const first = next;
        while (toL1[next]?.transaction_hash === hash) next += 1;
        const rows = toL1.slice(first, next).map((row) => () => row);
        return [() => handledAt(world, block, index), ...rows];
      });
    },
  });
}

function handledAt(world: World, block: number, index: number): MESSAGE_ROW | undefined {
  const record = transactionAt(world, block, index);
  const isHandler = record && typeOf(record.transaction) === 'L1_HANDLER';
  return isHandler ? handledMessage(world, record, block, index) : undefined;
}

function handledMessage(
  world: World,
  { hash, transaction, receipt: text }: TransactionRecord,
  block: number,
  index: number,
): MESSAGE_ROW | undefined {
  const handler = readTransaction(transaction);
  if (handler.type !== 'L1_HANDLER') return undefined;
  const { message_hash = '0x0', revert_reason: reason } = readReceipt(text);
  const [from = '0x0', ...payload] = handler.calldata;
  const { l1_transaction_hash: l1Hash } = handler;
  return {
    direction: 'TO_L2',
    message_hash: padFelt(message_hash),
    state: isReverted(text) ? 'REVERTED' : 'HANDLED',
    from_address: from,
    to_address: handler.contract_address,
    payload,
    selector: handler.entry_point_selector,
    nonce: handler.nonce,
    ...(l1Hash ? { l1_transaction_hash: l1Hash } : {}),
    transaction_hash: hash,
    block_number: block,
    index,
    timestamp: timeOf(world, block),
    ...(reason === undefined ? {} : { revert_reason: reason.slice(-MAX_REASON_LENGTH) }),
  };
}

function sentIn(world: World, block: number): readonly MESSAGE_ROW[] {
  const rows: MESSAGE_ROW[] = [];
  const timestamp = timeOf(world, block);
  const isPending = block === pendingNumber(world);
  const undelivered = isPending ? new Map<string, number>() : undeliveredIn(world.messages, block);
  const senders = transactionsOf(world, block).filter(({ receipt }) => sendsMessages(receipt));
  for (const { hash, receipt } of senders) {
    const { messages_sent } = readReceipt(receipt);
    for (const { from_address, to_address, payload } of messages_sent) {
      const message_hash = messageToL1Hash({ from_address, to_address, payload });
      rows.push({
        direction: 'TO_L1',
        message_hash,
        state: isPending ? 'PENDING' : 'SENT',
        from_address,
        to_address,
        payload,
        transaction_hash: hash,
        block_number: block,
        index: rows.length,
        timestamp,
      });
    }
  }
  if (isPending) return rows;
  // Messages are delivered in order, so of equal ones in a block the last are undelivered.
  return rows
    .reverse()
    .map((row): MESSAGE_ROW => {
      const { message_hash } = row;
      const remaining = undelivered.get(message_hash) ?? 0;
      if (remaining > 0) undelivered.set(message_hash, remaining - 1);
      if (!world.messages.consumable.has(message_hash)) return { ...row, state: 'CONSUMED' };
      return { ...row, state: remaining > 0 ? 'SENT' : 'DELIVERED' };
    })
    .reverse();
}

/** The number of undelivered messages of a block, by hash. */
function undeliveredIn({ outgoing }: Messages, block: number): Map<string, number> {
  const counts = new Map<string, number>();
  // Binary search: outgoing messages are sorted by block.
  let [low, high] = [0, outgoing.size];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((outgoing.get(middle)?.block ?? 0) < block) low = middle + 1;
    else high = middle;
  }
  for (let at = low; ; at += 1) {
    const entry = outgoing.get(at);
    if (entry?.block !== block) return counts;
    const hash = messageToL1Hash(entry.message);
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
}

function timeOf(world: World, block: number): number {
  return world.history.header(block)?.timestamp ?? nextTime(world);
}
