// HTTP server: routes, headers, limits, upgrades and an orderly stop.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { ERRORS } from '@starkbox/spec';
import { RpcError } from '../../errors.js';
import type { Log } from '../../log.js';
import type { Session } from '../../rpc/protocol/call-context.js';
import { errorAnswer } from '../../rpc/protocol/envelope.js';
import type { AccessRules } from '../access.js';
import { callerOf } from '../caller.js';
import { declaredLength } from './body.js';
import { Connections, type OpenRequest } from './connections.js';
import { Explorer } from './explorer-files.js';
import { nothingAt, PAYMASTER_PATH, RPC_PATHS, wrongMethodAt } from './not-found.js';
import {
  notOpened,
  refusalOf,
  refuseAccess,
  refuseBeforeLookup,
  refuseType,
  refuseWallet,
  type Unopened,
} from './refusals.js';
import { json, preflight, type Reply, text } from './reply.js';
import {
  type Destination,
  destinationOf,
  type FindInstance,
  NO_INSTANCE,
  pathOf,
  type Target,
} from './request-target.js';
import { type RpcRequestOptions, serveRpcRequest } from './rpc-request.js';
import { send } from './send-reply.js';
import { rawReply, type Upgrade, withoutUpgrade } from './upgrade.js';
import { WALLET_PATH, type WalletScript } from './wallet-script.js';

export interface HttpOptions extends Target, Omit<RpcRequestOptions, 'dispatcher'> {
  /** None by default. */
  readonly versions?: ReadonlyMap<string, RpcRequestOptions['dispatcher']>;
  /** Another chain, by its id in paths that begin with `/instances/`. */
  readonly instance?: FindInstance | undefined;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly log: Log;
  /** Everyone has access by default. */
  readonly access?: AccessRules | undefined;
  /** The most connections at a time; more are closed at once. */
  readonly maximumConnections?: number;
  /** How long the head of a request may take. */
  readonly headSeconds?: number;
  /** Serves the paths below `/ui`. */
  readonly explorer?: Explorer | undefined;
  /** Serves the script of the wallet. */
  readonly wallet?: WalletScript | undefined;
  /** Paths that take another protocol, and what takes over their connections. */
  readonly upgrades?: ReadonlyMap<string, Upgrade>;
}

export interface HttpServer {
  readonly host: string;
  readonly port: number;
  /** Open connections without upgraded ones. */
  readonly connections: number;
  /** Accepts nothing more, answers what is under way, and resolves when every connection is closed. */
  close(): Promise<void>;
}

/** Returns the reply, or writes it and returns undefined. */
type Serve = (
  open: OpenRequest,
  { target, path }: Destination,
) => Reply | Promise<Reply | undefined>;

interface Route {
  readonly GET?: Serve;
  readonly POST?: Serve;
  /** Needs no token, and pages of all sites may load it. */
  readonly isOpen?: boolean;
  /** Sends no CORS headers. */
  readonly isOwn?: boolean;
  /** A header that pages of other sites may send. */
  readonly header?: string;
}

/** Longer than the pools of clients keep a connection, so that the client closes it. */
const KEEP_ALIVE_MILLISECONDS = 65_000;
/** How long the head of a request may take. */
const HEAD_SECONDS = 15;
/** How often that is checked. */
const CHECK_MILLISECONDS = 1_000;
/** Connections that may wait to be accepted; with a short queue, clients wait for seconds. */
const BACKLOG = 4096;
/** Bytes; clients send less than a tenth of it. */
const LARGEST_HEAD = 16 * 1024;
/** Carries the key of a client of the paymaster, as with the service of AVNU. */
const API_KEY_HEADER = 'x-paymaster-api-key';

/**
 * Serves JSON-RPC over HTTP. Rejects with the error of the system, such as one with code
 * `EADDRINUSE`, if it cannot listen.
 */
