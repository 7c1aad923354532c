// Requests and sockets over a MessagePort, for a chain in a Web Worker.
import { isObject } from '@starkbox/abi/basics';
import { fetchArtifact, type Platform } from './connection.js';
import type { Socket, SocketClass } from './socket-subscription.js';

/** The `MessagePort` of the host: browsers and Node declare it in different places. */
export type MessagePort = typeof globalThis extends {
  MessagePort: { prototype: infer Port };
}
  ? Port
  : never;

type Transferred = ArrayBuffer | MessagePort;

/** Calls a function with each message, and begins to receive. */
export function onMessage(
  port: MessagePort,
  receive: (message: Readonly<Record<string, unknown>>) => void,
): void {
  port.addEventListener('message', (event) => {
    const data: unknown = Reflect.get(event, 'data');
    if (isObject(data)) receive(data);
  });
  port.start();
}

/** A message to the chain. Answers have the same `id`; messages of a socket have the id of `open`. */
export type PortRequest =
  | {
      readonly type: 'fetch';
      readonly id: number;
      readonly method: string;
      readonly path: string;
      readonly body: string;
    }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'image'; readonly id: number }
  | { readonly type: 'connect'; readonly id: number; readonly port: MessagePort }
  | { readonly type: 'open'; readonly id: number; readonly path: string }
  | { readonly type: 'send'; readonly id: number; readonly text: string }
  | { readonly type: 'close'; readonly id: number }
  | { readonly type: 'leave'; readonly id: number }
  | { readonly type: 'stop'; readonly id: number };

/** A message of the chain. `ended` ends everything: the worker cannot go on. */
export type PortAnswer =
  | {
      readonly type: 'answer';
      readonly id: number;
      readonly status?: number;
      readonly body?: string | undefined;
      readonly image?: Uint8Array;
    }
  | { readonly type: 'failure'; readonly id: number; readonly message: string }
  | { readonly type: 'opened'; readonly id: number }
  | { readonly type: 'text'; readonly id: number; readonly text: string }
  | {
      readonly type: 'closed';
      readonly id: number;
      readonly code: number;
      readonly reason: string;
    }
  | { readonly type: 'ended'; readonly message: string };

/** Where clients send requests that a port carries: nothing is resolved or connected. */
export const PORT_URL = 'http://starkbox.invalid/rpc';

const ADVICE = 'Create another chain with createChain; an image that you saved restores its state.';
const CLOSED = 'The chain in the worker is closed.';
/** The close code of a connection that was lost. */
const LOST = 1006;

interface Waiting {
  readonly resolve: (answer: Readonly<Record<string, unknown>>) => void;
  readonly reject: (error: Error) => void;
}

/** One client of a chain behind a port. */
export class PortLink {
  readonly platform: Platform;
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, Waiting>();
  readonly #sockets = new Map<number, PortSocket>();
  #lastId = 0;
  /** Why nothing can be sent any more. */
  #failure: Error | undefined;

  constructor(port: MessagePort) {
    this.#port = port;
    this.platform = {
      fetch: (input, init) => this.#fetch(input, init),
      WebSocket: this.#socketClass(),
      advice: ADVICE,
      readArtifact: fetchArtifact,
    };
    onMessage(port, (message) => this.#receive(message));
  }

  /** Sends a request that needs no more than its type. */
  ask(type: 'image' | 'leave' | 'stop'): Promise<Readonly<Record<string, unknown>>> {
    return this.#send((id) => [{ type, id }]);
  }

  /** Gives the chain the port of another client. */
  async connect(port: MessagePort): Promise<void> {
    await this.#send((id) => [{ type: 'connect', id, port }, [port]]);
  }

  /** Rejects what waits for an answer and all later requests, and closes sockets. */
  end(message: string = CLOSED): void {
    if (this.#failure) return;
    const failure = new Error(message);
    this.#failure = failure;
    for (const { reject } of this.#waiting.values()) reject(failure);
    this.#waiting.clear();
    for (const socket of this.#sockets.values()) socket.end(LOST, message);
    this.#sockets.clear();
    this.#port.close();
  }

  #post(message: PortRequest, transfer: readonly Transferred[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  #send(
    messageOf: (id: number) => readonly [PortRequest, (readonly Transferred[])?],
    signal?: AbortSignal | null,
  ): Promise<Readonly<Record<string, unknown>>> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#failure) throw this.#failure;
      this.#lastId += 1;
      const id = this.#lastId;
      const abort = (): void => {
        if (!this.#waiting.delete(id)) return;
        this.#post({ type: 'abort', id });
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
      const settle = (): void => signal?.removeEventListener('abort', abort);
      this.#waiting.set(id, {
        resolve: (answer) => {
          settle();
          resolve(answer);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      this.#post(...messageOf(id));
    });
  }

  async #fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init);
    const { method, url, signal } = request;
    const body = method === 'GET' || method === 'HEAD' ? '' : await request.text();
    const path = pathOf(url);
    const answer = await this.#send((id) => [{ type: 'fetch', id, method, path, body }], signal);
    const { status, body: text } = answer;
    return new Response(typeof text === 'string' ? text : null, {
      status: Number(status),
      headers: { 'content-type': status === 200 ? 'application/json' : 'text/plain' },
    });
  }

  #receive(message: Readonly<Record<string, unknown>>): void {
    const { type, id } = message;
    if (type === 'ended') this.end(String(message['message']));
    if (typeof id !== 'number') return;
    const socket = this.#sockets.get(id);
    if (socket) {
      if (type === 'closed') this.#sockets.delete(id);
      socket.receive(message);
      return;
    }
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (type === 'failure') waiting?.reject(new Error(String(message['message'])));
    else waiting?.resolve(message);
  }

  /** A class of sockets that this link opens, for clients that take a `WebSocket`. */
  #socketClass(): SocketClass {
    const open = (socket: PortSocket, url: string): void => this.#open(socket, url);
    return class extends PortSocket {
      constructor(url: string) {
        super();
        open(this, url);
      }
    };
  }

