// Ownership of instances: taken from no one, from a node that releases it, or from one whose lease is free.

import { setTimeout as delay } from 'node:timers/promises';
import {
  equalFixedOptions,
  type FixedOptions,
  InstanceElsewhere,
  reasonOf,
  refuse,
  stopwatch,
} from 'starkbox/registry';
import { askForRelease } from './handover.js';
import type { HostingOptions } from './hosting-options.js';
import { LeaseReader } from './lease.js';
import { type Manifest, manifestKey, readManifest } from './manifest.js';
import type { ObjectStore, StoredObject } from './objects/object-store.js';
import { OwnedManifest } from './owned-manifest.js';
import { TenantInstances } from './tenants/tenant-instances.js';

/** How often a node tries to own an instance that others want too. */
const ATTEMPTS = 8;
/** How long a request waits for another node to release an instance, or for the end of its lease. */
const WAIT_SECONDS = { 'in use': 2, unreachable: 15 };
const PAUSE_MILLISECONDS = 200;

export class Ownership {
  readonly ofTenants: TenantInstances;
  readonly #objects: ObjectStore;
  readonly #leases: LeaseReader;
  readonly #settings: FixedOptions;
  readonly #token: string | undefined;

  /**
   * @param settings options of this node that chains depend on
   */
  constructor(
    objects: ObjectStore,
    settings: FixedOptions,
    { token, tenants }: Pick<HostingOptions, 'token' | 'tenants'>,
  ) {
    this.ofTenants = new TenantInstances(objects, tenants, (id, by) => this.#isGone(id, by));
    this.#objects = objects;
    this.#leases = new LeaseReader(objects);
    this.#settings = settings;
    this.#token = token;
  }

  /**
   * Makes this node the owner of an instance; undefined if there is none.
   *
   * @param owner the lease of this node
   * @throws InstanceElsewhere if another node has it, and does not release it
   */
  async take(id: string, owner: string): Promise<OwnedManifest | undefined> {
    const waited = stopwatch();
    for (let attempt = 0; attempt < ATTEMPTS; ) {
      const stored = await this.#objects.get(manifestKey(id));
      if (!stored) return undefined;
      const manifest = this.#read(id, stored.bytes);
      if (manifest.isDeleted) return undefined;
      const holder = await this.#holderOf(manifest, owner);
      if (holder !== undefined) {
        const answer = await askForRelease(id, holder, this.#token);
        if (answer === 'released') {
          attempt += 1;
          continue;
        }
        if (waited() > WAIT_SECONDS[answer]) throw new InstanceElsewhere(id, holder);
        await delay(PAUSE_MILLISECONDS);
        continue;
      }
      attempt += 1;
      const owned = await OwnedManifest.take(this.#objects, manifest, stored.tag, owner);
      if (!owned) continue;
      if (!isExpired(manifest, stored)) return owned;
      await this.erase(owned);
      return undefined;
    }
    return refuse(`Other nodes are taking over the instance ${id}: send the request again`);
  }

  /** Ends the ownership of an instance that this node dropped after a failed write. */
  async giveUp(id: string, owner: string): Promise<void> {
    const stored = await this.#objects.get(manifestKey(id));
    if (!stored) return;
    const manifest = this.#read(id, stored.bytes);
    if (manifest.owner !== owner) return;
    await OwnedManifest.giveUp(this.#objects, manifest, stored.tag, owner);
  }

  /** The tenant of an instance; undefined if it has none, or there is no such instance. */
  async tenantOf(id: string): Promise<string | undefined> {
    const stored = await this.#objects.get(manifestKey(id));
    if (!stored) return undefined;
    const { record, isDeleted } = this.#readAny(id, stored.bytes);
    return isDeleted ? undefined : record.tenant;
  }

  /** Whether there is no such instance. One that hibernates and has expired is deleted. */
  async #isGone(id: string, by: string): Promise<boolean> {
    const stored = await this.#objects.get(manifestKey(id));
    if (!stored) return true;
    const manifest = this.#readAny(id, stored.bytes);
    if (!manifest.isDeleted && !isExpired(manifest, stored)) return false;
    const owned = await OwnedManifest.take(this.#objects, manifest, stored.tag, by);
    if (owned) await this.erase(owned);
    return owned !== undefined;
  }

  /** Deletes an instance of this node. */
  async erase(owned: OwnedManifest): Promise<void> {
    // No other node takes it over before the object is deleted.
    await owned.replace({ isDeleted: true, owner: undefined });
    const { id, tenant } = owned.current.record;
    await this.#objects.delete(manifestKey(id));
    if (tenant !== undefined) await this.ofTenants.remove(tenant, id);
  }

  #readAny(id: string, bytes: Buffer): Manifest {
    try {
      return readManifest(bytes);
    } catch (error) {
      return refuse(
        `The object ${manifestKey(id)} in ${this.#objects.displayName} is damaged: ${reasonOf(error)}`,
      );
    }
  }

  #read(id: string, bytes: Buffer): Manifest {
    const manifest = this.#readAny(id, bytes);
    if (!equalFixedOptions(manifest.settings, this.#settings)) {
      const names = differences(manifest.settings, this.#settings);
      refuse(
        `The instance ${id} was made by nodes with other options (${names}); nodes with one store need the same`,
      );
    }
    return manifest;
  }

  /** The address of the other node that has it in memory. */
  async #holderOf({ owner }: Manifest, ownLease: string): Promise<string | undefined> {
    if (owner === undefined || owner === ownLease) return undefined;
    const state = await this.#leases.stateOf(owner);
    return state.kind === 'live' ? state.url : undefined;
  }
}

/** Never while it has an owner: that node may have answered requests since it wrote the manifest. */
function isExpired({ record: { ttl }, owner, idle }: Manifest, { age }: StoredObject): boolean {
  return ttl !== undefined && owner === undefined && idle + age > ttl;
}

function differences(first: FixedOptions, other: FixedOptions): string {
  const names = Object.keys({ ...first, ...other });
  return names.filter((name) => (first[name] ?? null) !== (other[name] ?? null)).join(', ');
}
