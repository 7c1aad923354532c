// WebSocket server: connections, their number and their heartbeat.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { MemoryBudget } from '../../scheduling/memory-budget.js';
import { SOCKET_PROTOCOL } from '../access.js';
import { callerOf } from '../caller.js';
import {
  Connection,
  type ConnectionOptions,
  GOING_AWAY,
  SHUTDOWN_MILLISECONDS,
} from './connection.js';
import { FlushScheduler } from './flush-scheduler.js';
import { SharedFrames } from './shared-frames.js';

export interface SocketOptions extends ConnectionOptions {
  /** The largest message that is accepted, in bytes. */
  readonly messageLimit: number;
  /** What all requests and answers may hold together; unlimited by default. */
  readonly budget?: MemoryBudget | undefined;
  /** The most connections at a time. */
  readonly maximumSockets?: number;
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
  /** What is queued for clients. */
  readonly queued: { readonly messages: number; readonly bytes: number };
  close(): void;
}

const HEARTBEAT_MILLISECONDS = 30_000;
/** How long a client may take to read what is queued before a close frame, and to answer it. */
const CLOSE_MILLISECONDS = 10_000;
/** The longest message that `ws` can limit. */
const LONGEST = 2 ** 31 - 1;

const TOO_MANY = [
  'HTTP/1.1 503 Service Unavailable',
  'connection: close',
  'content-type: text/plain; charset=utf-8',
  '',
  'Too many WebSockets are open; --maximum-sockets sets the limit',
].join('\r\n');

export function serveSockets(options: SocketOptions): Sockets {
  const settings = {
    noServer: true,
    maxPayload: Math.min(options.messageLimit, LONGEST),
    perMessageDeflate: false,
    clientTracking: false,
    closeTimeout: CLOSE_MILLISECONDS,
    // The token, which browsers send as a protocol, is not echoed.
    handleProtocols: (offered: ReadonlySet<string>) =>
      offered.has(SOCKET_PROTOCOL) ? SOCKET_PROTOCOL : false,
  };
  const server = new WebSocketServer(settings);
  const scheduler = new FlushScheduler((err) =>
    options.log.error({ err }, 'writing to a WebSocket failed, so it was closed'),
  );
  const shared = new SharedFrames();
  const budget = options.budget ?? new MemoryBudget();
  /** Each with the chain that it calls. */
  const connections = new Map<Connection, object | undefined>();
  const heartbeat = setInterval(() => {
    for (const connection of connections.keys()) connection.checkHeartbeat();
  }, options.heartbeatMilliseconds ?? HEARTBEAT_MILLISECONDS);
  heartbeat.unref();

  return {
    upgrade(request, stream, head, served = {}) {
      if (connections.size >= (options.maximumSockets ?? Number.POSITIVE_INFINITY)) {
        stream.end(TOO_MANY);
        return;
      }
      server.handleUpgrade(request, stream, head, (socket) => {
        const session = callerOf(request, 'ws');
        const { owner, ...called } = served;
        const connectionOptions = { ...options, ...called };
        const { dispatcher } = connectionOptions;
        const writing = { scheduler, shared };
        const parts = {
          socket,
          stream,
          session,
          dispatcher,
          ...writing,
          budget,
          options: connectionOptions,
        };
        const connection = new Connection(parts);
        connections.set(connection, owner);
        socket.on('close', () => connections.delete(connection));
      });
    },
    get count() {
      return connections.size;
    },
    get queued() {
      let [messages, bytes] = [0, 0];
      for (const { waiting } of connections.keys()) {
        messages += waiting.messages;
        bytes += waiting.bytes;
      }
      return { messages, bytes };
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