  #open(socket: PortSocket, url: string): void {
    const { message } = this.#failure ?? {};
    if (message !== undefined) {
      queueMicrotask(() => socket.end(LOST, message));
      return;
    }
    this.#lastId += 1;
    const id = this.#lastId;
    this.#sockets.set(id, socket);
    socket.attach({
      send: (text) => this.#post({ type: 'send', id, text }),
      close: () => this.#post({ type: 'close', id }),
    });
    this.#post({ type: 'open', id, path: pathOf(url) });
  }
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}

/** An event of a socket, with the members of a `MessageEvent` and a `CloseEvent`. */
class SocketEvent extends Event {
  readonly data: unknown;
  readonly code: number;
  readonly reason: string;
  readonly wasClean: boolean;

  constructor(type: string, { data, code = 0, reason = '' }: SocketFacts = {}) {
    super(type);
    this.data = data;
    this.code = code;
    this.reason = reason;
    this.wasClean = code !== LOST;
  }
}

interface SocketFacts {
  readonly data?: string;
  readonly code?: number;
  readonly reason?: string;
}

type SocketHandler = ((event: SocketEvent) => void) | null;

const [CONNECTING, OPEN, CLOSING, CLOSED_STATE] = [0, 1, 2, 3] as const;

/** What carries the messages of a socket. */
interface Wire {
  send(text: string): void;
  close(): void;
}

/** A `WebSocket` whose messages a port carries. */
class PortSocket extends EventTarget implements Socket {
  static readonly CONNECTING = CONNECTING;
  static readonly OPEN = OPEN;
  static readonly CLOSING = CLOSING;
  static readonly CLOSED = CLOSED_STATE;
  readyState: number = CONNECTING;
  onopen: SocketHandler = null;
  onmessage: SocketHandler = null;
  onclose: SocketHandler = null;
  onerror: SocketHandler = null;
  #wire: Wire | undefined;

  attach(wire: Wire): void {
    this.#wire = wire;
  }

  send(text: string): void {
    if (this.readyState === CONNECTING) throw new Error('The socket is not open yet');
    if (this.readyState === OPEN) this.#wire?.send(text);
  }

  close(): void {
    if (this.readyState >= CLOSING) return;
    this.readyState = CLOSING;
    this.#wire?.close();
  }

  receive({ type, text, code, reason }: Readonly<Record<string, unknown>>): void {
    if (type === 'closed') this.end(Number(code), String(reason));
    else if (type === 'opened' && this.readyState === CONNECTING) {
      this.readyState = OPEN;
      this.#dispatch(new SocketEvent('open'), this.onopen);
    } else if (type === 'text' && this.readyState === OPEN) {
      this.#dispatch(new SocketEvent('message', { data: String(text) }), this.onmessage);
    }
  }

  end(code: number, reason: string): void {
    if (this.readyState === CLOSED_STATE) return;
    this.readyState = CLOSED_STATE;
    if (code === LOST) this.#dispatch(new SocketEvent('error'), this.onerror);
    this.#dispatch(new SocketEvent('close', { code, reason }), this.onclose);
  }

  #dispatch(event: SocketEvent, handler: SocketHandler): void {
    handler?.(event);
    this.dispatchEvent(event);
  }
}
