// A subscriber that receives blocks and receipts for a while, then closes or terminates its connection.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { rpcBody } from '../harness/rpc-client.js';
import type { ModelBlock } from './model.js';

const TIMEOUT = 30_000;

export class Subscriber {
  readonly #socket: WebSocket;
  readonly #heads: string[] = [];
  readonly #receipts: string[] = [];
  readonly #subscriptions: string[] = [];
  /** Blocks of the model that were closed since it subscribed. */
  readonly #expected: ModelBlock[] = [];
  notifications = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async open(url: string): Promise<Subscriber> {
    const socket = new WebSocket(url);
    await once(socket, 'open');
    const subscriber = new Subscriber(socket);
    socket.on('message', (data) => subscriber.#receive(JSON.parse(String(data))));
    await subscriber.#subscribe('starknet_subscribeNewHeads', {});
    const finality_status = ['ACCEPTED_ON_L2'];
    await subscriber.#subscribe('starknet_subscribeNewTransactionReceipts', { finality_status });
    return subscriber;
  }

  async #subscribe(method: string, params: object): Promise<void> {
    const id = this.#subscriptions.length;
    this.#socket.send(rpcBody(method, params, id));
    await this.#until(() => this.#subscriptions.length > id);
  }

  #receive({ method, result, params, error }: Record<string, unknown>): void {
    if (error) throw new Error(`a subscription failed: ${JSON.stringify(error)}`);
    if (method === undefined) {
      if (typeof result === 'string') this.#subscriptions.push(result);
      return;
    }
    this.notifications += 1;
    const { block_hash, transaction_hash } = Object(Object(params).result);
    if (method === 'starknet_subscriptionNewHeads') this.#heads.push(String(block_hash));
    if (method === 'starknet_subscriptionNewTransactionReceipts') {
      this.#receipts.push(String(transaction_hash));
    }
  }

  expect(block: ModelBlock): void {
    this.#expected.push(block);
  }

  /** Waits for all expected notifications, checks their order, and closes the connection. */
  async finish(terminates: boolean): Promise<void> {
    const blocks = this.#expected.map(({ hash }) => hash);
    const receipts = this.#expected.flatMap(({ transactions }) =>
      transactions.map(({ hash }) => hash),
    );
    const isComplete = (): boolean =>
      isWithin(blocks, this.#heads) && isWithin(receipts, this.#receipts);
    await this.#until(isComplete).catch(() => {
      const expected = `${blocks.length} blocks and ${receipts.length} receipts`;
      const received = `${this.#heads.length} and ${this.#receipts.length}`;
      throw new Error(`expected notifications of ${expected}, in order; received ${received}`);
    });
    if (terminates) this.#socket.terminate();
    else this.#socket.close();
  }

  async #until(condition: () => boolean): Promise<void> {
    const end = performance.now() + TIMEOUT;
    while (!condition()) {
      if (performance.now() > end) throw new Error('a subscription did not answer');
      await sleep(2);
    }
  }
}

/** Whether all hashes are among others, in the same order. */
function isWithin(hashes: readonly string[], others: readonly string[]): boolean {
  let matched = 0;
  for (const other of others) if (other === hashes[matched]) matched += 1;
  return matched === hashes.length;
}
