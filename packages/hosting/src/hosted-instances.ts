// Instances in an object store, as the methods and servers of a node reach them.

import { randomBytes } from 'node:crypto';
import {
  type ChainService,
  type FixedOptions,
  type FleetMember,
  fixedOptionsOf,
  type Handler,
  type InstanceControls,
  type InstanceRegistry,
  type InstanceWish,
  type RegistryMetric,
  type Requests,
  RpcError,
  realMilliseconds,
  refuse,
  shownInstance,
} from 'starkbox/registry';
import { explain } from './hosted-chain.js';
import { hostedRequests } from './hosted-requests.js';
import type { HostingOptions } from './hosting-options.js';
import { type InitialContents, InitialContentsFactory } from './initial-contents.js';
import { listed } from './instance-list.js';
import { LayerStore } from './layers/layer-store.js';
import { LoadedInstances } from './loaded-instances.js';
import type { HostedRecord } from './manifest.js';
import type { Membership } from './membership.js';
import { type ObjectStore, UncertainError } from './objects/object-store.js';
import { OwnedManifest } from './owned-manifest.js';
import { Ownership } from './ownership.js';

/** The node's own chain, where the id of an instance can stand. */
const ROOT = 'root';
const ID_BYTES = 8;

export class HostedInstances implements InstanceRegistry {
  readonly #root: ChainService;
  readonly #objects: ObjectStore;
  readonly #membership: Membership;
  readonly #options: HostingOptions;
  readonly #settings: FixedOptions;
  readonly #ownership: Ownership;
  readonly #loaded: LoadedInstances;
  readonly #initialContents: InitialContentsFactory;
  /** Deletions that are under way, by tenant and instance. */
  readonly #deletions = new Map<string, Promise<boolean>>();

