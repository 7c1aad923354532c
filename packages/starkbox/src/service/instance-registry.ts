// Registry of instances: what a node needs of instances in memory, in its data directory or in an object store.
import type { Config } from '../config/options.js';
import type { Dispatcher } from '../rpc/protocol/dispatcher.js';
import type { Hold } from '../server/http/request-target.js';
import type { RegistryMetric } from '../telemetry/metrics.js';
import type { ChainService, InstanceMethods } from './chain-service.js';

export type Requests = Pick<Dispatcher, 'handle'>;

export interface InstanceRegistry extends InstanceMethods {
  /** Instances of the data directory in memory. */
  readonly open: number;
  readonly metrics: readonly RegistryMetric[];
  /** Names of clients by the SHA-256 of their tokens, in hexadecimal; undefined if all callers have the same rights. */
  readonly clients: ReadonlyMap<string, string> | undefined;
  /** Undefined if this node has its instances for itself. */
  readonly fleet: FleetMember | undefined;
  /**
   * The chain of an instance that is about to get a request; a promise while it is being opened.
   *
   * @param client reaches its own instances only; undefined reaches all
   * @param hold is given what is called when the request is over
   * @returns undefined if there is no such instance
   */
  find(
    id: string,
    client: string | undefined,
    hold: Hold,
  ): ChainService | Promise<ChainService | undefined> | undefined;
  /**
   * Requests to an instance, whose chain may be another one at each of them.
   *
   * @param service the chain that was found
   * @param requestsOf the requests to a chain
   */
  requestsTo(
    id: string,
    service: ChainService,
    requestsOf: (service: ChainService) => Requests,
  ): Requests;
  /** Calls a function when the chain of an instance is about to be closed, so that its connections are closed. */
  whenClosed(close: (service: ChainService) => void): void;
  /** Starts no new work. */
  stop(): void;
  close(): Promise<void>;
}

/** A node that shares its instances with others. */
export interface FleetMember {
  /** Called once, when the address of the node is known. */
  join(): Promise<void>;
  /** Writes an instance back for another node; false while this one needs it. */
  release(id: string): Promise<boolean>;
}

/** A store outside of the node, opened before its chain. */
export interface InstanceStore {
  /** @param root the service of the node's own chain */
  registryOf(root: ChainService): InstanceRegistry;
  close(): Promise<void>;
}

/** What the package of a registry exports. */
export interface HostingPackage {
  /** The class of this package, unless it uses another copy of it. */
  readonly RpcError: unknown;
  /** @throws ConfigError if the store cannot be used */
  openInstanceStore(config: Config): Promise<InstanceStore>;
  /** The command `starkbox gc`: the text to print. */
  collect(options: CollectOptions): Promise<string>;
}

export interface CollectOptions {
  /** The address of the store. */
  readonly store: string | undefined;
  readonly hours: string | undefined;
  readonly isDryRun: boolean;
  readonly json: boolean;
}
