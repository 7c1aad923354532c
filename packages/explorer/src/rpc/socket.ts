// Reconnecting WebSocket with its subscriptions.

import { chainUrl } from '../format/chain-path.js';
import { parseJson, writeJson } from '../format/json.js';
import { token, tokenRejected } from './auth-token.js';
import { type Answer, isAnswer } from './client.js';
import { liveNow } from './live-state.js';

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
const LONGEST_WAIT = 2_000;
const TOKEN_PROTOCOL = 'starkbox.bearer.';

/** @param client which part of the explorer asks: its own questions are not those of a user */
export function webSocket(client: 'ui' | 'console'): WebSocket {
  const address = new URL(chainUrl(`/ws?client=${client}`));
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  const key = token();
  if (key === undefined) return new WebSocket(address);
  return new WebSocket(address, ['starkbox', TOKEN_PROTOCOL + base64url(key)]);
}

export class Socket {
  readonly #listener: SocketListener;
  readonly #answers = new Map<number, (answer: Answer) => void>();
  #socket: WebSocket | undefined;
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
    const socket = webSocket('ui');
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
      this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
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

function base64url(text: string): string {
  // Tokens are ASCII.
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
