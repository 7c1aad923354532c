// A subscriber over a socket: its subscriptions, and how it starts again.

import type { EMITTED_EVENT } from '@starkbox/spec';
import { connectSocket, type Socket, type SubscribeMethod } from '@starkbox/test-support';
import { agreeExactly } from '@starkbox/test-support/model/agreement';
import type { ChainReader } from './chain-reader.js';
import { asNamed, type NamedNotification } from './notifications.js';
import { Replica, WAITING } from './replica.js';

const FROM_THE_FIRST = { block_id: { block_number: 0 } };
const ACCEPTED = 'ACCEPTED_ON_L2';
const BOTH = { finality_status: [WAITING, ACCEPTED] };

/** A subscriber to everything, which must receive each notification once. */
export class Follower {
  readonly #socket: Socket;
  readonly #chain: ChainReader;
  #replica = new Replica();
  readonly #subscriptions = new Set<string>();
  /** Transactions whose status is followed. */
  readonly #watched = new Set<string>();
  /** The subscription to pre-confirmed events, and the past events that it received. */
  #early = '';
  #past: EMITTED_EVENT[] | undefined;
  /** The current reorg, and the subscriptions that have not received it. */
  #reorg: { readonly text: string; readonly unnotified: Set<string> } | undefined;
  /** Whether a reorg was received since the chain was last read. */
  #isSomethingGone = false;

  constructor(socket: Socket, chain: ChainReader) {
    this.#socket = socket;
    this.#chain = chain;
  }

  static async connect(url: string, chain: ChainReader): Promise<Follower> {
    return new Follower(await connectSocket(url), chain);
  }

  close(): Promise<void> {
    return this.#socket.close();
  }

  /** A restart ends all subscriptions. */
  forget(): void {
    this.#subscriptions.clear();
    this.#watched.clear();
    this.#replica = new Replica();
  }

  quiet(): Promise<void> {
    return this.#socket.quiet();
  }

  /** Subscribes to everything. The past of subscriptions that do not send it is read. */
  async begin(): Promise<void> {
    await this.#subscribe('starknet_subscribeNewHeads', FROM_THE_FIRST);
    await this.#subscribe('starknet_subscribeNewTransactions', BOTH);
    await this.#subscribe('starknet_subscribeNewTransactionReceipts', BOTH);
    const past: EMITTED_EVENT[] = [];
    this.#past = past;
    const early = { ...FROM_THE_FIRST, finality_status: WAITING };
    this.#early = await this.#subscribe('starknet_subscribeEvents', early);
    await this.#subscribe('starknet_subscribeEvents', FROM_THE_FIRST);
    await this.#receive();
    this.#past = undefined;

    const { blocks, waiting, events } = await this.#chain.read();
    agreeExactly(past, events, 'the past events that subscribers to early events receive');
    for (const [number, block] of this.#replica.blocks.entries()) {
      Object.assign(block, { ...blocks[number], events: block.events });
    }
    this.#replica.waiting = waiting;
    await this.catchUp();
  }

  /** Subscribes to the status of a transaction, which may not be sent yet. */
  async watch(transaction_hash: string): Promise<void> {
    if (this.#watched.has(transaction_hash)) return;
    this.#watched.add(transaction_hash);
    await this.#subscribe('starknet_subscribeTransactionStatus', { transaction_hash });
  }

  /**
   * Reads all notifications, and compares the replica with the chain.
   *
   * @param wentBack whether the pending block must be read: its old transactions are not sent again
   */
  async catchUp(wentBack = false): Promise<void> {
    await this.#receive();
    if (wentBack) await this.#refresh();
    const { blocks, waiting } = this.#replica;
    for (const { transactions } of [...blocks, waiting]) {
      for (const { hash } of transactions) await this.watch(hash);
    }
    await this.#receive();
    await this.#chain.compare(this.#replica, this.#watched);
  }

  async #refresh(): Promise<void> {
    const before = this.#replica.waiting.transactions;
    await this.#chain.refresh(this.#replica, this.#watched);
    const still = new Set(this.#replica.waiting.transactions.map(({ hash }) => hash));
    const gone = before.find(({ hash }) => !still.has(hash));
    if (gone && !this.#isSomethingGone)
      throw new Error(`${gone.hash} is gone without a notification`);
    this.#isSomethingGone = false;
  }

  async #subscribe(method: SubscribeMethod, params: unknown): Promise<string> {
    const id = await this.#socket.subscribe(method, params);
    this.#subscriptions.add(id);
    return id;
  }

  async #receive(): Promise<void> {
    for (const notification of await this.#socket.heard()) this.#take(asNamed(notification));
    this.#mustBeComplete();
  }

  #take(notification: NamedNotification): void {
    if (notification.method === 'starknet_subscriptionReorg') this.#undo(notification);
    else this.#mustBeComplete();
    switch (notification.method) {
      case 'starknet_subscriptionNewHeads':
        this.#replica.head(notification.result);
        break;
      case 'starknet_subscriptionNewTransaction':
        this.#replica.transaction(notification.result);
        break;
      case 'starknet_subscriptionNewTransactionReceipts':
        this.#replica.receipt(notification.result);
        break;
      case 'starknet_subscriptionTransactionStatus':
        this.#replica.status(notification.result);
        break;
      case 'starknet_subscriptionEvents':
        this.#takeEvent(notification);
        break;
    }
  }

  #takeEvent({
    subscription,
    result,
  }: NamedNotification & { method: 'starknet_subscriptionEvents' }): void {
    const isEarly = subscription === this.#early;
    const { finality_status, ...event } = result;
    agreeExactly(finality_status === WAITING, isEarly, `whether ${finality_status} is early`);
    if (isEarly && this.#past) this.#past.push(event);
    else this.#replica.event(result);
  }

  /** Every subscription receives a reorg once, before anything else. */
  #undo({
    subscription,
    result,
  }: NamedNotification & { method: 'starknet_subscriptionReorg' }): void {
    this.#isSomethingGone = true;
    // A reorg of the pending block goes only to subscriptions that received parts of it.
    if (result.starting_block_hash === '0x0') {
      const { length } = this.#replica.heads.list;
      agreeExactly(result.starting_block_number, length, 'the number of the pre-confirmed block');
      this.#mustBeComplete();
      return;
    }
    const text = JSON.stringify(result);
    if (!this.#reorg) {
      this.#reorg = { text, unnotified: new Set(this.#subscriptions) };
      this.#replica.undo(result);
    }
    agreeExactly(text, this.#reorg.text, 'the same reorg in another subscription');
    const isNew = this.#reorg.unnotified.delete(subscription);
    if (!isNew) throw new Error(`subscription ${subscription} was notified of a reorg twice`);
    if (this.#reorg.unnotified.size === 0) this.#reorg = undefined;
  }

  #mustBeComplete(): void {
    const count = this.#reorg?.unnotified.size ?? 0;
    if (count > 0) throw new Error(`${count} subscriptions were not notified of a reorg`);
  }
}
