// Instances in an object store: woken by their first request, hibernating without one.
import { randomBytes } from 'node:crypto';
import { realMilliseconds } from '../chain/world/clock.js';
import { RpcError, refuse } from '../errors.js';
import type { InstanceControls, InstanceWish } from '../rpc/methods/sandbox.js';
import type { Handler } from '../rpc/protocol/call-context.js';
import { milliseconds } from '../scheduling/slices.js';
import type { ChainService, InstanceRegistry } from '../service/chain-service.js';
import { shownInstance } from '../service/shown-instance.js';
import { ERRORS } from '../spec.js';
import { type FixedOptions, fixedOptionsOf } from '../store/directory/fixed-options.js';
import type { HostingFigures } from '../telemetry/metrics.js';
import { type Beginning, Beginnings } from './beginnings.js';
import { QUIET_MILLISECONDS } from './handover.js';
import type { HostingOptions } from './hosting-options.js';
import { listed } from './instance-list.js';
import { LayerStore } from './layers/layer-store.js';
import type { HostedRecord } from './manifest.js';
import type { Membership } from './membership.js';
import { type ObjectStore, UncertainError } from './objects/object-store.js';
import { type Awake, hasSubscribers, openInstance } from './open-instance.js';
import { OwnedManifest } from './owned-manifest.js';
import { Ownership } from './ownership.js';

interface Waking {
  /** The tenant that wakes it up. */
  readonly tenant: string | undefined;
  readonly woken: Promise<Awake | undefined>;
}

/** The node's own chain, where the id of an instance can stand. */
const ROOT = 'root';
const ID_BYTES = 8;
const CHECK_MILLISECONDS = 1_000;
/** How long the store may be out of reach before changes that are not durable are given up. */
const OUTAGE_SECONDS = 600;
/** Instances beyond the limit that are awake while others are written to the store. */
const SLACK = 8;

export class HostedInstances implements InstanceRegistry {
  readonly #root: ChainService;
  readonly #objects: ObjectStore;
  readonly #layers: LayerStore;
  readonly #membership: Membership;
  readonly #options: HostingOptions;
  readonly #settings: FixedOptions;
  readonly #ownership: Ownership;
  /** In the order of their last use. */
  readonly #awake = new Map<string, Awake>();
  readonly #waking = new Map<string, Waking>();
  readonly #ids = new WeakMap<ChainService, string>();
  readonly #onEnded: ((service: ChainService) => void)[] = [];
  readonly #beginnings: Beginnings;
  readonly #timer: NodeJS.Timeout;
  #isStopped = false;
  #wakeUps = 0;

