// WebSocket client that checks every answer and notification, in order of arrival.
import { setTimeout as delay } from 'node:timers/promises';
import type { MethodName } from 'starkbox';
import { WebSocket } from 'ws';
import { type Client, checkedClient, notificationViolations } from './client.js';
import { isObject, type JsonObject, objectAt } from './json.js';
import type { SpecVersion } from './published-spec.js';

export type SubscribeMethod = Extract<MethodName, `${'starknet' | 'devnet'}_subscribe${string}`>;

export interface Notification {
  /** As it was sent, with the prefix of the subscription. */
  readonly method: string;
  readonly subscription: string;
  readonly result: unknown;
}

/** How a connection ended. */
export interface ConnectionClose {
  readonly code: number;
  readonly reason: string;
}

/** Timeout of a message. */
const TIMEOUT_MILLISECONDS = 10_000;
/** Length of a message in an error text. */
const SHOWN = 1000;
/** Close code of a normal closure. */
const NORMAL = 1000;

/**
 * Connects to a listening node. Every answer and notification is checked against the
 * specifications; a violation is thrown by the next use of the socket.
 *
 * @example
 * const socket = await connectSocket(url);
 * const id = await socket.subscribe('starknet_subscribeNewHeads');
 * await socket.call('devnet_createBlock');
 * expect(await socket.heard()).toMatchObject([{ subscription: id, result: { block_number: 1 } }]);
 * await socket.close();
 *
 * @param version whose path is taken; the newest by default
 */
export async function connectSocket(url: string, version?: SpecVersion): Promise<Socket> {
  const address = new URL(version ? `/ws/rpc/${version}` : '/ws', url);
  address.protocol = 'ws:';
  // The continuation of an answer runs before the next message is read.
  const socket = new WebSocket(address, { allowSynchronousEvents: false });
  const connection = new Socket(socket, version);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return connection;
}

/** A pending promise for a message. */
interface PendingMessage<T> {
  /** The request. */
  readonly text: string;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

export class Socket implements Client, AsyncDisposable {
  readonly call: Client['call'];
  readonly failure: Client['failure'];
  readonly ask: Client['ask'];
  readonly closed: Promise<ConnectionClose>;
  readonly #socket: WebSocket;
  readonly #version: SpecVersion | undefined;
  readonly #clients: Readonly<Record<'starknet' | 'chain', Client>>;
  /** Unanswered requests. Answers arrive in the order of the requests. */
  readonly #unanswered: PendingMessage<string>[] = [];
  readonly #awaited: PendingMessage<Notification>[] = [];
  readonly #unread: Notification[] = [];
  /** The prefix of each subscription, by its id. */
  readonly #prefixes = new Map<string, string>();
  readonly #violations: string[] = [];

  constructor(socket: WebSocket, version: SpecVersion | undefined) {
    this.#socket = socket;
    this.#version = version;
    this.#clients = {
      starknet: checkedClient((text) => this.exchange(text), version),
      chain: checkedClient(
        (text) => this.exchange(text.replace('"method":"starknet_', '"method":"chain_')),
        version,
      ),
    };
    this.call = this.#clients.starknet.call;
    this.failure = this.#clients.starknet.failure;
    this.ask = this.#clients.starknet.ask;
    socket.on('message', (data: Buffer, isBinary) => this.#take(data.toString(), isBinary));
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        const error = new Error(`the socket was closed with ${code} ${reason}`);
        for (const { reject } of [...this.#unanswered, ...this.#awaited]) reject(error);
        resolve({ code, reason: String(reason) });
      });
    });
  }

  /**
   * Subscribes, under either name of the method, and returns the id. A notification is a violation
   * if it belongs to no subscription of this socket or has another prefix.
   */
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

  /** The next unread notification; waits for one. */
  async next(): Promise<Notification> {
    this.#mustBeRight();
    return this.#unread.shift() ?? wait(this.#awaited, 'a notification');
  }

  /** The unread notifications that have arrived. */
  unread(): readonly Notification[] {
    this.#mustBeRight();
    return this.#unread.splice(0);
  }

  /**
   * All unread notifications that the node has sent so far. Waits for the answer to a request,
   * since messages keep their order.
   */
  async heard(): Promise<readonly Notification[]> {
    await this.call('starknet_specVersion');
    return this.unread();
  }

  /** Throws if there is an unread notification, or one arrives within the given time. */
  async quiet(milliseconds = 0): Promise<void> {
    if (milliseconds > 0) await delay(milliseconds);
    const heard = await this.heard();
    if (heard.length > 0) throw new Error(`unexpected notifications: ${JSON.stringify(heard)}`);
  }

  /** Sends any text. @returns the text of the answer */
  exchange(text: string, frame: 'text' | 'binary' = 'text'): Promise<string> {
    const answer = wait(this.#unanswered, text);
    this.#socket.send(text, { binary: frame === 'binary' });
    return answer;
  }

  /** Sends a text that has no answer. */
  send(text: string): void {
    this.#socket.send(text);
  }

  /** Stops reading, so that messages queue up in the node. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Throws if a message violated a specification. */
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
      this.#notify(message);
      return;
    }
    const request = this.#unanswered.shift();
    if (!request) {
      this.#violations.push(`an answer without a request: ${text.slice(0, SHOWN)}`);
      return;
    }
    // Before the caller continues, since later messages may belong to the new subscription.
    if (isObject(message)) this.#follow(request.text, message);
    request.resolve(text);
  }

  #notify(message: JsonObject): void {
    const { jsonrpc, method, params, ...rest } = message;
    const name = String(method);
    const { subscription_id, result } = isObject(params) ? params : {};
    const notification = { method: name, subscription: String(subscription_id), result };
    const faults = [...notificationViolations(name, params, this.#version)];
    if (jsonrpc !== '2.0' || Object.keys(rest).length > 0) faults.push('the envelope is wrong');
    const prefix = this.#prefixes.get(notification.subscription);
    if (prefix === undefined) faults.push('it belongs to no subscription');
    else if (!name.startsWith(`${prefix}_`)) faults.push(`its prefix is not ${prefix}_`);
    if (faults.length > 0) {
      const excerpt = JSON.stringify(message).slice(0, SHOWN);
      this.#violations.push(`${excerpt} is wrong:\n${faults.join('\n')}`);
    }
    const waiting = this.#awaited.shift();
    if (waiting) waiting.resolve(notification);
    else this.#unread.push(notification);
  }

  /** Tracks the open subscriptions. */
  #follow(request: string, { result }: JsonObject): void {
    if (result === undefined) return;
    const [, prefix, verb] =
      /"method":"(starknet|chain|devnet|sandbox)_((?:un)?subscribe)/.exec(request) ?? [];
    if (prefix === undefined) return;
    if (verb === 'subscribe') this.#prefixes.set(String(result), prefix);
    else if (result === true) {
      const { params } = objectAt(JSON.parse(request), 'the request');
      this.#prefixes.delete(String(Object.values(Object(params))[0]));
    }
  }

  #mustBeRight(): void {
    if (this.#violations.length > 0) throw new Error(this.#violations.splice(0).join('\n'));
  }
}

function wait<T>(queue: PendingMessage<T>[], text: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`${text.slice(0, SHOWN)}: nothing came`));
    }, TIMEOUT_MILLISECONDS);
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
