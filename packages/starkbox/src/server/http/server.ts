// Knows HTTP: routes, headers, limits of size and time, and how a server stops without cutting anybody off.
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { RpcError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { Session } from '../../rpc/protocol/call-context.js';
import { errorAnswer } from '../../rpc/protocol/envelope.js';
import { MemoryBudget } from '../../scheduling/memory-budget.js';
import type { Door } from '../access.js';
import { callerOf } from '../caller.js';
import { declaredLength } from './body.js';
import { Connections } from './connections.js';
import { Explorer } from './explorer-files.js';
import { nothingAt, RPC_PATHS, wrongMethodAt } from './not-found.js';
import { json, type Reply } from './reply.js';
import { type RpcRequestOptions, serveRpcRequest } from './rpc-request.js';
import { send } from './send-reply.js';

/** Takes a connection over that asks for another protocol. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface HttpOptions extends RpcRequestOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** What all requests may hold together; without it, as much as they like. */
  readonly budget?: MemoryBudget | undefined;
  /** The configuration as JSON, for `GET /config`. */
  readonly config: () => string;
  readonly log: Log;
  /** Who may come in; without it, everybody. */
  readonly door?: Door;
  /** The most connections at a time; more are closed at once. */
  readonly maximumConnections?: number;
  /** How long the head of a request may take. */
  readonly headSeconds?: number;
  /** Hears of requests that no method is asked for: how they were made, and what was wrong. */
  readonly onRefusal?: (session: Session, what: string, error: RpcError) => void;
  /** Answers for the paths from `/ui` on. */
  readonly explorer?: Explorer | undefined;
  /** Paths that are doors to another protocol. The server lets go of such a connection. */
  readonly upgrades?: ReadonlyMap<string, Upgrade>;
}

export interface HttpServer {
  readonly host: string;
  readonly port: number;
  /** Open connections, without those that were handed over. */
  readonly connections: number;
  /** Accepts nothing more, answers what is under way, and resolves when every connection is closed. */
  close(): Promise<void>;
}

/** Gives the reply, or writes it and gives none. */
type Serve = (
  request: IncomingMessage,
  response: ServerResponse,
) => Reply | Promise<Reply | undefined>;

interface Route {
  readonly GET?: Serve;
  readonly POST?: Serve;
  /** Anybody may ask, without a token. */
  readonly isOpen?: boolean;
  /** Browsers of other sites have no business here. */
  readonly isOwn?: boolean;
}

/** Of a content type that is refused, in characters. */
const LONGEST_TYPE = 100;
const JSON_TYPE = /^application\/([^;\s]+\+)?json\s*(;|$)/i;

/** Longer than the pools of clients keep a connection, so that it is they who close it. */
const KEEP_ALIVE_MILLISECONDS = 65_000;
/** Requests come from programs, which send their heads in one piece. */
const HEAD_SECONDS = 15;
/** How often connections are looked at that have not sent theirs. */
const LOOK_MILLISECONDS = 1_000;
/** Connections that the system may hold for us; where it holds too few, clients wait for seconds. */
const BACKLOG = 4096;
/** In bytes; twice what any client of ours sends would be a twentieth of it. */
const LARGEST_HEAD = 16 * 1024;

/**
 * Serves JSON-RPC over HTTP. Rejects with the error of the system, such as one with code
 * `EADDRINUSE`, if it cannot listen.
 */
