// Instances in an object store: woken by their first request, hibernating without one.
import { randomBytes } from 'node:crypto';
import { Chain } from '../chain/chain.js';
import { realMilliseconds } from '../chain/world/clock.js';
import { RpcError, refuse } from '../errors.js';
import type { InstanceControls, InstanceWish } from '../rpc/methods/sandbox.js';
import { ChainService, type InstanceRegistry } from '../service/chain-service.js';
import { baseWith, withOptionErrors } from '../service/instance-chains.js';
import { shownInstance } from '../service/shown-instance.js';
import { type FixedOptions, fixedOptionsOf } from '../store/directory/fixed-options.js';
import { type Beginning, Beginnings, hostedOptions } from './beginnings.js';
import { QUIET_MILLISECONDS } from './handover.js';
import { HostedChain } from './hosted-chain.js';
import type { HostingOptions } from './hosting-options.js';
import { listed } from './instance-list.js';
import { LayerStore } from './layers/layer-store.js';
import type { HostedRecord } from './manifest.js';
import type { Membership } from './membership.js';
import { type ObjectStore, UncertainError } from './objects/object-store.js';
import { OwnedManifest } from './owned-manifest.js';
import { Ownership } from './ownership.js';

/** An instance in memory. */
interface Awake {
  readonly id: string;
  /** The lease of this node under which it was woken. */
  readonly lease: string;
  readonly hosted: HostedChain;
  readonly service: ChainService;
  /** Requests that are being answered. */
  active: number;
  lastUsed: number;
  /** While it is written back. */
  hibernating: Promise<void> | undefined;
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
  readonly #waking = new Map<string, Promise<Awake | undefined>>();
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
    this.#ownership = new Ownership(objects, this.#settings, options.token);
    this.#timer = setInterval(() => this.#hibernateIdle(), CHECK_MILLISECONDS).unref();
    membership.whenLost(() => this.#dropAll());
  }

  /** The instances that are awake. */
  get count(): number {
    return this.#awake.size;
  }

  /** Figures for the metrics. */
  get figures(): { readonly awake: number; readonly wakeUps: number; readonly requests: number } {
    return { awake: this.#awake.size, wakeUps: this.#wakeUps, requests: this.#objects.requests };
  }

  whenDeleted(close: (service: ChainService) => void): void {
    this.#onEnded.push(close);
  }

  /**
   * Runs work on an instance, which stays awake meanwhile. Its result is returned only while the lease
   * is held under which it was woken.
   *
   * @returns undefined if there is no such instance
   * @throws InstanceElsewhere if another node has it
   */
  run<T>(id: string, work: (service: ChainService) => Promise<T>): Promise<T | undefined> {
    return this.#run(id, ({ service }) => work(service));
  }

  async #run<T>(id: string, work: (awake: Awake) => Promise<T>): Promise<T | undefined> {
    const awake = await this.#enter(id);
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
      create: (wish) => this.#create(wish, caller),
      list: (page) => listed(this.#objects, page, this.#url),
      delete: (id) => this.#delete(id),
    };
  }

  /** Writes an instance back for another node that asks for it; false while it is in use here. */
  async release(id: string): Promise<boolean> {
    const awake = this.#awake.get(id);
    if (!awake) return !this.#waking.has(id);
    const isQuiet = realMilliseconds() - awake.lastUsed > QUIET_MILLISECONDS;
    if (awake.active > 0 || !isQuiet) return false;
    await this.#hibernate(awake);
    return true;
  }

  /** Takes the lease of this node, once its address is known. */
  join(): Promise<void> {
    return this.#membership.open();
  }

  // Waking.

