// Ownership of instances: taken from no one, or from a node whose lease is free.
import { realMilliseconds } from '../chain/world/clock.js';
import { InstanceElsewhere, reasonOf, refuse } from '../errors.js';
import type { FixedOptions } from '../store/directory/fixed-options.js';
import { equalFixedOptions } from '../store/directory/identity.js';
import { LeaseReader } from './lease.js';
import { type Manifest, manifestKey, readManifest } from './manifest.js';
import type { ObjectStore } from './objects/object-store.js';
import { OwnedManifest } from './owned-manifest.js';

/** How often a node tries to own an instance that others want too. */
const ATTEMPTS = 8;

export class Ownership {
  readonly #objects: ObjectStore;
  readonly #leases: LeaseReader;
  readonly #settings: FixedOptions;

  /** @param settings options of this node that chains depend on */
  constructor(objects: ObjectStore, settings: FixedOptions) {
    this.#objects = objects;
    this.#leases = new LeaseReader(objects);
    this.#settings = settings;
  }

  /**
   * Makes this node the owner of an instance; undefined if there is none.
   *
   * @param owner the lease of this node
   * @throws InstanceElsewhere if another node has it
   */
  async take(id: string, owner: string): Promise<OwnedManifest | undefined> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const found = await this.#objects.get(manifestKey(id));
      if (!found) return undefined;
      const manifest = await this.#read(id, found.bytes);
      if (manifest.isDeleted) return undefined;
      await this.#mustBeFree(manifest, owner);
      const owned = await OwnedManifest.take(this.#objects, manifest, found.tag, owner);
      if (!owned) continue;
      if (!isExpired(manifest)) return owned;
      await this.erase(owned);
      return undefined;
    }
    return refuse(`Other nodes are taking over the instance ${id}: send the request again`);
  }

  /** Deletes an instance of this node. */
  async erase(owned: OwnedManifest): Promise<void> {
    // No other node takes it over before the object is deleted.
    await owned.replace({ isDeleted: true, owner: undefined });
    await this.#objects.delete(manifestKey(owned.current.record.id));
  }

  async #read(id: string, bytes: Buffer): Promise<Manifest> {
    const manifest = await readManifest(bytes).catch((error: unknown) =>
      refuse(
        `The object ${manifestKey(id)} in ${this.#objects.shown} is damaged: ${reasonOf(error)}`,
      ),
    );
    if (!equalFixedOptions(manifest.settings, this.#settings)) {
      const names = differences(manifest.settings, this.#settings);
      refuse(
        `The instance ${id} was made by nodes with other options (${names}); nodes with one store need the same`,
      );
    }
    return manifest;
  }

  async #mustBeFree({ owner, record }: Manifest, own: string): Promise<void> {
    if (owner === undefined || owner === own) return;
    const state = await this.#leases.stateOf(owner);
    if (state.kind === 'live') throw new InstanceElsewhere(record.id, state.url);
  }
}

function isExpired({ record, lastUsed }: Manifest): boolean {
  return record.ttl !== undefined && realMilliseconds() - lastUsed > record.ttl * 1000;
}

function differences(one: FixedOptions, other: FixedOptions): string {
  const names = Object.keys({ ...one, ...other });
  return names.filter((name) => (one[name] ?? null) !== (other[name] ?? null)).join(', ');
}