  constructor(
    root: ChainService,
    objects: ObjectStore,
    membership: Membership,
    options: HostingOptions,
  ) {
    this.#root = root;
    this.#objects = objects;
    this.#layers = new LayerStore(objects);
    this.#beginnings = new Beginnings(root, this.#layers);
    this.#membership = membership;
    this.#options = options;
    this.#ids.set(root, ROOT);
    const { config } = root.base;
    this.#settings = fixedOptionsOf(config, root.chain.options.fork?.block.hash);
    this.#ownership = new Ownership(objects, this.#settings, options);
    this.#timer = setInterval(() => this.#hibernateIdle(), CHECK_MILLISECONDS).unref();
    membership.whenLost(() => this.#dropAll());
  }

  /** The instances that are awake. */
  get count(): number {
    return this.#awake.size;
  }

  /** Figures for the metrics. */
  get figures(): HostingFigures {
    const { requests } = this.#objects;
    const { lostLeases } = this.#membership;
    const executions = this.#options.tenants?.executions ?? {};
    return { awake: this.#awake.size, wakeUps: this.#wakeUps, requests, lostLeases, executions };
  }

  whenDeleted(close: (service: ChainService) => void): void {
    this.#onEnded.push(close);
  }

  /**
   * Runs work on an instance, which stays awake meanwhile. Its result is returned only while the lease
   * is held under which it was woken.
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
    return this.#run(id, tenant, ({ service, lease }) =>
      work(service, () => this.#membership.mustStillHold(lease)),
    );
  }

  async #run<T>(
    id: string,
    tenant: string | undefined,
    work: (awake: Awake) => Promise<T>,
  ): Promise<T | undefined> {
    if (!(await this.#mayReach(tenant, id))) return undefined;
    const awake = await this.#enter(id, tenant);
    if (!awake) return undefined;
    try {
      const result = await work(awake);
      this.#membership.mustStillHold(awake.lease);
      return result;
    } finally {
      awake.active -= 1;
      if (awake.hosted.fault !== undefined) this.#drop(awake);
    }
  }

  controlsFor(caller: ChainService): InstanceControls {
    return {
      create: (wish, tenant) => this.#create(wish, tenant, caller),
      list: (...asked) => listed(this.#objects, asked, this.#url),
      delete: (id, tenant) => this.#delete(id, tenant),
    };
  }

  /** Writes an instance back for another node that asks for it; false while it is in use here. */
  async release(id: string): Promise<boolean> {
    const awake = this.#awake.get(id);
    if (!awake) {
      if (this.#waking.has(id)) return false;
      await this.#ownership.giveUp(id, this.#membership.id);
      return true;
    }
    const isQuiet = milliseconds() - awake.lastUsed > QUIET_MILLISECONDS;
    if (awake.active > 0 || !isQuiet) return false;
    await this.#hibernate(awake);
    return true;
  }

  /** Takes the lease of this node, once its address is known. */
  join(): Promise<void> {
    return this.#membership.open();
  }

  guarded(service: ChainService, method: string, handler: Handler): Handler {
    const isInstance = (): boolean => (this.#ids.get(service) ?? ROOT) !== ROOT;
    return this.#options.tenants?.guarded(method, handler, isInstance) ?? handler;
  }

  // Waking.

  /** Nothing is woken, moved or hibernated for what a tenant may not reach. */
  async #mayReach(tenant: string | undefined, id: string): Promise<boolean> {
    this.#membership.mustHold();
    if (tenant === undefined) return true;
    const awake = this.#awake.get(id);
    return (awake ? awake.tenant : await this.#ownership.tenantOf(id)) === tenant;
  }

  /** An instance in memory that counts one more request. */
  async #enter(id: string, tenant: string | undefined): Promise<Awake | undefined> {
    while (true) {
      this.#membership.mustHold();
      const awake = this.#awake.get(id);
      if (!awake) {
        if (!(await this.#woken(id, tenant))) return undefined;
      } else if (awake.hibernating) {
        await awake.hibernating.catch(() => undefined);
      } else if (awake.hosted.fault !== undefined || awake.lease !== this.#membership.id) {
        // The store may have a newer chain.
        this.#drop(awake);
      } else {
        awake.active += 1;
        awake.lastUsed = milliseconds();
        this.#awake.delete(id);
        this.#awake.set(id, awake);
        return awake;
      }
    }
  }

  #woken(id: string, tenant: string | undefined): Promise<Awake | undefined> {
    const known = this.#waking.get(id);
    if (known) return known.woken;
    const woken = this.#wake(id, tenant)
      .catch((error: unknown) => {
        if (!(error instanceof UncertainError)) throw error;
        throw new RpcError(-1, `Nothing was changed: ${error.message}. Send the request again.`);
      })
      .finally(() => this.#waking.delete(id));
    this.#waking.set(id, { tenant, woken });
    return woken;
  }

  async #wake(id: string, tenant: string | undefined): Promise<Awake | undefined> {
    if (this.#isStopped) refuse('The node is closed');
    await this.#makeRoomFor(tenant);
    await this.#makeRoom(id);
    const lease = this.#membership.id;
    const owned = await this.#ownership.take(id, lease);
    if (!owned) return undefined;
    try {
      const { isDurable } = this.#options;
      const awake = await openInstance(owned, this.#root, this.#layers, { lease, isDurable });
      this.#ids.set(awake.service, id);
      this.#awake.set(id, awake);
      this.#wakeUps += 1;
      return awake;
    } catch (error) {
      await owned.replace({ owner: undefined }).catch(() => undefined);
      throw error;
    }
  }

  // Hibernation.

  /** Writes back the instance that was used longest ago, if too many are awake. */
  async #makeRoom(id: string): Promise<void> {
    const { mostAwake } = this.#options;
    const waking = this.#waking.size - (this.#waking.has(id) ? 1 : 0);
    const beyond = this.#awake.size + waking - mostAwake;
    if (beyond < 0) return;
    for (const awake of this.#awake.values()) {
      if (awake.active > 0 || awake.hibernating) continue;
      const written = this.#hibernate(awake);
      // A request does not wait for a few that are being written.
      if (beyond >= SLACK) await written;
      else written.catch((err: unknown) => this.#notWritten(awake, err));
      return;
    }
    if (beyond < SLACK) return;
    refuse(
      `All ${mostAwake} instances that may be awake are answering requests; --maximum-awake-instances sets the limit`,
    );
  }

  /** The same for the quota of a tenant. */
  async #makeRoomFor(tenant: string | undefined): Promise<void> {
    const most = tenant && this.#options.tenants?.quotasOf(tenant).awakeInstances;
    if (!most) return;
    const own = [...this.#awake.values()].filter((one) => one.tenant === tenant);
    const waking = [...this.#waking.values()].filter((one) => one.tenant === tenant);
    if (own.length + waking.length < most) return;
    const idle = own.find(({ active, hibernating }) => active === 0 && !hibernating);
    if (idle) return this.#hibernate(idle);
    throw new RpcError(
      ERRORS.SERVICE_BUSY.code,
      `All ${most} instances that the tenant ${tenant} may have awake on this node (maximum_awake_instances) are answering requests: send the request again`,
    );
  }

  #hibernateIdle(): void {
    const before = milliseconds() - this.#options.idleSeconds * 1000;
    for (const awake of this.#awake.values()) {
      if (awake.lastUsed > before) return;
      if (awake.active > 0 || awake.hibernating || hasSubscribers(awake.service)) continue;
      this.#hibernate(awake).catch((err: unknown) => this.#notWritten(awake, err));
    }
  }

  #notWritten({ id }: Awake, err: unknown): void {
    const { log } = this.#root.shared;
    log.error({ err }, `instance ${id} cannot be written to the store now`);
  }

  #hibernate(awake: Awake): Promise<void> {
    awake.hibernating ??= this.#writeBack(awake).finally(() => {
      awake.hibernating = undefined;
    });
    return awake.hibernating;
  }

  async #writeBack(awake: Awake): Promise<void> {
    const { service, hosted } = awake;
    // Stops the interval of blocks, and waits for changes.
    await service.chain.close();
    try {
      // Without durable changes, only this node has them.
      const patience = this.#options.isDurable || this.#isStopped ? undefined : OUTAGE_SECONDS;
      const idle = Math.floor((milliseconds() - awake.lastUsed) / 1000);
      await hosted.release(service.chain.world, idle, patience);
    } catch (error) {
      if (hosted.fault === undefined) service.start();
      else this.#drop(awake);
      throw error;
    }
    await this.#end(awake);
  }

  /** Ends an instance in memory without writing it. */
  #drop(awake: Awake): void {
    this.#end(awake).catch((err: unknown) =>
      this.#root.shared.log.error({ err }, `instance ${awake.id} cannot be closed`),
    );
  }

  async #end(awake: Awake): Promise<void> {
    const { id, service } = awake;
    // It may have been woken again.
    if (this.#awake.get(id) === awake) this.#awake.delete(id);
    for (const close of this.#onEnded) close(service);
    await service.close();
  }

  /** The lease is lost: other nodes may take over each instance as soon as it is free. */
  #dropAll(): void {
    for (const awake of this.#awake.values()) {
      // The store refuses it if another node has taken the instance over.
      this.#hibernate(awake).catch(() => this.#drop(awake));
    }
  }

  // Creation and deletion.

  async #create(
    wish: InstanceWish,
    tenant: string | undefined,
    caller: ChainService,
  ): ReturnType<InstanceControls['create']> {
    const { from, options } = wish;
    if (from !== undefined && options !== undefined) {
      refuse('With options the chain begins at its own genesis: leave out one of from and options');
    }
    const parent = from ?? this.#ids.get(caller) ?? ROOT;
    const { contents, inherited } = options
      ? await this.#beginnings.withOptions(options, caller)
      : await this.#branchOf(parent, tenant);
    const record: HostedRecord = {
      id: randomBytes(ID_BYTES).toString('hex'),
      name: wish.name,
      from: options ? undefined : parent,
      options: inherited,
      created: realMilliseconds(),
      ttl: wish.ttl === 0 ? undefined : wish.ttl,
      tenant,
    };
    const writer = this.#membership.id;
    // Counted first: a node that is killed in between leaves no instance that is not counted.
    if (tenant !== undefined) await this.#ownership.ofTenants.add(tenant, record.id, writer);
    const settings = this.#settings;
    await OwnedManifest.create(this.#objects, { record, settings, writer, ...contents });
    return shownInstance(this.#url, record.id);
  }

  async #branchOf(id: string, tenant: string | undefined): Promise<Beginning> {
    if (id === ROOT) return this.#beginnings.ofRoot();
    const found = await this.#run(id, tenant, async ({ hosted, service: { chain, options } }) => {
      const world = await chain.withNewest(({ world }) => world);
      return { contents: await hosted.contents(world), inherited: options };
    });
    return found ?? refuse(`There is no instance ${id}`);
  }

  async #delete(id: string, tenant: string | undefined): Promise<boolean> {
    const isDeleted = await this.#run(id, tenant, async (awake) => {
      awake.service.stored?.end();
      try {
        await awake.service.chain.close();
        await this.#ownership.erase(awake.hosted.manifest);
      } finally {
        await this.#end(awake);
      }
      return true;
    });
    return isDeleted ?? false;
  }

  get #url(): string | undefined {
    return this.#options.publicUrl ?? this.#root.binding.url;
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  /** Writes back all instances that are awake. */
  async close(): Promise<void> {
    this.stop();
    await Promise.allSettled([...this.#waking.values()].map(({ woken }) => woken));
    const results = await Promise.allSettled(
      [...this.#awake.values()].map((awake) => this.#hibernate(awake)),
    );
    const failed = results.find((result) => result.status === 'rejected');
    await this.#membership.close();
    if (failed) throw failed.reason;
  }
}
