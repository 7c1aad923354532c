// WebSocket client that checks every answer and notification, in order of arrival.
import { setTimeout as delay } from 'node:timers/promises';
import type { MethodName } from 'starkbox';
import { WebSocket } from 'ws';
import { type Client, checkedClient, notificationViolations } from './client.js';
import { isObject, type JsonObject, objectAt } from './json.js';

export type SubscribeMethod = Extract<MethodName, `${'starknet' | 'devnet'}_subscribe${string}`>;

export interface Notification {
  /** As it was sent, with the prefix of the subscription. */
  readonly method: string;
  readonly subscription: string;
  readonly result: unknown;
}

/** How a connection ended. */
export interface Farewell {
  readonly code: number;
  readonly reason: string;
}

export interface Socket extends Client, AsyncDisposable {
  /**
   * Begins a subscription, under either name of the method; its id. From then on a notification
   * counts as wrong if it belongs to no subscription of this socket or has another prefix than it.
   */
  subscribe(
    method: SubscribeMethod,
    params?: unknown,
    prefix?: 'starknet' | 'chain',
  ): Promise<string>;
  unsubscribe(id: string): Promise<void>;
  /** The next notification that was not read yet, as soon as there is one. */
  next(): Promise<Notification>;
  /** Those that have come and were not read yet; right after an answer, those that came before it. */
  unread(): readonly Notification[];
  /**
   * Those that were not read yet, when all that was told has come. It asks the node something and
   * waits for the answer alone: messages keep their order.
   */
  heard(): Promise<readonly Notification[]>;
  /** Throws if there is a notification that was not read, or comes within so many milliseconds. */
  quiet(milliseconds?: number): Promise<void>;
  /** Sends any text, and gives the text of the answer. */
  exchange(text: string, frame?: 'text' | 'binary'): Promise<string>;
  /** Sends a text that has no answer. */
  send(text: string): void;
  /** Stops reading, so that messages wait on the other side. */
  pause(): void;
  resume(): void;
  readonly closed: Promise<Farewell>;
  /** Throws if a message broke a specification. */
  close(): Promise<void>;
}

/** How long a message may take. */
const PATIENCE_MILLISECONDS = 10_000;
/** How much of a message is shown where something is wrong with it. */
const SHOWN = 1000;
/** The code of a connection that has done its duty. */
const NORMAL = 1000;

/**
 * Connects to a node that listens. Every answer and every notification is held against the
 * specifications; what breaks them is thrown by whatever is asked of the socket next.
 *
 * @example
 * const socket = await connectSocket(url);
 * const id = await socket.subscribe('starknet_subscribeNewHeads');
 * await socket.call('devnet_createBlock');
 * expect(await socket.heard()).toMatchObject([{ subscription: id, result: { block_number: 1 } }]);
 * await socket.close();
 */
export async function connectSocket(url: string): Promise<Socket> {
  const address = new URL('/ws', url);
  address.protocol = 'ws:';
  // Who waited for an answer goes on before the next message is looked at.
  const socket = new WebSocket(address, { allowSynchronousEvents: false });
  const connection = new Connection(socket);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return connection;
}

