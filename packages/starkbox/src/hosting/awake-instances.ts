// Instances in memory: woken by their first request, written back without one, and kept while the store cannot be written.
import { setTimeout as delay } from 'node:timers/promises';
import { RpcError, refuse } from '../errors.js';
import { stopwatch } from '../probe.js';
import { milliseconds } from '../scheduling/slices.js';
import type { ChainService } from '../service/chain-service.js';
import { ERRORS } from '../spec.js';
import { QUIET_MILLISECONDS } from './handover.js';
import { unopenedError, unwrittenError } from './hosted-chain.js';
import type { HostingOptions } from './hosting-options.js';
import type { LayerStore } from './layers/layer-store.js';
import type { Membership } from './membership.js';
import { UncertainError } from './objects/object-store.js';
import {
  type Awake,
  hasSubscribers,
  longestIdle,
  openInstance,
  waitForWrite,
} from './open-instance.js';
import type { Ownership } from './ownership.js';

interface Waking {
  /** The tenant that wakes it up. */
  readonly tenant: string | undefined;
  readonly woken: Promise<Awake | undefined>;
}

const CHECK_MILLISECONDS = 1_000;
/** Instances beyond the limit that are awake while others are written to the store. */
const SLACK = 8;
/** How long a failed write waits for the next attempt, at first and at most. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [1_000, 60_000];
/** How long a stop tries to write what only this node has, and the pauses between. */
const [STOP_SECONDS, STOP_PAUSE_MILLISECONDS] = [30, 500];

export class AwakeInstances {
  readonly #root: ChainService;
  readonly #layers: LayerStore;
  readonly #membership: Membership;
  readonly #ownership: Ownership;
  readonly #options: HostingOptions;
  /** In the order of their last use. */
  readonly #awake = new Map<string, Awake>();
  readonly #waking = new Map<string, Waking>();
  /** Instances that are not in memory, and whose ownership is being ended. */
  readonly #givingUp = new Map<string, Promise<void>>();
  readonly #ids = new WeakMap<ChainService, string>();
  readonly #onEnded: ((service: ChainService) => void)[] = [];
  readonly #timer: NodeJS.Timeout;
  /** Seconds since the stop; undefined before. */
  #stopped: (() => number) | undefined;
  #wakeUps = 0;

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
    this.#timer = setInterval(() => this.#hibernateIdle(), CHECK_MILLISECONDS).unref();
    membership.whenLost(() => this.#giveUpAll());
  }

  get count(): number {
    return this.#awake.size;
  }

  /** How many were woken. */
  get wakeUps(): number {
    return this.#wakeUps;
  }

  /** Undefined for the node's own chain. */
  idOf(service: ChainService): string | undefined {
    return this.#ids.get(service);
  }

  whenEnded(close: (service: ChainService) => void): void {
    this.#onEnded.push(close);
  }

  /**
   * Runs work on an instance, which stays awake meanwhile. Its result is returned only while the lease
   * is held under which it was woken.
   *
   * @param tenant reaches its own instances only; undefined reaches all
   * @param work is given what throws once that lease is lost
   * @returns undefined if there is no such instance
   * @throws InstanceElsewhere if another node has it
   */
  async use<T>(
    id: string,
    tenant: string | undefined,
    work: (awake: Awake, mustHold: () => void) => Promise<T>,
  ): Promise<T | undefined> {
    const awake = await this.#reach(id, tenant);
    if (!awake) return undefined;
    const mustHold = (): void => this.#membership.mustStillHold(awake.lease);
    try {
      const result = await work(awake, mustHold);
      mustHold();
      return result;
    } finally {
      awake.active -= 1;
      if (awake.hosted.fault !== undefined) this.#drop(awake);
    }
  }

