// A connection to a node at a URL: calls over HTTP, subscriptions over WebSockets.
import { isObject, propertyOf } from '@starkbox/abi/basics';
import { RpcError } from '../errors.js';
import { parse, stringify } from '../json/json.js';
import type { Transport } from './chain.js';
import type { SubscribeMethodName } from './methods.js';
import { type SocketClass, SocketSubscription } from './socket-subscription.js';
import { storageAddress } from './storage-address.js';
import {
  type ChainSubscription,
  MAX_UNREAD_NOTIFICATIONS,
  subscriptionOf,
} from './subscription.js';

/** Options of `connect`. */
export interface ConnectOptions {
  /** The token of a node that was started with `--auth-token`. */
  readonly token?: string;
  /** Headers of every HTTP request, for example of a proxy. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds until a call fails; 60,000 by default, 0 for no limit. */
  readonly timeout?: number;
  /** Notifications that may wait to be read; 10,000 by default. */
  readonly maximumQueuedMessages?: number;
}

/** The parts of a host that browsers and Node have in different forms. */
export interface Platform {
  readonly fetch: typeof fetch;
  readonly WebSocket: SocketClass;
  /** What to do if nothing responds; by default, to start a node. */
  readonly advice?: string;
  /** How to give the token that a node requires; by default, as an option of `connect`. */
  readonly tokenAdvice?: string;
  /** Reads the text of a class. */
  readArtifact(location: string | URL): Promise<string>;
}

/** Reads the text of a class from a URL, as pages do. */
export async function fetchArtifact(location: string | URL): Promise<string> {
  const response = await fetch(location);
  if (response.ok) return response.text();
  throw new TypeError(
    `${String(location)} cannot be read: the server responded with status ${response.status}`,
  );
}

/** A node does not respond, or another server does. The message says what to do. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** The URL that was called. */
  readonly url: string;

  /** @internal */
  constructor(url: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.url = url;
  }
}

const TIMEOUT = 60_000;
const START = 'Start a node with `npx starkbox`, or correct the URL.';
/** The code with which a node rejects a request without its token. */
const UNAUTHORIZED = -32001;

/** Prefix of the subprotocol that carries a token: browsers cannot send headers with a WebSocket. */
const TOKEN_PROTOCOL = 'starkbox.bearer.';
const SOCKET_PROTOCOL = 'starkbox';

/**
 * Returns where a node takes calls.
 *
 * @throws TypeError if the text is no HTTP URL
 */
export function rpcUrlOf(url: string | URL): string {
  const text = String(url);
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new TypeError(
      `connect takes an HTTP URL, for example http://127.0.0.1:5050; it got ${text}`,
    );
  }
  const path = parsed.pathname.replace(/\/+$/, '');
  const isRoot = path === '' || /\/instances\/[^/]+$/.test(path);
  return `${parsed.origin}${path}${isRoot ? '/rpc' : ''}${parsed.search}`;
}

/** A connection to a chain of a node. */
export class Connection implements Transport {
  readonly url: string;
  readonly options: ConnectOptions;
  readonly platform: Platform;
  readonly slotOf: Transport['slotOf'] = storageAddress;
  readonly #subscriptions = new Set<SocketSubscription>();
  #isClosed = false;
  #lastId = 0;

  constructor(url: string, options: ConnectOptions, platform: Platform) {
    this.url = url;
    this.options = options;
    this.platform = platform;
  }

  readArtifact(location: string | URL): Promise<string> {
    return this.platform.readArtifact(location);
  }

