// Servers of a node: HTTP, WebSockets on the same port, and the metrics page.

import type { ListenOptions, ServerAddress } from '../library/local-chain.js';
import type { Log } from '../log.js';
import { VERSION_PATHS } from '../rpc/versions/versions.js';
import { AccessRules } from '../server/access.js';
import type { BodyLog } from '../server/body-log.js';
import { connectionLimit } from '../server/descriptors.js';
import { Explorer } from '../server/http/explorer-files.js';
import type { Hold, Target } from '../server/http/request-target.js';
import { type HttpServer, serveHttp } from '../server/http/server.js';
import type { Upgrade } from '../server/http/upgrade.js';
import { WalletScript } from '../server/http/wallet-script.js';
import type { Sockets } from '../server/ws/server.js';
import type { ChainService } from '../service/chain-service.js';
import type { Instances } from '../service/instances.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { Lifecycle, Part } from './lifecycle.js';
import { ServiceTarget } from './targets.js';

/** Paths that take WebSocket connections, besides those of single versions. */
const SOCKET_PATHS = ['/ws', '/', '/rpc', '/ws/rpc'];

/** How long a node must have had little to do before each step of its warm-up. */
const QUIET_MILLISECONDS = 20;
/** Share of the time in which a node with little to do is busy. */
const QUIET_SHARE = 0.2;

/** What the chain of the node has and branches have not. */
export interface RootParts {
  readonly telemetry: Telemetry;
  readonly logBodies: BodyLog | undefined;
  readonly instances: Instances;
}

export interface ListenerParts {
  readonly service: ChainService;
  readonly root?: RootParts | undefined;
  /** Makes ready what the first request needs. */
  readonly warm: () => Promise<unknown>;
  readonly log: Log;
}

/** Far more than any client keeps open; a client that leaks connections runs into it. */
const MAX_CONNECTIONS = 10_000;