  constructor(
    root: ChainService,
    objects: ObjectStore,
    membership: Membership,
    options: HostingOptions,
  ) {
    this.#root = root;
    this.#objects = objects;
    this.#membership = membership;
    this.#options = options;
    const layers = new LayerStore(objects);
    this.#initialContents = new InitialContentsFactory(root, layers);
    const { config } = root.base;
    this.#settings = fixedOptionsOf(config, root.chain.options.fork?.block.hash);
    const ownership = new Ownership(objects, this.#settings, options);
    this.#ownership = ownership;
    this.#loaded = new LoadedInstances(root, layers, { membership, ownership }, options);
  }

  /** Instances in memory. */
  get open(): number {
    return this.#loaded.count;
  }

  get count(): number {
    return this.#loaded.count;
  }

  get metrics(): readonly RegistryMetric[] {
    return [
      {
        kind: 'gauge',
        name: 'starkbox_hosting_loaded_instances',
        help: 'Instances of the object store in memory',
        read: () => this.#loaded.count,
      },
      {
        kind: 'counter',
        name: 'starkbox_hosting_loads_total',
        help: 'Instances of the object store that were loaded',
        read: () => this.#loaded.loads,
      },
      {
        kind: 'counter',
        name: 'starkbox_hosting_store_requests_total',
        help: 'Requests to the object store',
        read: () => this.#objects.requests,
      },
      {
        kind: 'counter',
        name: 'starkbox_hosting_lost_leases_total',
        help: 'Leases of this node that were lost',
        read: () => this.#membership.lostLeases,
      },
      {
        kind: 'labelled counter',
        name: 'starkbox_hosting_tenant_executions_total',
        help: 'Executions, by tenant',
        label: 'tenant',
        read: () => this.#options.tenants?.executions ?? {},
      },
    ];
  }

  get clients(): ReadonlyMap<string, string> | undefined {
    return this.#options.tenants?.byDigest;
  }

  /** Takes the lease of this node, once its address is known. */
  readonly fleet: FleetMember = {
    join: () => this.#membership.open(),
    release: (id) => this.#loaded.release(id),
  };

  find(id: string, tenant: string | undefined): Promise<ChainService | undefined> {
    return this.run(id, tenant, async (service) => service);
  }

  requestsTo(
    id: string,
    _service: ChainService,
    requestsOf: (service: ChainService) => Requests,
  ): Requests {
    return hostedRequests(id, (...work) => this.run(...work), requestsOf);
  }

  whenClosed(close: (service: ChainService) => void): void {
    this.#loaded.whenEnded(close);
  }

  /**
   * Runs work on an instance, which stays loaded meanwhile. Its result is returned only while the lease
   * is held under which it was loaded.
   *
   * @param tenant reaches its own instances only; undefined reaches all
   * @param work is given what throws once that lease is lost, for answers that are sent in pieces
   * @returns undefined if there is no such instance
   * @throws InstanceElsewhere if another node has it
   */
  run<T>(
    id: string,
    tenant: string | undefined,
    work: (service: ChainService, mustHold: () => void) => Promise<T>,
  ): Promise<T | undefined> {
    return this.#loaded.use(id, tenant, ({ service }, mustHold) => work(service, mustHold));
  }

  controlsFor(caller: ChainService): InstanceControls {
    return {
      create: (wish, tenant) => this.#explained(this.#create(wish, tenant, caller)),
      list: (...page) => this.#explained(listed(this.#objects, page, this.#url)),
      delete: (id, tenant) => this.#explained(this.#delete(id, tenant)),
    };
  }

  guarded(service: ChainService, method: string, handler: Handler): Handler {
    const isInstance = (): boolean => this.#loaded.idOf(service) !== undefined;
    return this.#options.tenants?.guarded(method, handler, isInstance) ?? handler;
  }

  async #create(
    wish: InstanceWish,
    tenant: string | undefined,
    caller: ChainService,
  ): ReturnType<InstanceControls['create']> {
    if (wish.from !== undefined && wish.options !== undefined) {
      refuse('With options the chain begins at a new genesis: omit either from or options');
    }
    const id = randomBytes(ID_BYTES).toString('hex');
    const writer = this.#membership.id;
    // Counted first: what is beyond the quota writes nothing, and what is written is counted if the node is killed.
    if (tenant !== undefined) await this.#ownership.ofTenants.add(tenant, id, writer);
    try {
      await this.#write(id, writer, wish, tenant, caller);
    } catch (error) {
      // Of an unknown outcome, there may be an instance, which counts.
      const isWritten = error instanceof UncertainError;
      if (tenant !== undefined && !isWritten) await this.#uncount(tenant, id);
      throw error;
    }
    return shownInstance(this.#url, id);
  }

  async #write(
    id: string,
    writer: string,
    { from, options, name, ttl }: InstanceWish,
    tenant: string | undefined,
    caller: ChainService,
  ): Promise<void> {
    const parent = from ?? this.#loaded.idOf(caller) ?? ROOT;
    const { contents, inherited } = options
      ? await this.#initialContents.withOptions(options, caller)
      : await this.#branchOf(parent, tenant);
    const record: HostedRecord = {
      id,
      name,
      from: options ? undefined : parent,
      options: inherited,
      created: realMilliseconds(),
      ttl: ttl === 0 ? undefined : ttl,
      tenant,
    };
    const settings = this.#settings;
    await OwnedManifest.create(this.#objects, { record, settings, writer, ...contents });
  }

  /** If the store does not answer, the count is corrected later. */
  async #uncount(tenant: string, id: string): Promise<void> {
    await this.#ownership.ofTenants.remove(tenant, id).catch((err: unknown) => {
      this.#root.shared.log.warn(
        { err },
        `instance ${id} was not created, and counts towards the limit for a while`,
      );
    });
  }

  async #branchOf(id: string, tenant: string | undefined): Promise<InitialContents> {
    if (id === ROOT) return this.#initialContents.ofRoot();
    const initial = await this.#loaded.use(id, tenant, async ({ hosted, service }) => {
      const world = await service.chain.withNewest((newest) => newest.world);
      return { contents: await hosted.contents(world), inherited: service.options };
    });
    return initial ?? refuse(`There is no instance ${id}`);
  }

  /** A request that comes during a deletion has the same result. */
  #delete(id: string, tenant: string | undefined): Promise<boolean> {
    const key = `${tenant ?? ''}/${id}`;
    const underWay = this.#deletions.get(key);
    if (underWay) return underWay;
    const deletion = this.#deleteOnce(id, tenant).finally(() => this.#deletions.delete(key));
    this.#deletions.set(key, deletion);
    return deletion;
  }

  async #deleteOnce(id: string, tenant: string | undefined): Promise<boolean> {
    const isDeleted = await this.#loaded.use(id, tenant, async (instance) => {
      await this.#loaded.delete(instance);
      return true;
    });
    return isDeleted ?? false;
  }

  /** Errors of the store name their cause. */
  async #explained<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (err) {
      if (err instanceof RpcError) throw err;
      this.#root.shared.log.error({ err }, 'a call for an instance failed');
      throw await explain(err);
    }
  }

  get #url(): string | undefined {
    return this.#options.publicUrl ?? this.#root.binding.url;
  }

  stop(): void {
    this.#loaded.stop();
  }

  /** Writes back all instances in memory. */
  async close(): Promise<void> {
    try {
      await this.#loaded.close();
    } finally {
      await this.#membership.close();
    }
  }
}
