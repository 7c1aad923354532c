// A chain as it follows from notifications alone, and the notifications that must not come.
import type {
  EMITTED_EVENT,
  NEW_EVENT,
  NEW_TXN,
  NEW_TXN_STATUS,
  REORG_DATA,
  TXN_RECEIPT_WITH_BLOCK_INFO,
  TXN_STATUS_RESULT,
} from '@starkbox/spec';
import { agree } from '@starkbox/test-support/model/agreement';
import { Heads } from './heads.js';

export const WAITING = 'PRE_CONFIRMED';

export interface Notified {
  readonly hash: string;
  readonly body: object;
}

/** Contents of a block or of the pending block, each kind in the order of notification. */
export interface Contents {
  transactions: readonly Notified[];
  receipts: readonly Notified[];
  events: readonly EMITTED_EVENT[];
}

export const nothing = (): Contents => ({ transactions: [], receipts: [], events: [] });

export class Replica {
  readonly heads = new Heads();
  /** By the number of their block. */
  readonly blocks: Contents[] = [];
  waiting: Contents = nothing();
  /** Statuses of the transactions of the chain, by hash. */
  readonly statuses = new Map<string, TXN_STATUS_RESULT>();

  head(header: Parameters<Heads['add']>[0]): void {
    this.heads.add(header);
    this.blocks.push(nothing());
  }

  transaction({ finality_status, transaction_hash: hash, ...body }: NEW_TXN): void {
    const isWaiting = finality_status === WAITING;
    const contents = this.#contentsOf(isWaiting);
    mustBeNew(contents.transactions, hash, 'transaction');
    contents.transactions = [...contents.transactions, { hash, body }];
    if (!isWaiting) this.#removePending(hash);
  }

  receipt({ block_hash, block_number, ...body }: TXN_RECEIPT_WITH_BLOCK_INFO): void {
    const { transaction_hash: hash, finality_status } = body;
    const isWaiting = finality_status === WAITING;
    const contents = this.#contentsOf(isWaiting);
    const { list } = this.heads;
    const expectedBlock = isWaiting
      ? [list.length, undefined]
      : [list.length - 1, list.at(-1)?.block_hash];
    agree([block_number, block_hash], expectedBlock, `the block of the receipt of ${hash}`);
    mustBeNew(contents.receipts, hash, 'receipt');
    contents.receipts = [...contents.receipts, { hash, body }];
  }

  status({ transaction_hash: hash, status }: NEW_TXN_STATUS): void {
    const { finality_status, execution_status } = this.statuses.get(hash) ?? {};
    const isOld =
      finality_status === status.finality_status && execution_status === status.execution_status;
    if (isOld) throw new Error(`the status ${finality_status} of ${hash} was notified twice`);
    this.statuses.set(hash, status);
  }

  event({ finality_status, ...event }: NEW_EVENT): void {
    const isWaiting = finality_status === WAITING;
    const { block_number, transaction_hash: hash, event_index } = event;
    const contents = isWaiting ? this.waiting : this.blocks[block_number ?? -1];
    if (!contents || isWaiting !== (block_number === undefined)) {
      throw new Error(`an event that is ${finality_status} was notified of block ${block_number}`);
    }
    const isSame = (other: EMITTED_EVENT): boolean =>
      other.transaction_hash === hash && other.event_index === event_index;
    if (contents.events.some(isSame))
      throw new Error(`event ${event_index} of ${hash} was notified twice`);
    contents.events = [...contents.events, event];
  }

  undo(reorg: REORG_DATA): void {
    this.heads.undo(reorg);
    for (const { transactions } of this.blocks.splice(reorg.starting_block_number)) {
      for (const { hash } of transactions) this.statuses.delete(hash);
    }
    this.waiting = nothing();
  }

  #contentsOf(isWaiting: boolean): Contents {
    const contents = isWaiting ? this.waiting : this.blocks.at(-1);
    if (!contents) throw new Error('a notification about a block came before any block');
    return contents;
  }

  #removePending(hash: string): void {
    const others = (notified: readonly Notified[]): readonly Notified[] =>
      notified.filter((notification) => notification.hash !== hash);
    const { transactions, receipts, events } = this.waiting;
    this.waiting = {
      transactions: others(transactions),
      receipts: others(receipts),
      events: events.filter(({ transaction_hash }) => transaction_hash !== hash),
    };
  }
}

function mustBeNew(notified: readonly Notified[], hash: string, what: string): void {
  if (notified.some((notification) => notification.hash === hash))
    throw new Error(`${what} ${hash} was notified twice`);
}