  /** Writes an instance back for another node that asks for it; false while this one needs it. */
  async release(id: string): Promise<boolean> {
    const awake = this.#awake.get(id);
    if (!awake) {
      if (this.#waking.has(id)) return false;
      await this.#giveUp(id);
      return true;
    }
    const isQuiet = milliseconds() - awake.lastUsed > QUIET_MILLISECONDS;
    if (awake.active > 0 || !isQuiet) return false;
    try {
      await this.#hibernate(awake);
    } catch (error) {
      this.#notWritten(awake, error);
    }
    return this.#awake.get(id) !== awake;
  }

  /** A request that comes meanwhile wakes it afterwards: the node would otherwise give up what it has just taken. */
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
  async delete(awake: Awake): Promise<void> {
    if (awake.hibernating) await waitForWrite(awake.hibernating);
    if (!awake.hosted.isDeleted) await this.#hibernate(awake, () => this.#erase(awake));
  }

  async #erase(awake: Awake): Promise<void> {
    const { service, hosted } = awake;
    await service.chain.close();
    try {
      await hosted.erase((manifest) => this.#ownership.erase(manifest));
      service.stored?.end();
    } finally {
      if (hosted.isDeleted) await this.#end(awake);
      else service.start();
    }
  }

  // Waking.

  /** An instance in memory that counts one more request. */
  async #reach(id: string, tenant: string | undefined): Promise<Awake | undefined> {
    try {
      return (await this.#mayReach(tenant, id)) ? await this.#enter(id, tenant) : undefined;
    } catch (err) {
      const isExpected = err instanceof RpcError || err instanceof UncertainError;
      if (!isExpected) this.#root.shared.log.error({ err }, `instance ${id} cannot be opened`);
      throw unopenedError(id, err);
    }
  }

  /** Nothing is woken, moved or hibernated for what a tenant may not reach. */
  async #mayReach(tenant: string | undefined, id: string): Promise<boolean> {
    this.#membership.mustHold();
    if (tenant === undefined) return true;
    const awake = this.#awake.get(id);
    return (awake ? awake.tenant : await this.#ownership.tenantOf(id)) === tenant;
  }

  async #enter(id: string, tenant: string | undefined): Promise<Awake | undefined> {
    while (true) {
      this.#membership.mustHold();
      const awake = this.#awake.get(id);
      if (!awake) {
        if (!(await this.#woken(id, tenant))) return undefined;
      } else if (awake.hibernating) {
        await waitForWrite(awake.hibernating);
      } else if (awake.hosted.fault !== undefined) {
        // The store may have a newer chain.
        this.#drop(awake);
      } else if (awake.lease !== this.#membership.id) {
        // The store refuses the write if another node has taken the instance over.
        await this.#hibernate(awake).catch((error: unknown) => {
          if (awake.hosted.fault === undefined) throw error;
        });
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
    const waking = this.#waking.get(id);
    if (waking) return waking.woken;
    const woken = this.#wake(id, tenant).finally(() => this.#waking.delete(id));
    this.#waking.set(id, { tenant, woken });
    return woken;
  }

  async #wake(id: string, tenant: string | undefined): Promise<Awake | undefined> {
    if (this.#stopped) refuse('The node is closed');
    await this.#givingUp.get(id)?.catch(() => undefined);
    await this.#makeRoomFor(tenant, id);
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
    const idle = longestIdle(this.#awake.values());
    if (idle) {
      const written = this.#hibernate(idle);
      // A request does not wait for a few that are being written.
      if (beyond >= SLACK) await written;
      else written.catch((err: unknown) => this.#notWritten(idle, err));
      return;
    }
    if (beyond < SLACK) return;
    refuse(
      `All ${mostAwake} instances that may be awake are answering requests; --maximum-awake-instances sets the limit`,
    );
  }

  /** The same for the quota of a tenant. */
  async #makeRoomFor(tenant: string | undefined, id: string): Promise<void> {
    const most = tenant && this.#options.tenants?.quotasOf(tenant).awakeInstances;
    if (!most) return;
    const ofTenant = [...this.#awake.values()].filter((awake) => awake.tenant === tenant);
    const waking = [...this.#waking].filter(
      ([key, entry]) => key !== id && entry.tenant === tenant,
    );
    if (ofTenant.length + waking.length < most) return;
    const idle = longestIdle(ofTenant);
    if (idle) return this.#hibernate(idle);
    throw new RpcError(
      ERRORS.SERVICE_BUSY.code,
      `All ${most} instances that the tenant ${tenant} may have awake on this node (maximum_awake_instances) are answering requests: send the request again`,
    );
  }

  #hibernateIdle(): void {
    const now = milliseconds();
    for (const awake of this.#awake.values()) {
      if (awake.hibernating || awake.writtenFrom > now || !this.#isDue(awake, now)) continue;
      this.#hibernate(awake).catch((err: unknown) => this.#notWritten(awake, err));
    }
  }

  /** Under a lease that is lost, an instance is written as soon as the store takes it. */
  #isDue(awake: Awake, now: number): boolean {
    const { current } = this.#membership;
    if (current !== undefined && awake.lease !== current) return true;
    const isIdle = now - awake.lastUsed >= this.#options.idleSeconds * 1000;
    return isIdle && awake.active === 0 && !hasSubscribers(awake.service);
  }

  #notWritten(awake: Awake, err: unknown): void {
    const { log } = this.#root.shared;
    const isLost = awake.hosted.fault !== undefined;
    const isKept = 'it stays in memory, and is written again later';
    const changes = this.#options.isDurable ? 'it leaves memory' : 'its newest changes are lost';
    log.error(
      { err },
      `instance ${awake.id} cannot be written to the store: ${isLost ? changes : isKept}`,
    );
  }

  /** Requests wait meanwhile: another node may have the instance already, or say that it is gone. */
  #hibernate(awake: Awake, work = () => this.#writeBack(awake)): Promise<void> {
    awake.hibernating ??= work().finally(() => {
      awake.hibernating = undefined;
    });
    return awake.hibernating;
  }

  async #writeBack(awake: Awake): Promise<void> {
    const { service, hosted } = awake;
    // Stops the interval of blocks, and waits for changes.
    await service.chain.close();
    try {
      const idle = Math.floor((milliseconds() - awake.lastUsed) / 1000);
      await hosted.release(service.chain.world, idle, this.#queueTimeout());
    } catch (error) {
      if (hosted.fault !== undefined) this.#drop(awake);
      else this.#keep(awake);
      throw error;
    }
    await this.#end(awake);
  }

  /** Without durable changes, only this node has them: it waits for the store until it is stopped. */
  #queueTimeout(): (() => boolean) | undefined {
    if (this.#options.isDurable) return undefined;
    return () => this.#stopped === undefined || this.#stopped() < STOP_SECONDS;
  }

  /** Nothing was written: the chain goes on in memory. */
  #keep(awake: Awake): void {
    awake.service.start();
    awake.pause = Math.min(2 * awake.pause || FIRST_PAUSE, LONGEST_PAUSE);
    awake.writtenFrom = milliseconds() + awake.pause;
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
  #giveUpAll(): void {
    for (const awake of this.#awake.values()) {
      // The store refuses it if another node has taken the instance over.
      this.#hibernate(awake).catch((err: unknown) => this.#notWritten(awake, err));
    }
  }

