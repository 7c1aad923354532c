// A chain as it follows from notifications alone, and the notifications that must not come.
import type {
  EMITTED_EVENT,
  NEW_EVENT,
  NEW_TXN,
  NEW_TXN_STATUS,
  REORG_DATA,
  TXN_RECEIPT_WITH_BLOCK_INFO,
  TXN_STATUS_RESULT,
} from '../../src/spec.js';
import { agree } from '../model/agreement.js';
import { Heads } from './heads.js';

export const WAITING = 'PRE_CONFIRMED';

export interface Told {
  readonly hash: string;
  readonly body: object;
}

/** A block's transactions, or those that wait for one; each kind in the order it was told. */
export interface Contents {
  transactions: readonly Told[];
  receipts: readonly Told[];
  events: readonly EMITTED_EVENT[];
}

export const nothing = (): Contents => ({ transactions: [], receipts: [], events: [] });

export class Replica {
  readonly heads = new Heads();
  /** By the number of their block. */
  readonly blocks: Contents[] = [];
  waiting: Contents = nothing();
  /** Of transactions that are part of the chain, as far as it is known. */
  readonly statuses = new Map<string, TXN_STATUS_RESULT>();

  head(header: Parameters<Heads['add']>[0]): void {
    this.heads.add(header);
    this.blocks.push(nothing());
  }

  transaction({ finality_status, transaction_hash: hash, ...body }: NEW_TXN): void {
    const isWaiting = finality_status === WAITING;
    const place = this.#place(isWaiting);
    mustBeNew(place.transactions, hash, 'transaction');
    place.transactions = [...place.transactions, { hash, body }];
    if (!isWaiting) this.#waitsNoMore(hash);
  }

  receipt({ block_hash, block_number, ...body }: TXN_RECEIPT_WITH_BLOCK_INFO): void {
    const { transaction_hash: hash, finality_status } = body;
    const isWaiting = finality_status === WAITING;
    const place = this.#place(isWaiting);
    const { list } = this.heads;
    const wanted = isWaiting
      ? [list.length, undefined]
      : [list.length - 1, list.at(-1)?.block_hash];
    agree([block_number, block_hash], wanted, `the block of the receipt of ${hash}`);
    mustBeNew(place.receipts, hash, 'receipt');
    place.receipts = [...place.receipts, { hash, body }];
  }

  status({ transaction_hash: hash, status }: NEW_TXN_STATUS): void {
    const { finality_status, execution_status } = this.statuses.get(hash) ?? {};
    const isOld =
      finality_status === status.finality_status && execution_status === status.execution_status;
    if (isOld) throw new Error(`the status ${finality_status} of ${hash} was told twice`);
    this.statuses.set(hash, status);
  }

  event({ finality_status, ...event }: NEW_EVENT): void {
    const isWaiting = finality_status === WAITING;
    const { block_number, transaction_hash: hash, event_index } = event;
    const place = isWaiting ? this.waiting : this.blocks[block_number ?? -1];
    if (!place || isWaiting !== (block_number === undefined)) {
      throw new Error(`an event that is ${finality_status} was told of block ${block_number}`);
    }
    const isSame = (other: EMITTED_EVENT): boolean =>
      other.transaction_hash === hash && other.event_index === event_index;
    if (place.events.some(isSame))
      throw new Error(`event ${event_index} of ${hash} was told twice`);
    place.events = [...place.events, event];
  }

  undo(reorg: REORG_DATA): void {
    this.heads.undo(reorg);
    for (const { transactions } of this.blocks.splice(reorg.starting_block_number)) {
      for (const { hash } of transactions) this.statuses.delete(hash);
    }
  }

  #place(isWaiting: boolean): Contents {
    const place = isWaiting ? this.waiting : this.blocks.at(-1);
    if (!place) throw new Error('something was told of a block before any block');
    return place;
  }

  #waitsNoMore(hash: string): void {
    const others = (told: readonly Told[]): readonly Told[] =>
      told.filter((one) => one.hash !== hash);
    const { transactions, receipts, events } = this.waiting;
    this.waiting = {
      transactions: others(transactions),
      receipts: others(receipts),
      events: events.filter(({ transaction_hash }) => transaction_hash !== hash),
    };
  }
}

function mustBeNew(told: readonly Told[], hash: string, what: string): void {
  if (told.some((one) => one.hash === hash)) throw new Error(`${what} ${hash} was told twice`);
}
