// A subscriber over a socket: its subscriptions, and how it starts again.
import { connectSocket, type Socket, type SubscribeMethod } from '@starkbox/conformance';
import type { EMITTED_EVENT } from '../../src/spec.js';
import { agreeExactly } from '../model/agreement.js';
import { asNews, type News } from './news.js';
import { Replica, WAITING } from './replica.js';
import type { ShownChain } from './shown-chain.js';

const FROM_THE_FIRST = { block_id: { block_number: 0 } };
const ACCEPTED = 'ACCEPTED_ON_L2';
const BOTH = { finality_status: [WAITING, ACCEPTED] };

/** Subscribes to everything, and must be told everything once. */
export class Follower {
  readonly #socket: Socket;
  readonly #chain: ShownChain;
  #replica = new Replica();
  readonly #subscriptions = new Set<string>();
  /** Transactions whose status is followed. */
  readonly #watched = new Set<string>();
  /** The subscription to events of what waits for a block, and the past that it was told. */
  #early = '';
  #past: EMITTED_EVENT[] | undefined;
  /** Blocks that are gone, and subscriptions that have not been told so. */
  #reorg: { readonly text: string; readonly untold: Set<string> } | undefined;
  /** Whether anything was told to be gone since the chain was last looked at. */
  #isSomethingGone = false;

  constructor(socket: Socket, chain: ShownChain) {
    this.#socket = socket;
    this.#chain = chain;
  }

  static async connect(url: string, chain: ShownChain): Promise<Follower> {
    return new Follower(await connectSocket(url), chain);
  }

  close(): Promise<void> {
    return this.#socket.close();
  }

  /** After a restart nobody is told anything any more. */
  forget(): void {
    this.#subscriptions.clear();
    this.#watched.clear();
    this.#replica = new Replica();
  }

  quiet(): Promise<void> {
    return this.#socket.quiet();
  }

  /** Subscribes to everything. What has no past to be told is read. */
  async begin(): Promise<void> {
    await this.#subscribe('starknet_subscribeNewHeads', FROM_THE_FIRST);
    await this.#subscribe('starknet_subscribeNewTransactions', BOTH);
    await this.#subscribe('starknet_subscribeNewTransactionReceipts', BOTH);
    const past: EMITTED_EVENT[] = [];
    this.#past = past;
    const early = { ...FROM_THE_FIRST, finality_status: WAITING };
    this.#early = await this.#subscribe('starknet_subscribeEvents', early);
    await this.#subscribe('starknet_subscribeEvents', FROM_THE_FIRST);
    await this.#hear();
    this.#past = undefined;

    const { blocks, waiting, events } = await this.#chain.read();
    agreeExactly(past, events, 'the past that subscribers to early events are told');
    for (const [number, block] of this.#replica.blocks.entries()) {
      Object.assign(block, { ...blocks[number], events: block.events });
    }
    this.#replica.waiting = waiting;
    await this.catchUp();
  }

  /** Follows the status of a transaction, which may be still to come. */
  async watch(transaction_hash: string): Promise<void> {
    if (this.#watched.has(transaction_hash)) return;
    this.#watched.add(transaction_hash);
    await this.#subscribe('starknet_subscribeTransactionStatus', { transaction_hash });
  }

  /**
   * Hears everything that was told, and compares it with the chain.
   *
   * @param looks whether the chain went back: what waits again is read, since its status alone is told
   */
  async catchUp(looks = false): Promise<void> {
    await this.#hear();
    if (looks) await this.#look();
    const { blocks, waiting } = this.#replica;
    for (const { transactions } of [...blocks, waiting]) {
      for (const { hash } of transactions) await this.watch(hash);
    }
    await this.#hear();
    await this.#chain.compare(this.#replica, this.#watched);
  }

  async #look(): Promise<void> {
    const before = this.#replica.waiting.transactions;
    await this.#chain.look(this.#replica, this.#watched);
    const still = new Set(this.#replica.waiting.transactions.map(({ hash }) => hash));
    const gone = before.find(({ hash }) => !still.has(hash));
    if (gone && !this.#isSomethingGone) throw new Error(`${gone.hash} is gone, which was not told`);
    this.#isSomethingGone = false;
  }

  async #subscribe(method: SubscribeMethod, params: unknown): Promise<string> {
    const id = await this.#socket.subscribe(method, params);
    this.#subscriptions.add(id);
    return id;
  }

  async #hear(): Promise<void> {
    for (const one of await this.#socket.heard()) this.#take(asNews(one));
    this.#mustBeThrough();
  }

  #take(news: News): void {
    if (news.method === 'starknet_subscriptionReorg') this.#undo(news);
    else this.#mustBeThrough();
    switch (news.method) {
      case 'starknet_subscriptionNewHeads':
        this.#replica.head(news.result);
        break;
      case 'starknet_subscriptionNewTransaction':
        this.#replica.transaction(news.result);
        break;
      case 'starknet_subscriptionNewTransactionReceipts':
        this.#replica.receipt(news.result);
        break;
      case 'starknet_subscriptionTransactionStatus':
        this.#replica.status(news.result);
        break;
      case 'starknet_subscriptionEvents':
        this.#takeEvent(news);
        break;
    }
  }

  #takeEvent({ subscription, result }: News & { method: 'starknet_subscriptionEvents' }): void {
    const isEarly = subscription === this.#early;
    const { finality_status, ...event } = result;
    agreeExactly(finality_status === WAITING, isEarly, `whether ${finality_status} is early`);
    if (isEarly && this.#past) this.#past.push(event);
    else this.#replica.event(result);
  }

  /** Every subscription is told of a reorg, once, before anything else. */
  #undo({ subscription, result }: News & { method: 'starknet_subscriptionReorg' }): void {
    this.#isSomethingGone = true;
    // Of the block under construction, only subscriptions are told that heard of it.
    if (result.starting_block_hash === '0x0') {
      const { length } = this.#replica.heads.list;
      agreeExactly(result.starting_block_number, length, 'the number of the pre-confirmed block');
      this.#mustBeThrough();
      return;
    }
    const text = JSON.stringify(result);
    if (!this.#reorg) {
      this.#reorg = { text, untold: new Set(this.#subscriptions) };
      this.#replica.undo(result);
    }
    agreeExactly(text, this.#reorg.text, 'what another subscription is told of the same reorg');
    const isNew = this.#reorg.untold.delete(subscription);
    if (!isNew) throw new Error(`subscription ${subscription} was told of a reorg twice`);
    if (this.#reorg.untold.size === 0) this.#reorg = undefined;
  }

  #mustBeThrough(): void {
    const count = this.#reorg?.untold.size ?? 0;
    if (count > 0) throw new Error(`${count} subscriptions were not told of a reorg`);
  }
}