export class Listeners implements Part {
  readonly #parts: ListenerParts;
  readonly #lifecycle: Lifecycle;
  readonly #access: AccessRules;
  readonly #target: ServiceTarget;
  /** Of chains of instances that have had a request. */
  readonly #targets = new WeakMap<ChainService, ServiceTarget>();
  #opening: Promise<ServerAddress> | undefined;
  /** What the last opening opened. */
  #opened: Lifecycle | undefined;
  #loadingSockets: Promise<Sockets> | undefined;
  #sockets: Sockets | undefined;
  #warming: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: ListenerParts, lifecycle: Lifecycle) {
    this.#parts = parts;
    this.#lifecycle = lifecycle;
    const { config } = parts.service.base;
    this.#target = new ServiceTarget(parts.service, parts.root?.logBodies);
    this.#access = new AccessRules({ ...config, token: config.authToken });
  }

  /** WebSockets, once they are loaded. */
  get sockets(): Sockets | undefined {
    return this.#sockets;
  }

  /** Opens the servers, once. After a failure it can be tried again. */
  listen(at: ListenOptions = {}): Promise<ServerAddress> {
    if (this.#isStopped) return Promise.reject(new Error('The node is closed'));
    this.#opening ??= this.#open(at).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #open(at: ListenOptions): Promise<ServerAddress> {
    const steps = this.#lifecycle.openNested();
    this.#opened = steps;
    const { service, root } = this.#parts;
    const { binding } = service;
    // Works on a thread of the engine while this one opens the server.
    void this.#take(() => service.base.genesis.warm());
    return steps.run(async () => {
      const page = await steps.open('metrics page', () =>
        root?.telemetry.openPage((header) => this.#access.hostRefusal(header)),
      );
      await service.beginTime();
      const server = await steps.open('HTTP server', () => this.#serveHttp(at));
      // Closed before the HTTP server, which waits for every connection to end.
      steps.push({ close: () => this.#closeSockets() });
      binding.bind(server);
      // Clients count the interval of blocks from when they can connect.
      service.start();
      this.#warm();
      const { host, port } = server;
      return { host, port, url: binding.url ?? '', metricsUrl: page?.url };
    });
  }

  #serveHttp(at: ListenOptions): Promise<HttpServer> {
    const { service, root, log } = this.#parts;
    const { config } = service.base;
    const { dispatcher, paymaster, onRefusal } = this.#target;
    const paths = VERSION_PATHS.flatMap((path) => [path, `/ws${path}`]);
    return serveHttp({
      dispatcher,
      versions: new Map(VERSION_PATHS.map((path) => [path, this.#target.at(path)])),
      paymaster,
      config: this.#target.config,
      onRefusal,
      host: at.host ?? config.host,
      port: at.port ?? config.port,
      timeoutSeconds: config.timeout,
      bodyLimit: config.requestBodySizeLimit,
      instance: root && ((id, hold) => this.#instance(id, hold, root.instances)),
      upgrades: new Map([...SOCKET_PATHS, ...paths].map((path) => [path, this.#upgradeAt(path)])),
      explorer: config.ui ? new Explorer() : undefined,
      wallet: config.wallet ? new WalletScript() : undefined,
      access: this.#access,
      maximumConnections: this.#connectionLimit(),
      log,
    });
  }

  /** Fewer where the process may open few files. */
  #connectionLimit(): number {
    const limit = connectionLimit(MAX_CONNECTIONS);
    if (limit < MAX_CONNECTIONS) {
      this.#parts.log.info(
        `At most ${limit} concurrent connections, because of the limit of open files (ulimit -n)`,
      );
    }
    return limit;
  }

  /** Undefined if it does not exist; a promise for one that is opened first. */
  #instance(id: string, hold: Hold, instances: Instances): Target | Promise<Target> | undefined {
    const service = instances.find(id, hold);
    if (!service) return undefined;
    if (!(service instanceof Promise)) return this.#targetOf(service);
    return service.then((opened) => this.#targetOf(opened));
  }

  #targetOf(service: ChainService): ServiceTarget {
    const target = this.#targets.get(service) ?? new ServiceTarget(service);
    this.#targets.set(service, target);
    return target;
  }

  #upgradeAt(path: string): Upgrade {
    return (request, socket, head, target) => {
      const served = target instanceof ServiceTarget ? target : this.#target;
      socket.on('error', () => {}); // the client is gone
      this.#loadSockets().then(
        (sockets) => sockets.upgrade(request, socket, head, served.socketAt(path)),
        (err: unknown) => {
          this.#parts.log.error({ err }, 'WebSockets cannot be served');
          socket.destroy();
        },
      );
    };
  }

  /** Loaded after the port is open, because WebSockets are a fifth of a start. */
  #loadSockets(): Promise<Sockets> {
    this.#loadingSockets ??= import('../server/ws/server.js').then(({ serveSockets }) => {
      const { service, root, log } = this.#parts;
      const { config } = service.base;
      const { owner: _, ...own } = this.#target.socketAt('/ws');
      const sockets = serveSockets({
        ...own,
        messageLimit: config.requestBodySizeLimit,
        log,
      });
      root?.instances.whenClosed((closed) => sockets.endThoseOf(closed));
      this.#sockets = sockets;
      return sockets;
    });
    this.#loadingSockets.catch(() => {
      // The next connection tries again.
      this.#loadingSockets = undefined;
    });
    return this.#loadingSockets;
  }

  async #closeSockets(): Promise<void> {
    await this.#loadingSockets?.catch(() => undefined);
    this.#sockets?.close();
  }

  #warm(): void {
    const { warm } = this.#parts;
    // Clients that wait for the port are answered first.
    this.#warming = setTimeout(
      () => this.#takeWhenQuiet([warm, () => this.#loadSockets()]),
      QUIET_MILLISECONDS,
    );
  }

  /** Takes one step after each quiet moment: clients that call already wait for none of them. */
  #takeWhenQuiet([step, ...later]: readonly (() => unknown)[]): void {
    if (!step || this.#isStopped) return;
    const before = performance.eventLoopUtilization();
    this.#warming = setTimeout(async () => {
      const { utilization } = performance.eventLoopUtilization(before);
      const isQuiet = utilization < QUIET_SHARE;
      if (isQuiet) await this.#take(step);
      this.#takeWhenQuiet(isQuiet ? later : [step, ...later]);
    }, QUIET_MILLISECONDS);
  }

  async #take(step: () => unknown): Promise<void> {
    try {
      await step();
    } catch (err) {
      this.#parts.log.warn({ err }, 'preparing for the first requests failed');
    }
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#warming);
  }

  async close(): Promise<void> {
    this.stop();
    // An opening that fails has closed what it opened.
    await this.#opening?.catch(() => undefined);
    clearTimeout(this.#warming);
    await this.#opened?.close();
  }
}
