// Instances in memory: loaded by their first request, written back without one, and kept while the store cannot be written.

import { setTimeout as delay } from 'node:timers/promises';
import {
  type ChainService,
  ERRORS,
  milliseconds,
  RpcError,
  refuse,
  stopwatch,
} from 'starkbox/registry';
import { QUIET_MILLISECONDS } from './handover.js';
import { unopenedError, unwrittenError } from './hosted-chain.js';
import type { HostingOptions } from './hosting-options.js';
import type { LayerStore } from './layers/layer-store.js';
import type { Membership } from './membership.js';
import { UncertainError } from './objects/object-store.js';
import {
  hasSubscribers,
  type LoadedInstance,
  longestIdle,
  openInstance,
  waitForWrite,
} from './open-instance.js';
import type { Ownership } from './ownership.js';

interface Loading {
  /** The tenant whose request loads it. */
  readonly tenant: string | undefined;
  readonly loaded: Promise<LoadedInstance | undefined>;
}

const CHECK_MILLISECONDS = 1_000;
/** Instances beyond the limit that are loaded while others are written to the store. */
const SLACK = 8;
/** How long a failed write waits for the next attempt, at first and at most. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [1_000, 60_000];
/** How long a stop tries to write what only this node has, and the pauses between. */
const [STOP_SECONDS, STOP_PAUSE_MILLISECONDS] = [30, 500];

export class LoadedInstances {
  readonly #root: ChainService;
  readonly #layers: LayerStore;
  readonly #membership: Membership;
  readonly #ownership: Ownership;
  readonly #options: HostingOptions;
  /** In the order of their last use. */
  readonly #loaded = new Map<string, LoadedInstance>();
  readonly #loading = new Map<string, Loading>();
  /** Those of a lease that is lost: they are written as soon as the store takes them. */
  readonly #ofLostLease = new Set<LoadedInstance>();
  /** Those that are being written back or deleted. */
  #hibernating = 0;
  /** Instances that are not in memory, and whose ownership is being ended. */
  readonly #givingUp = new Map<string, Promise<void>>();
  readonly #ids = new WeakMap<ChainService, string>();
  readonly #onEnded: ((service: ChainService) => void)[] = [];
  readonly #timer: NodeJS.Timeout;
  /** Seconds since the stop; undefined before. */
  #stopped: (() => number) | undefined;
  #loads = 0;

