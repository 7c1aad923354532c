// Reconnecting socket with its subscriptions.

import { parseJson, writeJson } from '../format/json.js';
import { tokenRejected } from './auth-token.js';
import { type Answer, isAnswer } from './client.js';
import { liveNow } from './live-state.js';
import { type ChainSocket, transport } from './transport.js';

export interface SocketListener {
  /** The socket opened; subscriptions must be made again. */
  opened(): void;
  closed(): void;
  /** The connection failed; browsers do not give the reason. */
  refused(): void;
  /** Any message arrived; scripts cannot see pings. */
  received(): void;
  notified(method: string, result: unknown): void;
}

const FIRST_WAIT = 250;
const MAX_WAIT = 2_000;

export class Socket {
  readonly #listener: SocketListener;
  readonly #answers = new Map<number, (answer: Answer) => void>();
  #socket: ChainSocket | undefined;
  #nextId = 1;
  #wait = FIRST_WAIT;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(listener: SocketListener) {
    this.#listener = listener;
  }

  open(): void {
    clearTimeout(this.#timer);
    // Setting a token opens it again.
    if (tokenRejected.get() || liveNow().connection === 'gone') return;
    const socket = transport().openSocket('ui');
    this.#socket = socket;
    let wasOpen = false;
    socket.onopen = () => {
      wasOpen = true;
      this.#wait = FIRST_WAIT;
      this.#listener.received();
      this.#listener.opened();
    };
    socket.onmessage = ({ data }) => this.#take(String(data));
    socket.onclose = () => {
      this.#answers.clear();
      this.#listener.closed();
      if (!wasOpen) this.#listener.refused();
      this.#timer = setTimeout(() => this.open(), this.#wait);
      this.#wait = Math.min(this.#wait * 2, MAX_WAIT);
    };
  }

  /** Closes a silent connection, to open another one. */
  drop(): void {
    this.#socket?.close();
  }

  /** Undefined if the call failed or the connection is lost. */
  request(method: string, params: unknown = {}): Promise<Answer | undefined> {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN) return Promise.resolve(undefined);
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      socket.send(writeJson({ jsonrpc: '2.0', id, method, params }));
    });
  }

  #take(text: string): void {
    this.#listener.received();
    const message = parseJson(text);
    if (!isAnswer(message)) return;
    if (message.method !== undefined) {
      this.#listener.notified(message.method, message.params?.result);
      return;
    }
    if (typeof message.id !== 'number') return;
    this.#answers.get(message.id)?.(message);
    this.#answers.delete(message.id);
  }
}
