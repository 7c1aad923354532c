// WebSocket server: connections and their heartbeat.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { SOCKET_PROTOCOL } from '../access.js';
import { callerOf } from '../caller.js';
import { Connection, type ConnectionOptions, GOING_AWAY } from './connection.js';

export interface SocketOptions extends ConnectionOptions {
  /** The largest message that is accepted, in bytes. */
  readonly messageLimit: number;
  /** Interval of pings; 30,000 by default. A client that misses one is disconnected. */
  readonly heartbeatMilliseconds?: number;
}

/** What a connection calls. */
export interface ServedChain
  extends Pick<ConnectionOptions, 'dispatcher' | 'beforeAnswer' | 'onClose'> {
  /** Identifies the chain, so that its connections can be ended. */
  readonly owner: object;
}

export interface Sockets {
  /** @param served another chain, or another version of the specification */
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    served?: Partial<ServedChain>,
  ): void;
  /** Closes the connections of a chain that is no longer served. */
  endThoseOf(owner: object): void;
  readonly count: number;
  /** Bytes that clients have not read. */
  readonly unread: number;
  close(): void;
}

const HEARTBEAT_MILLISECONDS = 30_000;
/** How long a client may take to answer a close frame when the node stops. */
const SHUTDOWN_MILLISECONDS = 1_000;
/** How long a client may take to read what is queued before a close frame, and to answer it. */
const CLOSE_MILLISECONDS = 10_000;
/** The longest message that `ws` can limit. */
const MAX_LENGTH = 2 ** 31 - 1;

export function serveSockets(options: SocketOptions): Sockets {
  const settings = {
    noServer: true,
    maxPayload: Math.min(options.messageLimit, MAX_LENGTH),
    perMessageDeflate: false,
    clientTracking: false,
    closeTimeout: CLOSE_MILLISECONDS,
    // The token, which browsers send as a protocol, is not echoed.
    handleProtocols: (offered: ReadonlySet<string>) =>
      offered.has(SOCKET_PROTOCOL) ? SOCKET_PROTOCOL : false,
  };
  const server = new WebSocketServer(settings);
  /** Each with the chain that it calls. */
  const connections = new Map<Connection, object | undefined>();
  const heartbeat = setInterval(() => {
    for (const connection of connections.keys()) connection.checkHeartbeat();
  }, options.heartbeatMilliseconds ?? HEARTBEAT_MILLISECONDS);
  heartbeat.unref();

  return {
    upgrade(request, stream, head, served = {}) {
      server.handleUpgrade(request, stream, head, (socket) => {
        const session = callerOf(request, 'ws');
        const { owner, ...called } = served;
        const connection = new Connection(socket, session, { ...options, ...called });
        connections.set(connection, owner);
        socket.on('close', () => connections.delete(connection));
      });
    },
    get count() {
      return connections.size;
    },
    get unread() {
      let bytes = 0;
      for (const { unread } of connections.keys()) bytes += unread;
      return bytes;
    },
    endThoseOf(owner) {
      for (const [connection, connectionOwner] of connections) {
        if (connectionOwner === owner) connection.end(GOING_AWAY, 'the instance was deleted');
      }
    },
    close() {
      clearInterval(heartbeat);
      for (const connection of connections.keys()) connection.end(GOING_AWAY, 'the node stops');
      setTimeout(() => {
        for (const connection of connections.keys()) connection.terminate();
      }, SHUTDOWN_MILLISECONDS).unref();
      server.close();
    },
  };
}
