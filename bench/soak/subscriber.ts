// Subscriber that comes, reads blocks and receipts for a while, and goes, closed or cut off.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Block } from './model.js';

const PATIENCE_MILLISECONDS = 30_000;

export class Subscriber {
  readonly #socket: WebSocket;
  readonly #heads: string[] = [];
  readonly #receipts: string[] = [];
  readonly #subscriptions: string[] = [];
  /** Blocks that were closed since it subscribed, as the model has seen them. */
  readonly #closed: Block[] = [];
  notifications = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async open(url: string): Promise<Subscriber> {
    const socket = new WebSocket(url);
    await once(socket, 'open');
    const made = new Subscriber(socket);
    socket.on('message', (data) => made.#take(JSON.parse(String(data))));
    await made.#subscribe('starknet_subscribeNewHeads', {});
    const finality_status = ['ACCEPTED_ON_L2'];
    await made.#subscribe('starknet_subscribeNewTransactionReceipts', { finality_status });
    return made;
  }

  async #subscribe(method: string, params: object): Promise<void> {
    const id = this.#subscriptions.length;
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    await this.#until(() => this.#subscriptions.length > id);
  }

  #take({ method, result, params, error }: Record<string, unknown>): void {
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

  saw(block: Block): void {
    this.#closed.push(block);
  }

  /** Waits for everything that was due, checks it, and leaves. */
  async finish(isCutOff: boolean): Promise<void> {
    const hashes = this.#closed.map(({ hash }) => hash);
    const sent = this.#closed.flatMap((block) => block.sent.map(({ hash }) => hash));
    await this.#until(() => isWithin(hashes, this.#heads) && isWithin(sent, this.#receipts)).catch(
      () => {
        const due = `${hashes.length} blocks and ${sent.length} receipts`;
        const came = `${this.#heads.length} and ${this.#receipts.length}`;
        throw new Error(
          `notifications of ${due} were due, in order; ${came} came, not all of these`,
        );
      },
    );
    if (isCutOff) this.#socket.terminate();
    else this.#socket.close();
  }

  async #until(condition: () => boolean): Promise<void> {
    const end = performance.now() + PATIENCE_MILLISECONDS;
    while (!condition()) {
      if (performance.now() > end) throw new Error('a subscription did not answer');
      await sleep(2);
    }
  }
}

/** Whether all items are among the others, in the same order. */
function isWithin(items: readonly string[], others: readonly string[]): boolean {
  let at = 0;
  for (const other of others) if (other === items[at]) at += 1;
  return at === items.length;
}