export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  const connections = new Connections();
  const routes = createRoutes(options, connections);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    connections.enter(request, response);
    response.on('error', () => {}); // the client is gone
    let reply: Reply | undefined;
    try {
      reply = await serve(routes, request, response, options);
    } catch (err) {
      if (request.socket.destroyed) return; // so did its request
      options.log.error({ err }, 'A request failed unexpectedly');
      reply = json(500, errorAnswer(new RpcError(-32603, 'Internal error')));
    }
    if (reply) await send(reply, request, response, connections.isLast(request));
  };

  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
    headersTimeout: (options.headSeconds ?? HEAD_SECONDS) * 1000,
    connectionsCheckingInterval: LOOK_MILLISECONDS,
    maxHeaderSize: LARGEST_HEAD,
    // Bodies have a time limit of their own, with an answer.
    requestTimeout: 0,
  });
  // To node, zero means that there is no limit.
  if (options.maximumConnections) server.maxConnections = options.maximumConnections;
  server.on('request', (request, response) => void answer(request, response));
  server.on('connection', (socket) => connections.add(socket));
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // Who asks first need not send what would be thrown away.
    if (declaredLength(request) <= options.bodyLimit) response.writeContinue();
    void answer(request, response);
  });
  if (options.upgrades !== undefined) {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const upgrade = upgradeOf(request, options);
      connections.whenAnswered(socket, () => {
        const refusal = upgrade && refuseAtDoor(request, options, true);
        if (refusal) {
          socket.end(rawReply(refusal));
        } else if (upgrade) {
          connections.delete(socket);
          upgrade(request, socket, head);
        } else {
          // Some clients offer another protocol with every request. It is served as if they did not.
          socket.unshift(Buffer.concat([withoutUpgrade(request), head]));
          server.emit('connection', socket);
        }
      });
    });
  }
  const port = await listen(server, options);
  server.on('error', (err) => options.log.error({ err }, 'The server has a problem'));

  let closed: Promise<void> | undefined;
  return {
    host: options.host,
    port,
    get connections() {
      return connections.size;
    },
    close() {
      closed ??= new Promise((resolve) => {
        server.close(() => resolve());
        connections.drain();
      });
      return closed;
    },
  };
}