export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  const connections = new Connections();
  const routes = createRoutes(options, connections);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const open = connections.enter(request, response);
    response.on('error', () => {}); // the client is gone
    let reply: Reply | undefined;
    try {
      reply = await serve(routes, open, options);
    } catch (err) {
      if (request.socket.destroyed) return; // the client is gone
      options.log.error({ err }, 'an HTTP request failed unexpectedly');
      reply = json(500, errorAnswer(new RpcError(ERRORS.INTERNAL_ERROR.code, 'Internal error')));
    }
    if (reply) send(reply, request, response, connections.isLast(open));
  };

  const timeout = options.timeoutSeconds * 1000;
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
    headersTimeout: Math.min((options.headSeconds ?? HEAD_SECONDS) * 1000, timeout),
    connectionsCheckingInterval: CHECK_MILLISECONDS,
    maxHeaderSize: LARGEST_HEAD,
    requestTimeout: timeout,
  });
  server.setTimeout(timeout, (socket) => connections.expire(socket));
  // For Node, zero means no limit.
  if (options.maximumConnections) server.maxConnections = options.maximumConnections;
  const serveRequest = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response).catch((err: unknown) => {
      options.log.error({ err }, 'an HTTP response could not be sent');
      response.destroy();
    });
  };
  server.on('request', serveRequest);
  server.on('connection', (socket) => connections.add(socket));
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // A body that is too large need not be sent.
    if (declaredLength(request) <= options.bodyLimit) response.writeContinue();
    serveRequest(request, response);
  });
  if (options.upgrades !== undefined) {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const take = (destination: Destination | undefined): void => {
        const upgrade = destination && upgradeOf(request, destination, routes, options);
        connections.whenAnswered(socket, () => {
          const refusal = upgrade && refuseAccess(request, options, 'call');
          if (refusal) {
            socket.end(rawReply(refusal));
          } else if (upgrade) {
            connections.delete(socket);
            upgrade(request, socket, head, destination.target);
          } else {
            // Some clients offer another protocol with every request; the offer is ignored.
            socket.unshift(Buffer.concat([withoutUpgrade(request), head]));
            server.emit('connection', socket);
          }
        });
      };
      const earlyRefusal = refuseBeforeLookup(request, options);
      if (earlyRefusal)
        return connections.whenAnswered(socket, () => socket.end(rawReply(earlyRefusal)));
      const destination = destinationOf(request, options, options, (release) =>
        socket.once('close', release),
      );
      if (!(destination instanceof Promise)) return take(destination);
      destination.then(take, (error: unknown) =>
        socket.end(rawReply(notOpened(error, options.log).reply)),
      );
    });
  }
  const port = await listen(server, options);
  server.on('error', (err) => options.log.error({ err }, 'the HTTP server failed'));

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
  const { timeoutSeconds, bodyLimit } = options;
  const calls = (
    dispatcherAt: (destination: Destination) => Target['dispatcher'],
    sessionFacts?: (request: IncomingMessage) => Partial<Session>,
  ): Route => ({
    POST: (open, destination) => {
      const { request } = open;
      const { target } = destination;
      const caller = callerOf(request, 'http');
      return (
        refuseType(request, target) ??
        serveRpcRequest(
          {
            open,
            session: sessionFacts ? { ...caller, ...sessionFacts(request) } : caller,
            isLast: () => connections.isLast(open),
            refuse: (status, error) =>
              refusalOf(request, { onRefusal: target.onRefusal }, status, error),
          },
          {
            dispatcher: dispatcherAt(destination),
            timeoutSeconds,
            bodyLimit,
          },
        )
      );
    },
  });
  const rpc = calls(({ target, path }) => target.versions?.get(path) ?? target.dispatcher);
  const routes = new Map<string, Route>([
    ...[...RPC_PATHS, ...(options.versions?.keys() ?? [])].map((path) => [path, rpc] as const),
    ['/is_alive', { GET: () => text(200, 'Alive!!!'), isOpen: true }],
    ['/config', { GET: ({ request }, { target }) => serveConfig(request, target) }],
  ]);
  if (options.paymaster) {
    const paymaster = calls(
      ({ target }) => target.paymaster ?? target.dispatcher,
      ({ headers }) => ({ apiKey: headers[API_KEY_HEADER]?.toString() }),
    );
    routes.set(PAYMASTER_PATH, { ...paymaster, header: API_KEY_HEADER });
  }
  const { explorer } = options;
  if (explorer) {
    routes.set('/ui', {
      // A browser that opens a page cannot send a token. The page holds no secret.
      GET: ({ request }, { path }) => explorer.serve(path, acceptedBy(request)),
      isOpen: true,
      isOwn: true,
    });
  }
  const { wallet } = options;
  if (wallet) {
    const GET: Serve = ({ request }) =>
      refuseWallet(request, options) ?? wallet.serve(acceptedBy(request));
    routes.set(WALLET_PATH, { GET, isOpen: true });
  }
  for (const path of options.upgrades?.keys() ?? []) {
    if (routes.has(path)) continue;
    const GET = () => text(400, 'This path accepts only WebSocket connections');
    routes.set(path, { GET, isOpen: true });
  }
  return routes;
}

