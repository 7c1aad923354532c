// A subscriber that connects while the chain changes.

import type { EMITTED_EVENT } from '@starkbox/spec';
import { connectSocket, type Socket } from '@starkbox/test-support';
import { agreeExactly } from '@starkbox/test-support/model/agreement';
import type { ChainReader } from './chain-reader.js';
import { Heads } from './heads.js';
import { asNamed, type NamedNotification } from './notifications.js';

const FROM_THE_FIRST = { block_id: { block_number: 0 } };

/** Subscribes during a change, to the kinds that send their past. */
export class LateSubscriber {
  readonly #socket: Socket;
  readonly #chain: ChainReader;
  readonly #heads = new Heads();
  #events: EMITTED_EVENT[] = [];
  #subscribing: Promise<readonly string[]> = Promise.resolve([]);

  constructor(socket: Socket, chain: ChainReader) {
    this.#socket = socket;
    this.#chain = chain;
  }

  static async connect(url: string, chain: ChainReader): Promise<LateSubscriber> {
    return new LateSubscriber(await connectSocket(url), chain);
  }

  close(): Promise<void> {
    return this.#socket.close();
  }

  /** Throws if there are unread notifications. */
  quiet(): Promise<void> {
    return this.#socket.quiet();
  }

  /** Subscribes before and after a call without waiting; gives the answer to the call. */
  begin(call: string): Promise<string> {
    const heads = this.#socket.subscribe('starknet_subscribeNewHeads', FROM_THE_FIRST);
    const answer = this.#socket.exchange(call);
    const events = this.#socket.subscribe('starknet_subscribeEvents', FROM_THE_FIRST);
    this.#subscribing = Promise.all([heads, events]);
    // `catchUp` reports a failure.
    this.#subscribing.catch(() => {});
    return answer;
  }

  async catchUp(): Promise<void> {
    const [heads] = await this.#subscribing;
    for (const notification of await this.#socket.heard())
      this.#take(asNamed(notification), notification.subscription === heads);
    const { headers, events } = await this.#chain.read();
    agreeExactly(this.#heads.list, headers, 'the heads of a late subscriber');
    const accepted = events.filter(({ block_number }) => block_number !== undefined);
    agreeExactly(this.#events, accepted, 'the events of a late subscriber');
  }

  /** A subscription has received a block only if it began before that block. */
  #take({ method, result }: NamedNotification, isOfHeads: boolean): void {
    switch (method) {
      case 'starknet_subscriptionNewHeads':
        this.#heads.add(result);
        break;
      case 'starknet_subscriptionEvents': {
        const { finality_status: _, ...event } = result;
        this.#events.push(event);
        break;
      }
      case 'starknet_subscriptionReorg': {
        const start = result.starting_block_number;
        if (isOfHeads) this.#heads.undo(result);
        else this.#events = this.#events.filter(({ block_number = 0 }) => block_number < start);
        break;
      }
      default:
        throw new Error(`a late subscriber received ${method}`);
    }
  }
}
