// A subscription over a WebSocket of its own.
import { isObject, type Members } from '@starkbox/abi/basics';
import { RpcError } from '../errors.js';
import { parse, stringify } from '../json/json.js';
import { withReason } from './rpc-failure.js';
import { Inbox, type SubscriptionSource } from './subscription.js';

interface SocketEvent {
  readonly type: string;
  readonly data?: unknown;
  readonly code?: number;
  readonly reason?: unknown;
  readonly message?: unknown;
}

/** The parts of a WebSocket that browsers and Node share. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(
    type: 'open' | 'message' | 'close' | 'error',
    listener: (event: SocketEvent) => void,
  ): void;
}

/** The class `WebSocket`. */
export type SocketClass = new (url: string, protocols: string[]) => Socket;

export interface SocketSubscriptionOptions {
  readonly method: string;
  readonly params: unknown;
  /** Notifications that may wait to be read. */
  readonly limit: number;
  readonly open: () => Socket;
  /** An error for a connection that cannot be opened, or was lost. */
  readonly failed: (reason: string) => Error;
  readonly onEnd: () => void;
}

/** Ids of the calls that a socket sends. */
const SUBSCRIBE = 1;
const WATCH = 2;
const UNSUBSCRIBE = 3;

/** Codes with which a node closes a socket in order. */
const IN_ORDER: readonly (number | undefined)[] = [1000, 1001, 1005];

/** After these events of the sandbox, the node sends nothing more to subscriptions of the chain. */
const ENDING: readonly unknown[] = ['restart', 'load'];
/** Subscriptions to the node rather than to its chain outlive these events. */
const OF_THE_NODE: readonly string[] = ['subscribeSandbox', 'subscribeRequests'];

export class SocketSubscription implements SubscriptionSource {
  readonly inbox: Inbox;
  readonly ready: Promise<void>;
  readonly #options: SocketSubscriptionOptions;
  readonly #socket: Socket;
  readonly #closed: Promise<void>;
  #id: unknown;
  #begun: () => void = () => {};
  #rejected: (error: unknown) => void = () => {};
  #isOpen = false;
  /** Why the socket was closed, if the node reported it. */
  #problem = 'the connection was closed';

  constructor(options: SocketSubscriptionOptions) {
    this.#options = options;
    this.inbox = new Inbox(options.limit);
    this.ready = new Promise((resolve, reject) => {
      this.#begun = resolve;
      this.#rejected = reject;
    });
    this.#socket = options.open();
    this.#closed = new Promise((resolve) => {
      this.#socket.addEventListener('close', (event) => {
        this.#end(event);
        resolve();
      });
    });
    this.#socket.addEventListener('open', () => this.#subscribe());
    this.#socket.addEventListener('message', ({ data }) => this.#receive(String(data)));
    this.#socket.addEventListener('error', ({ message }) => {
      if (typeof message === 'string' && message !== '') this.#problem = message;
    });
  }

  readonly end = async (): Promise<void> => {
    this.#socket.close();
    await this.#closed;
  };

  /** Ends the subscription after the notifications of what happened before. */
  async finish(): Promise<void> {
    await this.ready.catch(() => undefined);
    // The node sends pending notifications before it answers.
    if (this.#isOpen) {
      this.#call(UNSUBSCRIBE, 'starknet_unsubscribe', { subscription_id: this.#id });
    }
    await this.#closed;
  }

  #subscribe(): void {
    this.#isOpen = true;
    const { method, params } = this.#options;
    this.#call(SUBSCRIBE, method, params);
    if (!OF_THE_NODE.some((name) => method.endsWith(name))) {
      this.#call(WATCH, 'devnet_subscribeSandbox');
    }
  }

  #call(id: number, method: string, params?: unknown): void {
    this.#socket.send(stringify({ jsonrpc: '2.0', id, method, params }));
  }

  #receive(text: string): void {
    const message = parse(text);
    if (!isObject(message)) return;
    if (message['id'] !== undefined) this.#answered(message);
    else if (isObject(message['params'])) this.#addNotification(message['params'], text);
  }

  #answered({ id, result, error }: Members): void {
    if (id === UNSUBSCRIBE) {
      this.inbox.close();
      this.#socket.close();
    }
    if (id !== SUBSCRIBE) return;
    if (isObject(error)) {
      const { code, message, data } = error;
      this.#rejected(withReason(new RpcError(Number(code), String(message), data)));
      this.#socket.close();
      return;
    }
    this.#id = result;
    this.#begun();
  }

  #addNotification({ subscription_id, result }: Members, text: string): void {
    if (subscription_id === this.#id) {
      this.inbox.send(text);
    } else if (isObject(result) && ENDING.includes(result['event'])) {
      this.inbox.close();
    } else {
      return;
    }
    if (!this.inbox.isOpen) this.#socket.close();
  }

  #end({ code, reason }: SocketEvent): void {
    this.#isOpen = false;
    const problem = typeof reason === 'string' && reason !== '' ? reason : this.#problem;
    const failure = IN_ORDER.includes(code) ? undefined : this.#options.failed(problem);
    this.inbox.close(failure);
    this.#rejected(failure ?? this.#options.failed(problem));
    this.#options.onEnd();
  }
}
