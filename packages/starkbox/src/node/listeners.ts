// Servers of a node: HTTP, WebSockets on the same port, and the metrics page.
import type { Chain } from '../chain/chain.js';
import type { Config } from '../config/options.js';
import { stringify } from '../json/json.js';
import type { Log } from '../log.js';
import type { Dispatcher } from '../rpc/protocol/dispatcher.js';
import { NEWEST, OLDER_NAMES } from '../rpc/versions/versions.js';
import { MemoryBudget } from '../scheduling/memory-budget.js';
import { AccessRules } from '../server/access.js';
import { Explorer } from '../server/http/explorer-files.js';
import { type HttpServer, serveHttp, type Upgrade } from '../server/http/server.js';
import { WalletScript } from '../server/http/wallet-script.js';
import type { Sockets } from '../server/ws/server.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { Binding } from './binding.js';
import type { Lifecycle, Part } from './lifecycle.js';
import type { RpcService } from './rpc-service.js';

/** Paths that take WebSocket connections, besides those of single versions. */
const SOCKET_PATHS = ['/ws', '/', '/rpc', '/ws/rpc'];

/** Delay of the warm-up, so that clients that wait for the port are answered first. */
const WARM_UP_MILLISECONDS = 20;

export interface Address {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** The URL of the metrics page, if there is one. */
  readonly metricsUrl?: string | undefined;
}

export interface ListenerParts {
  readonly config: Config;
  readonly chain: Chain;
  readonly service: RpcService;
  /** Answers requests from the network. */
  readonly dispatcher: Pick<Dispatcher, 'handle'>;
  /** The same for an older version of the specification. */
  readonly older: (version: string) => Pick<Dispatcher, 'handle'>;
  readonly telemetry: Telemetry;
  readonly binding: Binding;
  /** Makes ready what the first request needs. */
  readonly warm: () => Promise<unknown>;
  /** Called when the port is open. */
  readonly onListening: () => void;
  readonly log: Log;
}

export class Listeners implements Part {
  /** Memory that requests and answers may hold together. */
  readonly budget: MemoryBudget;
  readonly #parts: ListenerParts;
  readonly #lifecycle: Lifecycle;
  readonly #access: AccessRules;
  #opening: Promise<Address> | undefined;
  /** What the last opening opened. */
  #opened: Lifecycle | undefined;
  #loadingSockets: Promise<Sockets> | undefined;
  #sockets: Sockets | undefined;
  #warming: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: ListenerParts, lifecycle: Lifecycle) {
    this.#parts = parts;
    this.#lifecycle = lifecycle;
    const { config } = parts;
    this.budget = new MemoryBudget(config.memoryBudget);
    this.#access = new AccessRules({ ...config, token: config.authToken });
  }

  /** WebSockets, once they are loaded. */
  get sockets(): Sockets | undefined {
    return this.#sockets;
  }

  /** Opens the servers, once. After a failure it can be tried again. */
  listen(): Promise<Address> {
    if (this.#isStopped) return Promise.reject(new Error('The node is closed'));
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<Address> {
    const steps = this.#lifecycle.nested();
    this.#opened = steps;
    const { telemetry, binding, onListening } = this.#parts;
    return steps.run(async () => {
      const page = await steps.open('metrics page', () =>
        telemetry.openPage((name) => this.#access.admitsHost(name)),
      );
      const server = await steps.open('HTTP server', () => this.#serveHttp());
      // Closed before the HTTP server, which waits for every connection to end.
      steps.push({ close: () => this.#closeSockets() });
      binding.server = server;
      onListening();
      this.#warming = setTimeout(() => this.#warm(), WARM_UP_MILLISECONDS);
      const { host, port } = server;
      return { host, port, url: `http://${binding.authority}`, metricsUrl: page?.url };
    });
  }

  #serveHttp(): Promise<HttpServer> {
    const { config, chain, service, dispatcher, older, log } = this.#parts;
    const versions = new Map([
      ...OLDER_NAMES.toReversed().map((name) => [`/rpc/${name}`, older(name)] as const),
      [`/rpc/${NEWEST}`, dispatcher] as const,
    ]);
    const sockets = [...versions].flatMap(([path, of]) => {
      const upgrade: Upgrade = (request, socket, head) => this.#upgrade(request, socket, head, of);
      return [path, `/ws${path}`].map((at) => [at, upgrade] as const);
    });
    return serveHttp({
      dispatcher,
      versions,
      host: config.host,
      port: config.port,
      timeoutSeconds: config.timeout,
      bodyLimit: config.requestBodySizeLimit,
      budget: this.budget,
      config: () => stringify(service.configOf(chain)),
      upgrades: new Map([
        ...SOCKET_PATHS.map((path): [string, Upgrade] => [path, this.#upgrade]),
        ...sockets,
      ]),
      explorer: config.ui ? new Explorer() : undefined,
      wallet: config.wallet ? new WalletScript() : undefined,
      access: this.#access,
      maximumConnections: config.maximumConnections,
      onRefusal: (session, what, error) => service.requests.refused(session, what, error),
      log,
    });
  }

  readonly #upgrade = (
    ...[request, socket, head, dispatcher]: Parameters<Sockets['upgrade']>
  ): void => {
    socket.on('error', () => {}); // the client is gone
    this.#loadSockets().then(
      (sockets) => sockets.upgrade(request, socket, head, dispatcher),
      (err: unknown) => {
        this.#parts.log.error({ err }, 'WebSockets cannot be served');
        socket.destroy();
      },
    );
  };

  /** Loaded after the port is open, because WebSockets are a fifth of a start. */
  #loadSockets(): Promise<Sockets> {
    this.#loadingSockets ??= import('../server/ws/server.js').then(({ serveSockets }) => {
      const { config, service, dispatcher, log } = this.#parts;
      this.#sockets = serveSockets({
        dispatcher,
        access: this.#access,
        maximumSockets: config.maximumSockets,
        messageLimit: config.requestBodySizeLimit,
        budget: this.budget,
        queueLimit: { messages: config.maximumQueuedMessages, bytes: config.maximumQueuedBytes },
        beforeAnswer: () => service.subscriptions.catchUp(),
        onClose: (listener) => service.subscriptions.drop(listener),
        log,
      });
      return this.#sockets;
    });
    return this.#loadingSockets;
  }

  async #closeSockets(): Promise<void> {
    (await this.#loadingSockets)?.close();
  }

  #warm(): void {
    const { warm, log } = this.#parts;
    Promise.all([warm(), this.#loadSockets()]).catch((err: unknown) =>
      log.warn({ err }, 'preparing for the first request failed'),
    );
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#warming);
  }

  async close(): Promise<void> {
    // An opening that fails has closed what it opened.
    await this.#opening?.catch(() => undefined);
    clearTimeout(this.#warming);
    await this.#opened?.close();
  }
}
