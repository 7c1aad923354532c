// A subscriber that catches up with a chain which goes on meanwhile.
import { connectSocket, type Socket } from '@starkbox/conformance';
import type { EMITTED_EVENT } from '../../src/spec.js';
import { agreeExactly } from '../model/agreement.js';
import { Heads } from './heads.js';
import { asNews, type News } from './news.js';
import type { ShownChain } from './shown-chain.js';

const FROM_THE_FIRST = { block_id: { block_number: 0 } };

/** Subscribes while something happens to the chain, to what has a past that is told. */
export class LateSubscriber {
  readonly #socket: Socket;
  readonly #chain: ShownChain;
  readonly #heads = new Heads();
  #events: EMITTED_EVENT[] = [];
  #subscribing: Promise<readonly string[]> = Promise.resolve([]);

  constructor(socket: Socket, chain: ShownChain) {
    this.#socket = socket;
    this.#chain = chain;
  }

  static async connect(url: string, chain: ShownChain): Promise<LateSubscriber> {
    return new LateSubscriber(await connectSocket(url), chain);
  }

  close(): Promise<void> {
    return this.#socket.close();
  }

  /** Throws if it was told anything that it did not hear yet. */
  quiet(): Promise<void> {
    return this.#socket.quiet();
  }

  /** Subscribes before and after a call, without waiting for answers; that to the call. */
  begin(call: string): Promise<string> {
    const heads = this.#socket.subscribe('starknet_subscribeNewHeads', FROM_THE_FIRST);
    const answer = this.#socket.exchange(call);
    const events = this.#socket.subscribe('starknet_subscribeEvents', FROM_THE_FIRST);
    this.#subscribing = Promise.all([heads, events]);
    // Whoever catches up learns of it.
    this.#subscribing.catch(() => {});
    return answer;
  }

  async catchUp(): Promise<void> {
    const [heads] = await this.#subscribing;
    for (const one of await this.#socket.heard())
      this.#take(asNews(one), one.subscription === heads);
    const { headers, events } = await this.#chain.read();
    agreeExactly(this.#heads.list, headers, 'the heads that a newcomer was told');
    const accepted = events.filter(({ block_number }) => block_number !== undefined);
    agreeExactly(this.#events, accepted, 'the events that a newcomer was told');
  }

  /** Which subscription knows of a block depends on when it began. */
  #take({ method, result }: News, isOfHeads: boolean): void {
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
        throw new Error(`a newcomer did not ask for ${method}`);
    }
  }
}