  constructor(
    root: ChainService,
    layers: LayerStore,
    { membership, ownership }: { readonly membership: Membership; readonly ownership: Ownership },
    options: HostingOptions,
  ) {
    this.#root = root;
    this.#layers = layers;
    this.#membership = membership;
    this.#ownership = ownership;
    this.#options = options;
    this.#timer = setInterval(() => this.#hibernateDue(), CHECK_MILLISECONDS).unref();
    membership.whenLost(() => this.#giveUpAll());
  }

  get count(): number {
    return this.#loaded.size;
  }

  /** How many were loaded since the start. */
  get loads(): number {
    return this.#loads;
  }

  /** Undefined for the node's own chain. */
  idOf(service: ChainService): string | undefined {
    return this.#ids.get(service);
  }

  whenEnded(close: (service: ChainService) => void): void {
    this.#onEnded.push(close);
  }

  /**
   * Runs work on an instance, which stays loaded meanwhile. Its result is returned only while the lease
   * is held under which it was loaded.
   *
   * @param tenant reaches its own instances only; undefined reaches all
   * @param work is given what throws once that lease is lost
   * @returns undefined if there is no such instance
   * @throws InstanceElsewhere if another node has it
   */
  async use<T>(
    id: string,
    tenant: string | undefined,
    work: (instance: LoadedInstance, mustHold: () => void) => Promise<T>,
  ): Promise<T | undefined> {
    const instance = await this.#reach(id, tenant);
    if (!instance) return undefined;
    const mustHold = (): void => this.#membership.mustStillHold(instance.lease);
    try {
      const result = await work(instance, mustHold);
      mustHold();
      return result;
    } finally {
      instance.active -= 1;
      if (instance.hosted.fault !== undefined) this.#drop(instance);
    }
  }

  /** Writes an instance back for another node that asks for it; false while this one needs it. */
  async release(id: string): Promise<boolean> {
    const instance = this.#loaded.get(id);
    if (!instance) {
      if (this.#loading.has(id)) return false;
      await this.#giveUp(id);
      return true;
    }
    const isQuiet = milliseconds() - instance.lastUsed > QUIET_MILLISECONDS;
    if (instance.active > 0 || !isQuiet) return false;
    try {
      await this.#hibernate(instance);
    } catch (error) {
      this.#notWritten(instance, error);
    }
    return this.#loaded.get(id) !== instance;
  }

  /** A request that comes meanwhile loads it afterwards: the node would otherwise give up what it has just taken. */
  #giveUp(id: string): Promise<void> {
    const underWay = this.#givingUp.get(id);
    if (underWay) return underWay;
    const givenUp = this.#ownership
      .giveUp(id, this.#membership.id)
      .finally(() => this.#givingUp.delete(id));
    this.#givingUp.set(id, givenUp);
    return givenUp;
  }

  /** Deletes an instance in use. If the store does not delete it, it goes on. */
  async delete(instance: LoadedInstance): Promise<void> {
    if (instance.hibernating) await waitForWrite(instance.hibernating);
    if (!instance.hosted.isDeleted) await this.#hibernate(instance, () => this.#erase(instance));
  }

  async #erase(instance: LoadedInstance): Promise<void> {
    const { service, hosted } = instance;
    await service.chain.close();
    try {
      await hosted.erase((manifest) => this.#ownership.erase(manifest));
      service.stored?.end('This instance was deleted');
    } finally {
      if (hosted.isDeleted) await this.#end(instance);
      else service.start();
    }
  }

  // Loading.

  /** An instance in memory that counts one more request. */
  async #reach(id: string, tenant: string | undefined): Promise<LoadedInstance | undefined> {
    try {
      return (await this.#mayReach(tenant, id)) ? await this.#enter(id, tenant) : undefined;
    } catch (err) {
      const isExpected = err instanceof RpcError || err instanceof UncertainError;
      if (!isExpected) this.#root.shared.log.error({ err }, `instance ${id} cannot be opened`);
      throw unopenedError(id, err);
    }
  }

  /** Nothing is loaded, moved or hibernated for what a tenant may not reach. */
  async #mayReach(tenant: string | undefined, id: string): Promise<boolean> {
    this.#membership.mustHold();
    if (tenant === undefined) return true;
    const instance = this.#loaded.get(id);
    return (instance ? instance.tenant : await this.#ownership.tenantOf(id)) === tenant;
  }

  async #enter(id: string, tenant: string | undefined): Promise<LoadedInstance | undefined> {
    while (true) {
      this.#membership.mustHold();
      const instance = this.#loaded.get(id);
      if (!instance) {
        if (!(await this.#load(id, tenant))) return undefined;
      } else if (instance.hibernating) {
        await waitForWrite(instance.hibernating);
      } else if (instance.hosted.fault !== undefined) {
        // The store may have a newer chain.
        this.#drop(instance);
      } else if (instance.lease !== this.#membership.id) {
        // The store refuses the write if another node has taken the instance over.
        await this.#hibernate(instance).catch((error: unknown) => {
          if (instance.hosted.fault === undefined) throw error;
        });
      } else {
        instance.active += 1;
        instance.lastUsed = milliseconds();
        this.#loaded.delete(id);
        this.#loaded.set(id, instance);
        return instance;
      }
    }
  }

  #load(id: string, tenant: string | undefined): Promise<LoadedInstance | undefined> {
    const loading = this.#loading.get(id);
    if (loading) return loading.loaded;
    const loaded = this.#loadOnce(id, tenant).finally(() => this.#loading.delete(id));
    this.#loading.set(id, { tenant, loaded });
    return loaded;
  }

  async #loadOnce(id: string, tenant: string | undefined): Promise<LoadedInstance | undefined> {
    if (this.#stopped) refuse('The node is closed');
    await this.#givingUp.get(id)?.catch(() => undefined);
    await this.#makeRoomFor(tenant, id);
    await this.#makeRoom(id);
    const lease = this.#membership.id;
    const owned = await this.#ownership.take(id, lease);
    if (!owned) return undefined;
    try {
      const { isDurable } = this.#options;
      const instance = await openInstance(owned, this.#root, this.#layers, { lease, isDurable });
      this.#ids.set(instance.service, id);
      this.#loaded.set(id, instance);
      if (lease !== this.#membership.current) this.#ofLostLease.add(instance);
      this.#loads += 1;
      return instance;
    } catch (error) {
      await owned.replace({ owner: undefined }).catch(() => undefined);
      throw error;
    }
  }

  // Hibernation.

  /** Writes back the instance that was used longest ago, if too many are loaded. */
  async #makeRoom(id: string): Promise<void> {
    const { mostLoaded } = this.#options;
    const loading = this.#loading.size - (this.#loading.has(id) ? 1 : 0);
    const beyond = this.#loaded.size + loading - mostLoaded;
    if (beyond < 0) return;
    const idle = longestIdle(this.#loaded.values());
    if (idle) {
      const written = this.#hibernate(idle);
      // A request does not wait for a few that are being written.
      if (beyond >= SLACK) await written;
      else written.catch((err: unknown) => this.#notWritten(idle, err));
      return;
    }
    if (beyond < SLACK) return;
    refuse(
      `All ${mostLoaded} loadable instances are busy with requests; --maximum-loaded-instances sets the limit`,
    );
  }

  /** The same for the quota of a tenant. */
  async #makeRoomFor(tenant: string | undefined, id: string): Promise<void> {
    const most = tenant && this.#options.tenants?.quotasOf(tenant).loadedInstances;
    if (!most) return;
    const ofTenant = [...this.#loaded.values()].filter((instance) => instance.tenant === tenant);
    const loading = [...this.#loading].filter(
      ([key, { tenant: other }]) => key !== id && other === tenant,
    );
    if (ofTenant.length + loading.length < most) return;
    const idle = longestIdle(ofTenant);
    if (idle) return this.#hibernate(idle);
    throw new RpcError(
      ERRORS.SERVICE_BUSY.code,
      `All ${most} instances that the tenant ${tenant} may have loaded on this node (maximum_loaded_instances) are busy with requests: send the request again`,
    );
  }

  #hibernateDue(): void {
    const now = milliseconds();
    if (this.#membership.current !== undefined) {
      for (const instance of this.#ofLostLease) this.#hibernateIfWritable(instance, now);
    }
    const idleFrom = now - this.#options.idleSeconds * 1000;
    for (const instance of this.#loaded.values()) {
      // All others were used later.
      if (instance.lastUsed > idleFrom) break;
      const isUsed = instance.active > 0 || hasSubscribers(instance.service);
      if (!isUsed) this.#hibernateIfWritable(instance, now);
    }
    this.#hibernateBeyondLimit(now);
  }

  /** Writes back those that were loaded beyond the limit while all others answered requests. */
  #hibernateBeyondLimit(now: number): void {
    let beyond = this.#loaded.size - this.#hibernating - this.#options.mostLoaded;
    for (; beyond > 0; beyond -= 1) {
      const idle = longestIdle(this.#loaded.values());
      if (!idle || idle.writtenFrom > now) return;
      this.#hibernateIfWritable(idle, now);
    }
  }

  /** Not before the pause after a failure is over. */
  #hibernateIfWritable(instance: LoadedInstance, now: number): void {
    if (instance.hibernating || instance.writtenFrom > now) return;
    this.#hibernate(instance).catch((err: unknown) => this.#notWritten(instance, err));
  }

  #notWritten(instance: LoadedInstance, err: unknown): void {
    const { log } = this.#root.shared;
    const isLost = instance.hosted.fault !== undefined;
    const isKept = 'it stays in memory, and the node retries later';
    const changes = this.#options.isDurable ? 'it leaves memory' : 'its newest changes are lost';
    log.error(
      { err },
      `instance ${instance.id} cannot be written to the store: ${isLost ? changes : isKept}`,
    );
  }

  /** Requests wait meanwhile: another node may have the instance already, or say that it is gone. */
  #hibernate(instance: LoadedInstance, work = () => this.#writeBack(instance)): Promise<void> {
    if (instance.hibernating) return instance.hibernating;
    this.#hibernating += 1;
    instance.hibernating = work().finally(() => {
      instance.hibernating = undefined;
      this.#hibernating -= 1;
    });
    return instance.hibernating;
  }

  async #writeBack(instance: LoadedInstance): Promise<void> {
    const { service, hosted } = instance;
    // Stops the interval of blocks, and waits for changes.
    await service.chain.close();
    try {
      const idle = Math.floor((milliseconds() - instance.lastUsed) / 1000);
      await hosted.release(service.chain.world, idle, this.#mayRetry());
    } catch (error) {
      if (hosted.fault !== undefined) this.#drop(instance);
      else this.#keep(instance);
      throw error;
    }
    await this.#end(instance);
  }

  /** Without durable changes, only this node has them: it waits for the store until it is stopped. */
  #mayRetry(): (() => boolean) | undefined {
    if (this.#options.isDurable) return undefined;
    return () => this.#stopped === undefined || this.#stopped() < STOP_SECONDS;
  }

  /** Nothing was written: the chain goes on in memory. */
  #keep(instance: LoadedInstance): void {
    instance.service.start();
    instance.pause = Math.min(2 * instance.pause || FIRST_PAUSE, LONGEST_PAUSE);
    instance.writtenFrom = milliseconds() + instance.pause;
  }

