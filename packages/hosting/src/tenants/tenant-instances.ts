// Instances of each tenant: an object for each of them, by which they are listed and counted.
import { milliseconds, refuse } from 'starkbox/registry';
import type { ObjectStore } from '../objects/object-store.js';
import type { Tenants } from './tenants.js';

/** How long a count is used, in which other nodes may create instances, too. */
const COUNT_MILLISECONDS = 3_000;
/** How often objects of instances that are gone are looked for. */
const SWEEP_MILLISECONDS = 30_000;
/** The object of an instance is older when its creation has failed. */
const CREATION_SECONDS = 120;
/** Objects that are looked at together. */
const TOGETHER = 16;
const CONTENT = Buffer.from('{}');

export const prefixOf = (tenant: string): string => `tenants/${tenant}/`;

/** Whether there is no such instance. One that has expired is deleted under the lease of a node. */
type IsGone = (id: string, lease: string) => Promise<boolean>;

interface Counted {
  count: number;
  readonly time: number;
}

export class TenantInstances {
  readonly #objects: ObjectStore;
  readonly #tenants: Tenants | undefined;
  readonly #isGone: IsGone;
  readonly #counted = new Map<string, Counted>();
  readonly #swept = new Map<string, number>();
  /** Additions of a tenant run one after the other, so that each counts those before it. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(objects: ObjectStore, tenants: Tenants | undefined, isGone: IsGone) {
    this.#objects = objects;
    this.#tenants = tenants;
    this.#isGone = isGone;
  }

  /**
   * Counts an instance that is about to be created.
   *
   * @param lease of this node
   * @throws RpcError if the tenant has as many as it may
   */
  add(tenant: string, id: string, lease: string): Promise<void> {
    const last = this.#turns.get(tenant) ?? Promise.resolve();
    const turn = last.then(() => this.#add(tenant, id, lease));
    const ended = turn.catch(() => undefined);
    this.#turns.set(tenant, ended);
    return turn;
  }

  async remove(tenant: string, id: string): Promise<void> {
    await this.#objects.delete(prefixOf(tenant) + id);
    this.#counted.delete(tenant);
  }

  async #add(tenant: string, id: string, lease: string): Promise<void> {
    const most = this.#tenants?.quotasOf(tenant).instances;
    if (most !== undefined && (await this.#count(tenant, most)) >= most) {
      await this.#sweep(tenant, most, lease);
      if ((await this.#count(tenant, most)) >= most) {
        refuse(
          `The tenant ${tenant} has ${most} instances, its limit (maximum_instances): delete one`,
        );
      }
    }
    await this.#objects.put(prefixOf(tenant) + id, CONTENT);
    const counted = this.#counted.get(tenant);
    if (counted) counted.count += 1;
  }

  async #count(tenant: string, most: number): Promise<number> {
    const now = milliseconds();
    const counted = this.#counted.get(tenant);
    if (counted && now - counted.time < COUNT_MILLISECONDS) return counted.count;
    const keys = await this.#objects.list(prefixOf(tenant), undefined, most + 1);
    this.#counted.set(tenant, { count: keys.length, time: now });
    return keys.length;
  }

  /** Deletes objects of instances that are gone: a node was killed between two writes, or they have expired. */
  async #sweep(tenant: string, most: number, lease: string): Promise<void> {
    const now = milliseconds();
    if (now - (this.#swept.get(tenant) ?? Number.NEGATIVE_INFINITY) < SWEEP_MILLISECONDS) return;
    this.#swept.set(tenant, now);
    const prefix = prefixOf(tenant);
    const keys = await this.#objects.list(prefix, undefined, most + 1);
    for (let at = 0; at < keys.length; at += TOGETHER) {
      await Promise.all(
        keys
          .slice(at, at + TOGETHER)
          .map((key) => this.#check(tenant, key.slice(prefix.length), lease)),
      );
    }
  }

  async #check(tenant: string, id: string, lease: string): Promise<void> {
    if (!(await this.#isGone(id, lease))) return;
    const stored = await this.#objects.get(prefixOf(tenant) + id);
    if (stored && stored.age > CREATION_SECONDS) await this.remove(tenant, id);
  }
}
