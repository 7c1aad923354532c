// Transport of calls and subscriptions: by default HTTP and WebSocket of the node that serves the page.
import { chainPath, chainUrl, instanceId } from '../format/chain-path.js';
import { token, tokenRejected } from './auth-token.js';
import { publish } from './live-state.js';

/** Which part of the explorer asks: its own questions are not a user's. */
export type ClientName = 'ui' | 'console';

export interface PostOptions {
  readonly client: ClientName;
  /** The path of the called chain. */
  readonly chain: string;
  readonly signal?: AbortSignal | undefined;
}

/** The members of a WebSocket that subscriptions use. */
export interface ChainSocket {
  onopen: ((event: Event) => void) | null;
  onmessage: ((event: MessageEvent<unknown>) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
  readonly readyState: number;
  send(text: string): void;
  close(): void;
}

export interface Transport {
  /**
   * Sends a JSON-RPC request or batch; returns the response as text.
   *
   * @throws Unauthorized if the node rejects the token
   */
  post(body: string, options: PostOptions): Promise<string>;
  openSocket(client: ClientName): ChainSocket;
}

/** The node rejected the token. */
export class Unauthorized extends Error {}

const UNAUTHORIZED_STATUS = 401;
const NOT_FOUND_STATUS = 404;
const TOKEN_PROTOCOL = 'starkbox.bearer.';

const NODE: Transport = {
  async post(body, { client, chain, signal }) {
    const key = token();
    const response = await fetch(`${chain}/rpc`, {
      method: 'POST',
      ...(signal ? { signal } : {}),
      headers: {
        'content-type': 'application/json',
        'x-starkbox-client': client,
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body,
    });
    if (response.status === UNAUTHORIZED_STATUS) {
      // Another token may have been set meanwhile.
      if (key === token()) tokenRejected.set(true);
      throw new Unauthorized('The node requires a token.');
    }
    if (response.status === NOT_FOUND_STATUS && chain === chainPath() && chain !== '') {
      publish({ connection: 'gone' });
      throw new Error(`There is no instance ${instanceId()}.`);
    }
    const text = await response.text();
    if (!response.ok && !text.startsWith('{') && !text.startsWith('[')) {
      throw new Error(`${response.status} ${text.slice(0, 200)}`);
    }
    return text;
  },

  openSocket(client) {
    const address = new URL(chainUrl(`/ws?client=${client}`));
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const key = token();
    if (key === undefined) return new WebSocket(address);
    return new WebSocket(address, ['starkbox', TOKEN_PROTOCOL + base64url(key)]);
  },
};

function base64url(text: string): string {
  // Tokens are ASCII.
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

let current = NODE;

export function transport(): Transport {
  return current;
}

/** Replaces the node, before the first call. */
export function setTransport(replacement: Transport): void {
  current = replacement;
}
