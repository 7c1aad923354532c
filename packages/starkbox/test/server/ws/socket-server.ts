// A WebSocket server with a few methods, and raw and usual clients of it.
import { once } from 'node:events';
import { afterEach, expect } from 'vitest';
import { WebSocket } from 'ws';
import { type Log, silentLog } from '../../../src/log.js';
import type { Listener } from '../../../src/rpc/protocol/call-context.js';
import { Dispatcher } from '../../../src/rpc/protocol/dispatcher.js';
import { Schema } from '../../../src/rpc/protocol/schema.js';
import { type HttpServer, serveHttp } from '../../../src/server/http/server.js';
import { type SocketOptions, type Sockets, serveSockets } from '../../../src/server/ws/server.js';
import { RawSocket } from '../../support/raw-socket.js';

export interface SocketServer {
  readonly port: number;
  readonly sockets: Sockets;
  /** Listeners of the calls of `devnet_listen`, in their order. */
  readonly listeners: Listener[];
  /** Listeners whose sockets are closed. */
  readonly gone: Listener[];
  readonly warnings: unknown[];
  /** Calls that have begun. */
  readonly calls: () => number;
  /** Lets `devnet_wait` go on. */
  readonly open: () => void;
  readonly close: () => Promise<void>;
}

/** A few dozen of these are more than the system keeps for a connection. */
export const LARGE = 'x'.repeat(1_000_000);
export const MANY = 150;
const servers: SocketServer[] = [];
export const raws: RawSocket[] = [];

export async function openServer(changes: Partial<SocketOptions> = {}): Promise<SocketServer> {
  const [listeners, gone, warnings]: [Listener[], Listener[], unknown[]] = [[], [], []];
  let calls = 0;
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const dispatcher = new Dispatcher({
    handlers: {
      starknet_chainId: () => '0x1',
      devnet_wait: () => opened,
      devnet_large: () => LARGE,
      devnet_listen: (_: object, { listener }) => listener && listeners.push(listener),
      devnet_announce: (_: object, { listener }) =>
        listener?.afterAnswer(() => () => listener.send('{"id":"notification"}')),
    },
    restricted: undefined,
    log: silentLog,
    schema: new Schema(() => new Map()),
    onCall: () => {
      calls += 1;
    },
  });
  const log: Log = { ...silentLog, warn: (...said: unknown[]) => void warnings.push(said) };
  const sockets = serveSockets({
    dispatcher,
    messageLimit: 1_000,
    unreadLimit: 1_000_000_000,
    beforeAnswer: () => {},
    onClose: (listener) => void (gone.includes(listener) || gone.push(listener)),
    log,
    ...changes,
  });
  const server: HttpServer = await serveHttp({
    dispatcher,
    host: '127.0.0.1',
    port: 0,
    timeoutSeconds: 20,
    bodyLimit: 1_000_000,
    config: () => '{}',
    log,
    upgrades: new Map(['/ws', '/', '/rpc'].map((path) => [path, sockets.upgrade])),
  });
  const close = (): Promise<void> => {
    open();
    sockets.close();
    return server.close();
  };
  const { port } = server;
  const served = { port, sockets, listeners, gone, warnings, calls: () => calls, open, close };
  servers.push(served);
  return served;
}

/** Closes what a test of the file has opened. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const raw of raws.splice(0)) raw.socket.destroy();
    await Promise.all(servers.splice(0).map((served) => served.close()));
  });
}

export async function rawSocket({ port }: { readonly port: number }): Promise<RawSocket> {
  const raw = await RawSocket.open(port);
  raws.push(raw);
  return raw;
}

/** A client of the usual kind. */
export async function client({ port }: { readonly port: number }): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  await once(socket, 'open');
  return socket;
}

/** A socket that has called `devnet_listen`, and its other end. */
export async function listening(
  served: SocketServer,
): Promise<{ raw: RawSocket; listener: Listener }> {
  const raw = await rawSocket(served);
  raw.call(0, 'devnet_listen');
  await raw.until(() => raw.texts.length === 1);
  const listener = served.listeners.at(-1);
  if (!listener) throw new Error('there is no listener');
  return { raw, listener };
}

export const idsOf = (texts: readonly string[]): readonly unknown[] =>
  texts.map((text) => JSON.parse(text).id);

export const upTo = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, n) => n);

/** A call that is answered at once. */
export async function ping(served: SocketServer): Promise<void> {
  const socket = await client(served);
  socket.send('{"jsonrpc":"2.0","id":1,"method":"starknet_chainId"}');
  const [answer] = await once(socket, 'message');
  expect(JSON.parse(String(answer))).toEqual({ jsonrpc: '2.0', id: 1, result: '0x1' });
  socket.close();
  await once(socket, 'close');
}