  /** An instance in memory that counts one more request. */
  async #enter(id: string): Promise<Awake | undefined> {
    while (true) {
      this.#membership.mustHold();
      const awake = this.#awake.get(id);
      if (!awake) {
        if (!(await this.#woken(id))) return undefined;
      } else if (awake.hibernating) {
        await awake.hibernating.catch(() => undefined);
      } else if (awake.hosted.fault !== undefined || awake.lease !== this.#membership.id) {
        // The store may have a newer chain.
        this.#drop(awake);
      } else {
        awake.active += 1;
        awake.lastUsed = realMilliseconds();
        this.#awake.delete(id);
        this.#awake.set(id, awake);
        return awake;
      }
    }
  }

  #woken(id: string): Promise<Awake | undefined> {
    const waking =
      this.#waking.get(id) ??
      this.#wake(id)
        .catch((error: unknown) => {
          if (!(error instanceof UncertainError)) throw error;
          throw new RpcError(-1, `Nothing was changed: ${error.message}. Send the request again.`);
        })
        .finally(() => this.#waking.delete(id));
    this.#waking.set(id, waking);
    return waking;
  }

  async #wake(id: string): Promise<Awake | undefined> {
    if (this.#isStopped) refuse('The node is closed');
    await this.#makeRoom();
    const lease = this.#membership.id;
    const owned = await this.#ownership.take(id, lease);
    if (!owned) return undefined;
    try {
      const awake = await this.#open(owned, lease);
      this.#awake.set(id, awake);
      this.#wakeUps += 1;
      return awake;
    } catch (error) {
      await owned.replace({ owner: undefined }).catch(() => undefined);
      throw error;
    }
  }

  async #open(manifest: OwnedManifest, lease: string): Promise<Awake> {
    const { record } = manifest.current;
    const { options } = record;
    const root = this.#root;
    const base =
      options.length === 0 ? root.base : await withOptionErrors(() => baseWith(options, root));
    const hosted = await HostedChain.open(manifest, this.#layers, {
      ...hostedOptions(root),
      isDurable: this.#options.isDurable,
    });
    const { stored } = hosted;
    const saved = await stored.read();
    if (!saved) throw new Error(`the store has no chain of instance ${record.id}`);
    const chain = new Chain(base.options, saved, stored, root.chain.executions);
    const service = new ChainService(root.shared, { base, chain, stored, options });
    this.#ids.set(service, record.id);
    service.binding.mount(root.binding, `/instances/${record.id}`);
    service.start();
    return {
      id: record.id,
      lease,
      hosted,
      service,
      active: 0,
      lastUsed: realMilliseconds(),
      hibernating: undefined,
    };
  }

  // Hibernation.

  /** Writes back the instance that was used longest ago, if too many are awake. */
  async #makeRoom(): Promise<void> {
    const { mostAwake } = this.#options;
    const beyond = this.#awake.size + this.#waking.size - mostAwake;
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

  #hibernateIdle(): void {
    const before = realMilliseconds() - this.#options.idleSeconds * 1000;
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
      await hosted.release(service.chain.world, awake.lastUsed, patience);
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

  async #create(wish: InstanceWish, caller: ChainService): ReturnType<InstanceControls['create']> {
    const { from, options } = wish;
    if (from !== undefined && options !== undefined) {
      refuse('With options the chain begins at its own genesis: leave out one of from and options');
    }
    const parent = from ?? this.#ids.get(caller) ?? ROOT;
    const { contents, inherited } = options
      ? await this.#beginnings.withOptions(options, caller)
      : await this.#branchOf(parent);
    const record: HostedRecord = {
      id: randomBytes(ID_BYTES).toString('hex'),
      name: wish.name,
      from: options ? undefined : parent,
      options: inherited,
      created: realMilliseconds(),
      ttl: wish.ttl === 0 ? undefined : wish.ttl,
      tenant: undefined,
    };
    await OwnedManifest.create(this.#objects, {
      record,
      settings: this.#settings,
      owner: undefined,
      writer: this.#membership.id,
      fence: 0,
      sequence: 0,
      lastUsed: record.created,
      isDeleted: false,
      ...contents,
    });
    return shownInstance(this.#url, record.id);
  }

  async #branchOf(id: string): Promise<Beginning> {
    if (id === ROOT) return this.#beginnings.ofRoot();
    const found = await this.#run(id, async ({ hosted, service: { chain, options } }) => {
      const world = await chain.withNewest(({ world }) => world);
      return { contents: await hosted.contents(world), inherited: options };
    });
    return found ?? refuse(`There is no instance ${id}`);
  }

  async #delete(id: string): Promise<boolean> {
    const isDeleted = await this.#run(id, async (awake) => {
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
    await Promise.allSettled(this.#waking.values());
    const results = await Promise.allSettled(
      [...this.#awake.values()].map((awake) => this.#hibernate(awake)),
    );
    const failed = results.find((result) => result.status === 'rejected');
    await this.#membership.close();
    if (failed) throw failed.reason;
  }
}

/** Sockets that wait for news keep an instance awake. */
function hasSubscribers({ subscriptions }: ChainService): boolean {
  return Object.values(subscriptions.counts()).some((count) => count > 0);
}