  // Stop.

  stop(): void {
    this.#stopped ??= stopwatch();
    clearInterval(this.#timer);
  }

  /**
   * Writes back all instances that are awake.
   *
   * @throws Error with those that could not be written
   */
  async close(): Promise<void> {
    this.stop();
    await Promise.allSettled([...this.#waking.values()].map(({ woken }) => woken));
    const all = [...this.#awake.values()];
    const results = await Promise.allSettled(all.map((awake) => this.#writeLast(awake)));
    const unwritten = results.flatMap((result, index) =>
      result.status === 'rejected' ? [{ id: all[index]?.id, error: result.reason }] : [],
    );
    const failure = unwrittenError(unwritten, this.#options.isDurable);
    if (failure) throw failure;
  }

  /** Tries for a while what only this node has. */
  async #writeLast(awake: Awake): Promise<void> {
    for (let isFirst = true; ; isFirst = false) {
      try {
        return await this.#hibernate(awake);
      } catch (error) {
        const isLast = this.#options.isDurable || (this.#stopped?.() ?? 0) > STOP_SECONDS;
        if (isLast || awake.hosted.fault !== undefined) throw error;
        if (isFirst) this.#notWritten(awake, error);
        await delay(STOP_PAUSE_MILLISECONDS);
      }
    }
  }
}