function serve(
  routes: ReadonlyMap<string, Route>,
  open: OpenRequest,
  options: HttpOptions,
): Reply | Promise<Reply | undefined> {
  const { request } = open;
  const earlyRefusal = refuseBeforeLookup(request, options);
  if (earlyRefusal) return earlyRefusal;
  const destination = destinationOf(request, options, options, (release) =>
    open.response.once('close', release),
  );
  if (!(destination instanceof Promise)) return serveAt(destination, routes, open, options);
  return destination.then(
    (opened) => serveAt(opened, routes, open, options),
    (error: unknown) => serveUnopened(notOpened(error, options.log), routes, open),
  );
}

/** A call is read for the id that its answer needs. */
async function serveUnopened(
  { reply, target }: Unopened,
  routes: ReadonlyMap<string, Route>,
  open: OpenRequest,
): Promise<Reply | undefined> {
  const [path = ''] = RPC_PATHS;
  const call = open.request.method === 'POST' ? routes.get(path)?.POST : undefined;
  if (!call) return reply;
  const answer = await call(open, { target, path });
  return answer?.status === 200 ? { ...answer, status: reply.status } : answer;
}

function serveAt(
  destination: Destination | undefined,
  routes: ReadonlyMap<string, Route>,
  open: OpenRequest,
  options: HttpOptions,
): Reply | Promise<Reply | undefined> {
  const { request } = open;
  const { method } = request;
  const path = destination?.path ?? pathOf(request);
  const route = destination && routes.get(Explorer.owns(path) ? '/ui' : path);
  // A preflight carries no token. It passes for every page, so that the page can read why its call is rejected.
  const isCall = method !== 'OPTIONS' && (!destination || (route !== undefined && !route.isOpen));
  const refusal = refuseAccess(request, options, isCall ? 'call' : 'file');
  if (refusal) return refusal;
  if (method === 'OPTIONS' && !route?.isOwn) {
    return preflight(request, options.access, route?.header);
  }
  if (!destination) return replyToMissing(request, options, 404, NO_INSTANCE);
  if (route === undefined) return replyToMissing(request, options, 404, nothingAt(path, options));
  if (route.GET && (method === 'GET' || method === 'HEAD')) {
    return route.GET(open, destination);
  }
  if (route.POST && method === 'POST') return route.POST(open, destination);
  const allow = route.GET ? 'GET,HEAD' : 'POST';
  const reply = replyToMissing(request, options, 405, wrongMethodAt(path, options));
  return { ...reply, headers: { ...reply.headers, allow }, isPage: route.isOwn ?? false };
}

/** JSON-RPC clients get an error, others a line of text. */
function replyToMissing(
  request: IncomingMessage,
  options: HttpOptions,
  status: number,
  line: string,
): Reply {
  if (request.method !== 'POST') return text(status, `${line}\n`);
  return refusalOf(request, options, status, new RpcError(ERRORS.INVALID_REQUEST.code, line));
}

/** On paths that also take calls, only a GET for WebSocket is an upgrade; other offers are ignored. */
function upgradeOf(
  request: IncomingMessage,
  { path }: Destination,
  routes: ReadonlyMap<string, Route>,
  { upgrades }: HttpOptions,
): Upgrade | undefined {
  const isUpgrade =
    !routes.get(path)?.POST ||
    (request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket');
  return isUpgrade ? upgrades?.get(path) : undefined;
}

function serveConfig(request: IncomingMessage, { config, onRefusal }: Target): Reply {
  const publicConfig = config();
  if (publicConfig === undefined) {
    const reason = '/config returns the same as devnet_getConfig, which --restrictive-mode forbids';
    const error = new RpcError(ERRORS.METHOD_FORBIDDEN.code, 'Method forbidden', { reason });
    return refusalOf(request, { onRefusal }, 403, error);
  }
  const reply = json(200, publicConfig);
  const link = '</rpc>; rel="successor-version"; title="JSON-RPC method devnet_getConfig"';
  return { ...reply, headers: { ...reply.headers, deprecation: 'true', link } };
}

function acceptedBy({ headers }: IncomingMessage): string {
  return String(headers['accept-encoding'] ?? '');
}