  async call(method: string, params: unknown): Promise<unknown> {
    this.#assertOpen();
    // Subscriptions that were made before must not miss the effects of this call.
    await Promise.allSettled([...this.#subscriptions].map(({ ready }) => ready));
    this.#lastId += 1;
    const { status, text } = await this.#post(
      method,
      stringify({ jsonrpc: '2.0', id: this.#lastId, method, params }),
    );
    return this.#resultIn(text, method, status);
  }

  /** A `fetch` that sends the token and the headers to the node, and to no other host. */
  readonly fetch: typeof fetch = async (input, init) => {
    this.#assertOpen();
    const request = new Request(input, init);
    if (new URL(request.url).origin === new URL(this.url).origin) {
      for (const [name, value] of Object.entries(this.#headers())) {
        if (!request.headers.has(name)) request.headers.set(name, value);
      }
    }
    return this.platform.fetch(request);
  };

  subscribe<M extends SubscribeMethodName>(method: M, params: unknown): ChainSubscription<M> {
    this.#assertOpen();
    const subscription = new SocketSubscription({
      method,
      params,
      limit: this.options.maximumQueuedMessages ?? MAX_UNREAD_NOTIFICATIONS,
      open: () => new this.platform.WebSocket(this.#socketUrl, this.#protocols()),
      failed: (reason) => new ConnectionError(this.url, this.#noConnection(reason)),
      onEnd: () => this.#subscriptions.delete(subscription),
    });
    this.#subscriptions.add(subscription);
    return subscriptionOf<M>(subscription);
  }

  /** Subscriptions end after the notifications of what happened before. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.finish()));
  }

  #assertOpen(): void {
    if (this.#isClosed) {
      const { advice } = this.platform;
      throw new Error(
        advice === undefined
          ? `The connection to ${this.url} is closed: connect again`
          : `The chain is closed. ${advice}`,
      );
    }
  }

  get #socketUrl(): string {
    const url = new URL(this.url.replace(/^http/, 'ws'));
    url.pathname = url.pathname.replace(/\/rpc$/, '/ws');
    return url.href;
  }

  #headers(): Readonly<Record<string, string>> {
    const { token, headers } = this.options;
    return { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  }

  #protocols(): string[] {
    const { token } = this.options;
    if (token === undefined) return [];
    const bytes = String.fromCharCode(...new TextEncoder().encode(token));
    const base64url = btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
    return [SOCKET_PROTOCOL, `${TOKEN_PROTOCOL}${base64url}`];
  }

  async #post(method: string, body: string): Promise<{ status: number; text: string }> {
    const { timeout = TIMEOUT } = this.options;
    const signal = timeout === 0 ? undefined : AbortSignal.timeout(timeout);
    try {
      const response = await this.platform.fetch(this.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...this.#headers() },
        body,
        ...(signal ? { signal } : {}),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      const message = signal?.aborted
        ? `${this.url} did not respond to ${method} within ${timeout} ms. Give connect a greater timeout, or look at the log of the node.`
        : this.#noConnection(causeOf(error));
      throw new ConnectionError(this.url, message, { cause: error });
    }
  }

  #noConnection(reason: string): string {
    const { advice } = this.platform;
    if (advice !== undefined) return `${reason} ${advice}`;
    return `No node responds at ${this.url} (${reason}). ${START}`;
  }

  #resultIn(text: string, method: string, status: number): unknown {
    const answer = parseText(text);
    const { result, error } = isObject(answer) ? answer : {};
    if (isObject(error)) {
      const { code, message, data } = error;
      if (code === UNAUTHORIZED && status === 401) throw this.#unauthorizedError();
      throw new RpcError(Number(code), String(message), data);
    }
    if (result !== undefined) return result;
    throw new ConnectionError(
      this.url,
      `${this.url} responded to ${method} with status ${status} and without a JSON-RPC result. ${START}`,
    );
  }

  #unauthorizedError(): ConnectionError {
    const { tokenAdvice = 'pass { token } to connect' } = this.platform;
    const reason =
      this.options.token === undefined
        ? `requires a token: ${tokenAdvice}`
        : 'rejects the token: pass the value of --auth-token';
    return new ConnectionError(this.url, `The node at ${this.url} ${reason}.`);
  }
}

function parseText(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the code of a failed connection, or its message. */
function causeOf(error: unknown): string {
  const cause = propertyOf(error, 'cause');
  const reason = propertyOf(cause, 'code') ?? propertyOf(cause, 'message');
  return String(reason ?? propertyOf(error, 'message') ?? error);
}
