// A chain in a Web Worker, reached through a port.
import { Connection, type ConnectOptions } from './connection.js';
import { type MessagePort, PORT_URL, PortLink } from './port.js';
import { type Facts, factsAt, RemoteChain } from './remote-chain.js';
import type { SocketClass } from './socket-subscription.js';

/** Options of `connectPort`. */
export type PortOptions = Pick<ConnectOptions, 'timeout' | 'maximumQueuedMessages'>;

/** A chain in a Web Worker. `createChain` and `connectPort` of `starkbox/browser` create it. */
export class TabChain extends RemoteChain {
  /** A class of WebSockets that reach the chain, for clients that take one, with `wsUrl`. */
  readonly WebSocket: SocketClass;
  /** The URL of subscriptions, for clients that take one. */
  readonly wsUrl: string = PORT_URL.replace(/^http(.*)\/rpc$/, 'ws$1/ws');
  readonly #link: PortLink;

  /** @internal */
  constructor(connection: Connection, facts: Facts, link: PortLink, end: () => Promise<void>) {
    super(connection, facts, async () => {
      await end();
      link.end();
    });
    this.#link = link;
    this.WebSocket = link.platform.WebSocket;
  }

  /**
   * Returns the chain as an image, which `createChain({ image })` and `starkbox --dump-path` load.
   *
   * @throws Error if the chain is closed
   */
  async saveImage(): Promise<Uint8Array> {
    const { image } = await this.#link.ask('image');
    if (image instanceof Uint8Array) return image;
    throw new TypeError('The worker responded without an image');
  }

  /**
   * Opens a port for another client of this chain. Send it to an iframe, and pass it to `connectPort`.
   *
   * @throws Error if the chain is closed
   */
  async openPort(): Promise<MessagePort> {
    const { port1, port2 } = new MessageChannel();
    await this.#link.connect(port1);
    return port2;
  }
}

/**
 * Opens the chain behind a link.
 *
 * @param end runs before the link is closed
 * @internal
 */
export async function openTabChain(
  link: PortLink,
  options: PortOptions,
  end: () => Promise<void>,
): Promise<TabChain> {
  const connection = new Connection(PORT_URL, options, link.platform);
  return new TabChain(connection, await factsAt(connection), link, end);
}

/**
 * Connects to a chain in the Web Worker of another page or frame. `close` ends this connection alone.
 *
 * @param port a port of `openPort`
 * @example
 * addEventListener('message', async ({ ports: [port] }) => {
 *   const chain = await connectPort(port);
 * });
 * @throws Error if the chain is closed
 */
export async function connectPort(port: MessagePort, options: PortOptions = {}): Promise<TabChain> {
  const link = new PortLink(port);
  return openTabChain(link, options, async () => {
    // A worker that has ended cannot answer.
    await link.ask('leave').catch(() => undefined);
  });
}
