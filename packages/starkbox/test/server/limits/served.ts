// A server with calls of known size, for tests of long answers.
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { silentLog } from '../../../src/log.js';
import { Dispatcher, type DispatcherOptions } from '../../../src/rpc/protocol/dispatcher.js';
import { Schema } from '../../../src/rpc/protocol/schema.js';
import { type HttpOptions, type HttpServer, serveHttp } from '../../../src/server/http/server.js';

export interface Served {
  readonly server: HttpServer;
  readonly dispatcher: Dispatcher;
  /** Calls that have begun. */
  readonly calls: () => number;
  /** Lets `devnet_wait` go on. */
  readonly open: () => void;
  post(body: string): Promise<IncomingMessage & { readonly body: Promise<string> }>;
  /** A connection, and what was sent over it. */
  send(raw: string): Socket;
  close(): Promise<void>;
}

export const SIZE = 100_000;

/** Two characters that need more than one unit each, so that pieces could tear them apart. */
const RESULT = `${'x'.repeat(SIZE - 3)}é😀`;

export async function serve(
  options: Partial<DispatcherOptions> & Partial<HttpOptions> = {},
): Promise<Served> {
  let calls = 0;
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const dispatcher = new Dispatcher({
    handlers: {
      starknet_chainId: () => '0x1',
      devnet_large: () => {
        calls += 1;
        return RESULT;
      },
      devnet_wait: async () => {
        calls += 1;
        await opened;
        return 'done';
      },
    },
    restricted: undefined,
    log: silentLog,
    schema: new Schema(() => new Map()),
    ...options,
  });
  const server = await serveHttp({
    dispatcher,
    host: '127.0.0.1',
    port: 0,
    timeoutSeconds: 100,
    bodyLimit: 4 * 1024 * 1024,
    config: () => '{}',
    log: silentLog,
    ...options,
  });
  const agent = new Agent({ keepAlive: true });
  const sockets: Socket[] = [];
  return {
    server,
    dispatcher,
    calls: () => calls,
    open: () => open(),
    post: (body) =>
      new Promise((resolve, reject) => {
        const headers = { 'content-type': 'application/json' };
        request({ port: server.port, method: 'POST', agent, headers }, (response) =>
          resolve(Object.assign(response, { body: text(response) })),
        )
          .on('error', reject)
          .end(body);
      }),
    send(raw) {
      const socket = connect(server.port, '127.0.0.1').on('error', () => {});
      sockets.push(socket);
      socket.write(raw);
      return socket;
    },
    async close() {
      open();
      agent.destroy();
      for (const socket of sockets) socket.destroy();
      await server.close();
    },
  };
}

export const call = (id: number, method: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":[]}`;

export const batch = (methods: readonly string[]): string =>
  `[${methods.map((method, index) => call(index, method)).join()}]`;

/** The head of a POST, its body to follow. */
export const head = (length: number): string =>
  `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
