// An HTTP server with a few methods, one of which waits at a gate, and raw connections to it.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect } from 'vitest';
import { silentLog } from '../../../src/log.js';
import type { Session } from '../../../src/rpc/protocol/call-context.js';
import { Dispatcher } from '../../../src/rpc/protocol/dispatcher.js';
import { Schema } from '../../../src/rpc/protocol/schema.js';
import { type HttpOptions, type HttpServer, serveHttp } from '../../../src/server/http/server.js';

export interface Gate {
  /** Resolves when a call waits at the gate. */
  readonly reached: Promise<void>;
  open(): void;
}

let gates: { reach: () => void; opened: Promise<void> }[] = [];
/** How many calls of `devnet_wait` have ended. */
let endedCalls = 0;
export const ended = (): number => endedCalls;
/** The sessions of the calls of a test, in their order. */
export const sessions: Session[] = [];
const servers: HttpServer[] = [];
const sockets: Socket[] = [];

/** The next call of `devnet_wait` waits until this is opened. */
export function gate(): Gate {
  let open = (): void => {};
  let reach = (): void => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  gates.push({ reach, opened });
  return { reached, open };
}

export const dispatcher: Dispatcher = new Dispatcher({
  handlers: {
    starknet_chainId: (_: object, { session }) => {
      sessions.push(session);
      return '0x1';
    },
    devnet_wait: async (_: object, { session }) => {
      sessions.push(session);
      const next = gates.shift();
      next?.reach();
      await next?.opened;
      endedCalls += 1;
      return endedCalls;
    },
    devnet_large: () => '0'.repeat(5_000_000),
  },
  restricted: undefined,
  log: silentLog,
  schema: new Schema(() => new Map()),
});

export async function start(
  options: Partial<HttpOptions> = {},
): Promise<HttpServer & { url: string }> {
  const server = await serveHttp({
    dispatcher,
    host: '127.0.0.1',
    port: 0,
    timeoutSeconds: 20,
    bodyLimit: 1_000_000,
    config: () => '{"seed":0}',
    log: silentLog,
    ...options,
  });
  servers.push(server);
  return Object.assign(server, { url: `http://127.0.0.1:${server.port}` });
}

/** Closes what a test of the file has opened. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(servers.splice(0).map((server) => server.close()));
    gates = [];
    sessions.length = 0;
    endedCalls = 0;
  });
}

export const JSON_TYPE = { 'content-type': 'application/json' };
export const CHAIN_ID = '{"jsonrpc":"2.0","id":1,"method":"starknet_chainId"}';
export const WAIT = '{"jsonrpc":"2.0","id":"w","method":"devnet_wait"}';
export const ANSWER = '{"jsonrpc":"2.0","id":1,"result":"0x1"}';

export const post = (url: string, body: string, headers: Record<string, string> = JSON_TYPE) =>
  fetch(url, { method: 'POST', body, headers });

export async function errorOf(response: Response): Promise<[number, unknown, number]> {
  expect(response.headers.get('content-type')).toBe('application/json');
  const { id, error } = JSON.parse(await response.text());
  return [response.status, id, error.code];
}

/** A connection that sends exact bytes, and everything received on it. */
export async function raw(port: number): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return { socket, received: () => text };
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

export const head = (length: number, ...more: string[]): string =>
  [
    'POST / HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    ...more,
    '\r\n',
  ].join('\r\n');
export const message = (body: string): string => head(body.length) + body;
