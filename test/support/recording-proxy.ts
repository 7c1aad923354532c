// A proxy in front of a node, which records each request with its answer.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { membersOf } from '@starkbox/abi/basics';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { parseIfJson, stringify } from '../../packages/starkbox/src/json/json.js';
import { listen } from './listen.js';

export interface RecordedCall {
  /** Number of the WebSocket; undefined over HTTP. */
  readonly socket?: number;
  /** One request or a batch. */
  readonly request: unknown;
  readonly answer: unknown;
}

export interface RecordingProxy {
  readonly url: string;
  /** Calls on paths without a version, in the order of their answers. */
  readonly calls: readonly RecordedCall[];
  close(): Promise<void>;
}

/** Paths of older versions, whose calls are not recorded. */
const WITH_VERSION = /\/v\d+_\d+$/;
/** Close codes that stand for a missing code and a lost connection; they cannot be sent. */
const [NO_CODE, LOST] = [1005, 1006];

export async function openRecordingProxy(target: string): Promise<RecordingProxy> {
  const calls: RecordedCall[] = [];
  let last = Promise.resolve();
  // One after another: requests that a client sends at once reach the node in their order.
  const server = createServer((request, response) => {
    last = last
      .then(() => passOn(request, response, target, calls))
      .catch((error: Error) => void response.destroy(error));
  });
  let count = 0;
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (client, { url = '/' }) => {
    count += 1;
    connect(client, new URL(url, target), WITH_VERSION.test(url) ? undefined : calls, count);
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
  calls: RecordedCall[],
): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const body = await text(request);
  const headers = { 'content-type': request.headers['content-type'] ?? 'application/json' };
  const passed = body === '' ? { method } : { method, headers, body };
  const answered = await fetch(new URL(url, target), passed);
  const answer = await answered.text();
  const call = parseIfJson(body);
  if (call !== undefined && !WITH_VERSION.test(url)) {
    calls.push({ request: call, answer: parseIfJson(answer) });
  }
  const type = answered.headers.get('content-type') ?? 'application/json';
  response.writeHead(answered.status, { 'content-type': type }).end(answer);
}

function connect(
  client: WebSocket,
  address: URL,
  calls: RecordedCall[] | undefined,
  socket: number,
): void {
  address.protocol = 'ws:';
  const node = new WebSocket(address);
  const opened = once(node, 'open');
  const pending = new Map<string, unknown>();
  client.on('message', async (data: RawData, isBinary) => {
    const request = parseIfJson(String(data));
    if (request !== undefined) pending.set(idsIn(request), request);
    await opened;
    node.send(data, { binary: isBinary });
  });
  node.on('message', (data: RawData, isBinary) => {
    const answer = parseIfJson(String(data));
    const ids = idsIn(answer);
    if (pending.has(ids)) calls?.push({ socket, request: pending.get(ids), answer });
    pending.delete(ids);
    client.send(data, { binary: isBinary });
  });
  client.on('close', () => node.close());
  node.on('close', (code, reason) => {
    if (code === LOST) client.terminate();
    else if (code === NO_CODE) client.close();
    else client.close(code, reason);
  });
}

/** The ids of a request and of its answer are equal; a notification has none. */
function idsIn(message: unknown): string {
  const members: readonly unknown[] = Array.isArray(message) ? message : [message];
  return members
    .map((member) => stringify(membersOf(member)['id']))
    .sort()
    .join();
}
