// Transport over a port: the page around the explorer has the chain and serves the calls.
import { type Members, membersOf } from '@starkbox/abi/basics';
import type { ChainSocket, ClientName, PostOptions, Transport } from './transport.js';

/** A message to the page that serves the port. A socket has the number under which it was opened. */
export type PortRequest =
  | { readonly kind: 'post'; readonly id: number; readonly chain: string; readonly body: string }
  | { readonly kind: 'open'; readonly id: number; readonly client: ClientName }
  | { readonly kind: 'send'; readonly id: number; readonly text: string }
  | { readonly kind: 'close'; readonly id: number };

/** A message of the page that serves the port. */
export type PortReply =
  | { readonly kind: 'posted'; readonly id: number; readonly text: string }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  | { readonly kind: 'opened'; readonly id: number }
  | { readonly kind: 'message'; readonly id: number; readonly text: string }
  | { readonly kind: 'closed'; readonly id: number };

/** Returns the transport over a port, which it starts. */
export function portTransport(port: MessagePort): Transport {
  const listeners = new Map<number, (reply: Members) => void>();
  let lastId = 0;
  port.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const reply = membersOf(data);
    const { id } = reply;
    if (typeof id === 'number') listeners.get(id)?.(reply);
  });
  port.start();
  const post = (request: PortRequest): void => port.postMessage(request);

  return {
    post(body, { chain, signal }: PostOptions) {
      lastId += 1;
      const id = lastId;
      return new Promise<string>((resolve, reject) => {
        const end = (settle: () => void): void => {
          listeners.delete(id);
          settle();
        };
        signal?.addEventListener('abort', () => end(() => reject(signal.reason)));
        listeners.set(id, ({ kind, text, message }) => {
          if (kind === 'posted') end(() => resolve(String(text)));
          else if (kind === 'failed') end(() => reject(new Error(String(message))));
        });
        post({ kind: 'post', id, chain, body });
      });
    },

    openSocket(client) {
      lastId += 1;
      const id = lastId;
      const socket = new PortSocket(id, post);
      listeners.set(id, (reply) => {
        if (reply['kind'] === 'closed') listeners.delete(id);
        socket.take(reply);
      });
      post({ kind: 'open', id, client });
      return socket;
    },
  };
}

class PortSocket implements ChainSocket {
  onopen: ChainSocket['onopen'] = null;
  onmessage: ChainSocket['onmessage'] = null;
  onclose: ChainSocket['onclose'] = null;
  readyState: number = WebSocket.CONNECTING;
  readonly #id: number;
  readonly #post: (request: PortRequest) => void;

  constructor(id: number, post: (request: PortRequest) => void) {
    this.#id = id;
    this.#post = post;
  }

  send(text: string): void {
    this.#post({ kind: 'send', id: this.#id, text });
  }

  close(): void {
    this.readyState = WebSocket.CLOSING;
    this.#post({ kind: 'close', id: this.#id });
  }

  take({ kind, text }: Members): void {
    if (kind === 'opened') {
      this.readyState = WebSocket.OPEN;
      this.onopen?.(new Event('open'));
    } else if (kind === 'message') {
      this.onmessage?.(new MessageEvent('message', { data: String(text) }));
    } else if (kind === 'closed') {
      this.readyState = WebSocket.CLOSED;
      this.onclose?.(new CloseEvent('close'));
    }
  }
}