/** Somebody who waits for something to come. */
interface Waiting<T> {
  /** What was asked. */
  readonly text: string;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

class Connection implements Socket {
  readonly call: Client['call'];
  readonly failure: Client['failure'];
  readonly closed: Promise<Farewell>;
  readonly #socket: WebSocket;
  readonly #clients: Readonly<Record<'starknet' | 'chain', Client>>;
  /** Questions without an answer. Answers come in the order of the questions. */
  readonly #asked: Waiting<string>[] = [];
  readonly #awaited: Waiting<Notification>[] = [];
  readonly #unread: Notification[] = [];
  /** The prefix of each subscription, by its id. */
  readonly #prefixes = new Map<string, string>();
  readonly #violations: string[] = [];

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.#clients = {
      starknet: checkedClient((text) => this.exchange(text)),
      chain: checkedClient((text) =>
        this.exchange(text.replace('"method":"starknet_', '"method":"chain_')),
      ),
    };
    this.call = this.#clients.starknet.call;
    this.failure = this.#clients.starknet.failure;
    socket.on('message', (data: Buffer, isBinary) => this.#take(data.toString(), isBinary));
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        const error = new Error(`the socket was closed with ${code} ${reason}`);
        for (const { reject } of [...this.#asked, ...this.#awaited]) reject(error);
        resolve({ code, reason: String(reason) });
      });
    });
  }

  subscribe(
    method: SubscribeMethod,
    params?: unknown,
    prefix: 'starknet' | 'chain' = 'starknet',
  ): Promise<string> {
    return this.#clients[prefix].call(method, params);
  }

  async unsubscribe(subscription_id: string): Promise<void> {
    const ended = await this.call('starknet_unsubscribe', { subscription_id });
    if (!ended) throw new Error(`the end of a subscription was answered with ${ended}`);
  }

  async next(): Promise<Notification> {
    this.#mustBeRight();
    return this.#unread.shift() ?? wait(this.#awaited, 'a notification');
  }

  unread(): readonly Notification[] {
    this.#mustBeRight();
    return this.#unread.splice(0);
  }

  async heard(): Promise<readonly Notification[]> {
    await this.call('starknet_specVersion');
    return this.unread();
  }

  async quiet(milliseconds = 0): Promise<void> {
    if (milliseconds > 0) await delay(milliseconds);
    const heard = await this.heard();
    if (heard.length > 0) throw new Error(`nothing was to come, but: ${JSON.stringify(heard)}`);
  }

  exchange(text: string, frame: 'text' | 'binary' = 'text'): Promise<string> {
    const answer = wait(this.#asked, text);
    this.#socket.send(text, { binary: frame === 'binary' });
    return answer;
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  async close(): Promise<void> {
    this.#socket.close(NORMAL);
    await this.closed;
    this.#mustBeRight();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #take(text: string, isBinary: boolean): void {
    if (isBinary) this.#violations.push(`a binary frame: ${text.slice(0, SHOWN)}`);
    const message: unknown = JSON.parse(text);
    if (isObject(message) && 'method' in message) {
      this.#hear(message);
      return;
    }
    const asked = this.#asked.shift();
    if (!asked) {
      this.#violations.push(`nobody asked for ${text.slice(0, SHOWN)}`);
      return;
    }
    // Before anybody can look at the answer: what follows it belongs to the subscription.
    if (isObject(message)) this.#follow(asked.text, message);
    asked.resolve(text);
  }

  #hear(message: JsonObject): void {
    const { jsonrpc, method, params, ...rest } = message;
    const name = String(method);
    const { subscription_id, result } = isObject(params) ? params : {};
    const notification = { method: name, subscription: String(subscription_id), result };
    const faults = [...notificationViolations(name, params)];
    if (jsonrpc !== '2.0' || Object.keys(rest).length > 0) faults.push('the envelope is wrong');
    const prefix = this.#prefixes.get(notification.subscription);
    if (prefix === undefined) faults.push('it belongs to no subscription');
    else if (!name.startsWith(`${prefix}_`)) faults.push(`its prefix is not ${prefix}_`);
    if (faults.length > 0) {
      const shown = JSON.stringify(message).slice(0, SHOWN);
      this.#violations.push(`${shown} is wrong:\n${faults.join('\n')}`);
    }
    const waiting = this.#awaited.shift();
    if (waiting) waiting.resolve(notification);
    else this.#unread.push(notification);
  }

  /** Remembers which subscriptions there are. */
  #follow(asked: string, { result }: JsonObject): void {
    if (result === undefined) return;
    const [, prefix, verb] =
      /"method":"(starknet|chain|devnet|sandbox)_((?:un)?subscribe)/.exec(asked) ?? [];
    if (prefix === undefined) return;
    if (verb === 'subscribe') this.#prefixes.set(String(result), prefix);
    else if (result === true) {
      const { params } = objectAt(JSON.parse(asked), 'the request');
      this.#prefixes.delete(String(Object.values(Object(params))[0]));
    }
  }

  #mustBeRight(): void {
    if (this.#violations.length > 0) throw new Error(this.#violations.splice(0).join('\n'));
  }
}

function wait<T>(queue: Waiting<T>[], text: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`${text.slice(0, SHOWN)}: nothing came`));
    }, PATIENCE_MILLISECONDS);
    queue.push({
      text,
      resolve: (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      reject: (error) => {
        clearTimeout(timer);
        reject(error);
      },
    });
  });
}