function listen(server: Server, { host, port }: HttpOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', reject);
      const address: AddressInfo | string | null = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function createRoutes(options: HttpOptions, connections: Connections): ReadonlyMap<string, Route> {
  const { budget = new MemoryBudget() } = options;
  const rpc: Route = {
    POST: (request, response) =>
      refuseType(request, options) ??
      serveRpcRequest(
        {
          request,
          response,
          session: callerOf(request, 'http', options.door),
          isLast: () => connections.isLast(request),
          refuse: (status, error) => refusalOf(request, options, status, error),
        },
        options,
        budget,
      ),
  };
  const routes = new Map<string, Route>([
    ...RPC_PATHS.map((path) => [path, rpc] as const),
    ['/is_alive', { GET: () => text(200, 'Alive!!!'), isOpen: true }],
    ['/config', { GET: (request) => serveConfig(request, options) }],
  ]);
  const { explorer } = options;
  if (explorer) {
    routes.set('/ui', {
      // A browser that opens a page cannot bring a token. The page holds no secret.
      GET: (request) =>
        explorer.serve(pathOf(request), String(request.headers['accept-encoding'] ?? '')),
      isOpen: true,
      isOwn: true,
    });
  }
  for (const path of options.upgrades?.keys() ?? []) {
    if (routes.has(path)) continue;
    const GET = () => text(400, 'This path takes WebSocket connections only');
    routes.set(path, { GET, isOpen: true });
  }
  return routes;
}

function serve(
  routes: ReadonlyMap<string, Route>,
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpOptions,
): Reply | Promise<Reply | undefined> {
  const { method } = request;
  const path = pathOf(request);
  const route = routes.get(Explorer.owns(path) ? '/ui' : path);
  // A browser asks whether it may show the token before it does.
  const asksForToken = method !== 'OPTIONS' && route !== undefined && !route.isOpen;
  const refusal = refuseAtDoor(request, options, asksForToken);
  if (refusal) return refusal;
  if (method === 'OPTIONS' && !route?.isOwn) return preflight(request, options.door);
  const served = {
    explorer: options.explorer !== undefined,
    sockets: options.upgrades !== undefined,
  };
  if (route === undefined) return missed(request, options, 404, nothingAt(path, served));
  if (route.GET && (method === 'GET' || method === 'HEAD')) return route.GET(request, response);
  if (route.POST && method === 'POST') return route.POST(request, response);
  const allow = route.GET ? 'GET,HEAD' : 'POST';
  const reply = missed(request, options, 405, wrongMethodAt(path, served));
  return { ...reply, headers: { ...reply.headers, allow }, isPage: route.isOwn ?? false };
}

/** Clients of JSON-RPC show an error; other programs, and people, read a line of text. */
function missed(
  request: IncomingMessage,
  options: HttpOptions,
  status: number,
  line: string,
): Reply {
  if (request.method !== 'POST') return text(status, `${line}\n`);
  return refusalOf(request, options, status, new RpcError(-32600, line));
}

/** Where calls are taken as well, other protocols than WebSocket are only offered, and are not meant. */
function upgradeOf(request: IncomingMessage, { upgrades }: HttpOptions): Upgrade | undefined {
  const path = pathOf(request);
  const isMeant =
    !RPC_PATHS.includes(path) ||
    (request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket');
  return isMeant ? upgrades?.get(path) : undefined;
}

function refuseAtDoor(
  request: IncomingMessage,
  options: HttpOptions,
  asksForToken: boolean,
): Reply | undefined {
  const { door } = options;
  const { headers } = request;
  if (!door) return undefined;
  if (!door.admitsHost(headers.host)) {
    const message = 'This node does not go by that name; --allowed-hosts gives it one';
    return refusalOf(request, options, 403, new RpcError(-32604, message));
  }
  if (!asksForToken || door.admitsToken(headers)) return undefined;
  const error = new RpcError(-32001, 'Unauthorized: send the token as Authorization: Bearer');
  const reply = refusalOf(request, options, 401, error);
  return { ...reply, headers: { ...reply.headers, 'www-authenticate': 'Bearer' } };
}

function refusalOf(
  request: IncomingMessage,
  { door, onRefusal }: HttpOptions,
  status: number,
  error: RpcError,
): Reply {
  onRefusal?.(callerOf(request, 'http', door), `${request.method} ${pathOf(request)}`, error);
  return json(status, errorAnswer(error));
}

/** What scripts of other sites may do is decided by the method they call, which only comes after this. */
function preflight({ headers }: IncomingMessage, door: Door | undefined): Reply {
  return {
    status: 200,
    headers: {
      'access-control-allow-methods': 'GET,POST',
      'access-control-allow-headers': `content-type${door?.asksForToken ? ',authorization' : ''}`,
      // Pages from the internet may be asked for this before they reach a private address.
      ...(headers['access-control-request-private-network'] && {
        'access-control-allow-private-network': 'true',
      }),
    },
  };
}

/** An answer on a connection that node has let go of. */
function rawReply({ status, headers, body = '' }: Reply): string {
  const all = { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const first = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`;
  return `${[first, ...lines].join('\r\n')}\r\n\r\n${body}`;
}

function pathOf(request: IncomingMessage): string {
  const url = request.url ?? '/';
  // Proxies may send the whole address.
  const path = url.startsWith('/') ? url : url.replace(/^[a-z]+:\/\/[^/]*/i, '') || '/';
  return path.split('?', 1)[0] ?? path;
}

/** The head of a request without the header that made node hand the connection over. */
function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name, value] = [rawHeaders[at], rawHeaders[at + 1]];
    if (name?.toLowerCase() !== 'upgrade') lines.push(`${name}: ${value}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

function text(status: number, body: string): Reply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

function serveConfig(request: IncomingMessage, options: HttpOptions): Reply {
  const { config, door } = options;
  // It holds the seed, and so every key.
  if (door?.isForeign(request.headers)) {
    const message = 'Pages of this site may not; --allowed-origins names those that may';
    return refusalOf(request, options, 403, new RpcError(-32604, message));
  }
  const reply = json(200, config());
  const link = '</rpc>; rel="successor-version"; title="JSON-RPC method devnet_getConfig"';
  return { ...reply, headers: { ...reply.headers, deprecation: 'true', link } };
}

function refuseType(request: IncomingMessage, options: HttpOptions): Reply | undefined {
  const type = request.headers['content-type'] ?? '';
  if (JSON_TYPE.test(type)) return undefined;
  const wrong = `Content-Type must be application/json, got ${type.slice(0, LONGEST_TYPE)}`;
  const reason = type === '' ? 'Missing content type' : wrong;
  return refusalOf(request, options, 200, new RpcError(-32600, 'Invalid request', { reason }));
}