  /** Ends an instance in memory without writing it. */
  #drop(instance: LoadedInstance): void {
    this.#end(instance).catch((err: unknown) =>
      this.#root.shared.log.error({ err }, `instance ${instance.id} cannot be closed`),
    );
  }

  async #end(instance: LoadedInstance): Promise<void> {
    const { id, service } = instance;
    // It may have been loaded again.
    if (this.#loaded.get(id) === instance) this.#loaded.delete(id);
    this.#ofLostLease.delete(instance);
    for (const close of this.#onEnded) close(service);
    await service.close();
  }

  /** The lease is lost: other nodes may take over each instance as soon as it is free. */
  #giveUpAll(): void {
    for (const instance of this.#loaded.values()) {
      this.#ofLostLease.add(instance);
      // The store refuses it if another node has taken the instance over.
      this.#hibernate(instance).catch((err: unknown) => this.#notWritten(instance, err));
    }
  }

  // Stop.

  stop(): void {
    this.#stopped ??= stopwatch();
    clearInterval(this.#timer);
  }

  /**
   * Writes back all instances that are loaded.
   *
   * @throws Error with those that could not be written
   */
  async close(): Promise<void> {
    this.stop();
    await Promise.allSettled([...this.#loading.values()].map(({ loaded }) => loaded));
    const all = [...this.#loaded.values()];
    const results = await Promise.allSettled(all.map((instance) => this.#writeLast(instance)));
    const unwritten = results.flatMap((result, index) =>
      result.status === 'rejected' ? [{ id: all[index]?.id, error: result.reason }] : [],
    );
    const failure = unwrittenError(unwritten, this.#options.isDurable);
    if (failure) throw failure;
  }

  /** Tries for a while what only this node has. */
  async #writeLast(instance: LoadedInstance): Promise<void> {
    for (let isFirst = true; ; isFirst = false) {
      try {
        return await this.#hibernate(instance);
      } catch (error) {
        const isLast = this.#options.isDurable || (this.#stopped?.() ?? 0) > STOP_SECONDS;
        if (isLast || instance.hosted.fault !== undefined) throw error;
        if (isFirst) this.#notWritten(instance, error);
        await delay(STOP_PAUSE_MILLISECONDS);
      }
    }
  }
}
