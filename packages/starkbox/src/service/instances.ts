// Instances: further chains of a node, each served below a path of its own.
import { randomBytes } from 'node:crypto';
import { realMilliseconds } from '../chain/world/clock.js';
import { latestHeader } from '../chain/world/find-block.js';
import { UsageError } from '../config/option.js';
import { ConfigError } from '../config/rules.js';
import { invalidParams, refuse } from '../errors.js';
import type { InstanceControls, InstanceWish } from '../rpc/methods/sandbox.js';
import type { INSTANCE, INSTANCE_ROW } from '../spec.js';
import type { ChainService, InstanceRegistry } from './chain-service.js';

/** The node's own chain, where the id of an instance can stand. */
const ROOT = 'root';
const ID_BYTES = 8;
const CHECK_MILLISECONDS = 1_000;

export interface InstanceLimits {
  /** Most instances at a time. */
  readonly most: number;
  /** Seconds without a request after which one is deleted; zero keeps them. */
  readonly idleSeconds: number;
}

export interface Instance {
  readonly id: string;
  /** Ascending in the order of creation. */
  readonly number: number;
  readonly name: string | undefined;
  readonly service: ChainService;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** Seconds; undefined keeps it. */
  readonly ttl: number | undefined;
  lastUsed: number;
}

/** Instances by id. Nothing that a request does depends on their number. */
export class Instances implements InstanceRegistry {
  readonly #root: ChainService;
  readonly #limits: InstanceLimits;
  readonly #byId = new Map<string, Instance>();
  readonly #onDeleted: ((service: ChainService) => void)[] = [];
  #created = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(root: ChainService, limits: InstanceLimits) {
    this.#root = root;
    this.#limits = limits;
  }

  get count(): number {
    return this.#byId.size;
  }

  /** The service of an instance that is about to get a request. */
  use(id: string): ChainService | undefined {
    const instance = this.#byId.get(id);
    if (!instance) return undefined;
    instance.lastUsed = realMilliseconds();
    return instance.service;
  }

  /** Calls a function after each deletion, so that connections of the chain are closed. */
  whenDeleted(close: (service: ChainService) => void): void {
    this.#onDeleted.push(close);
  }

  controlsFor(caller: ChainService): InstanceControls {
    return {
      create: async (wish) => this.#shown(await this.#create(wish, caller)),
      list: ({ cursor, limit }) => this.#list(cursor, limit),
      delete: (id) => this.#delete(id),
    };
  }

  async #create(
    { from, name, options, ttl }: InstanceWish,
    caller: ChainService,
  ): Promise<Instance> {
    const { most, idleSeconds } = this.#limits;
    if (this.#byId.size >= most) {
      refuse(`There may be ${most} instances; --maximum-instances sets the limit`);
    }
    if (from !== undefined && options !== undefined) {
      refuse('With options the chain begins at its own genesis: leave out one of from and options');
    }
    const parent = from === undefined ? caller : this.#find(from);
    const service = options === undefined ? parent.branch() : await created(caller, options);
    service.start();
    const seconds = ttl ?? idleSeconds;
    const now = realMilliseconds();
    this.#created += 1;
    const instance: Instance = {
      id: randomBytes(ID_BYTES).toString('hex'),
      number: this.#created,
      name,
      service,
      created: now,
      ttl: seconds === 0 ? undefined : seconds,
      lastUsed: now,
    };
    service.binding.mount(this.#root.binding, `/instances/${instance.id}`);
    this.#byId.set(instance.id, instance);
    this.#timer ??= setInterval(() => this.#expire(), CHECK_MILLISECONDS).unref();
    return instance;
  }

  #find(id: string): ChainService {
    if (id === ROOT) return this.#root;
    return this.#byId.get(id)?.service ?? refuse(`There is no instance ${id}`);
  }

  #shown({ id, service }: Instance): INSTANCE {
    const { url } = service.binding;
    return {
      instance_id: id,
      http_url: url === undefined ? null : `${url}/rpc`,
      ws_url: url === undefined ? null : `${url.replace(/^http/, 'ws')}/ws`,
    };
  }

  #list(cursor: string | undefined, limit: number): ReturnType<InstanceControls['list']> {
    if (cursor !== undefined && !/^\d{1,15}\.\d{1,15}$/.test(cursor)) {
      invalidParams('params.cursor: not a cursor');
    }
    const after = Number.parseInt(cursor ?? '0', 10);
    const rows: INSTANCE_ROW[] = [];
    let last: number | undefined;
    for (const instance of this.#byId.values()) {
      if (instance.number <= after) continue;
      if (rows.length === limit) {
        return { rows, total: this.#byId.size, next: `${last}.0` };
      }
      rows.push(this.#row(instance));
      last = instance.number;
    }
    return { rows, total: this.#byId.size, next: undefined };
  }

  #row(instance: Instance): INSTANCE_ROW {
    const { name, service, created, lastUsed, ttl } = instance;
    const { world } = service.chain;
    const secondsSince = (time: number): number =>
      Math.max(0, Math.floor((realMilliseconds() - time) / 1000));
    return {
      ...this.#shown(instance),
      ...(name === undefined ? {} : { name }),
      block_number: latestHeader(world).number,
      transaction_count: world.history.transactionCount + world.pending.transactions.size,
      age: secondsSince(created),
      idle: secondsSince(lastUsed),
      ttl: ttl ?? null,
    };
  }

  async #delete(id: string): Promise<boolean> {
    const instance = this.#byId.get(id);
    if (!instance) return false;
    this.#byId.delete(id);
    for (const close of this.#onDeleted) close(instance.service);
    await instance.service.close();
    return true;
  }

  #expire(): void {
    const now = realMilliseconds();
    for (const { id, ttl, lastUsed } of this.#byId.values()) {
      if (ttl !== undefined && now - lastUsed > ttl * 1000) void this.#delete(id);
    }
    if (this.#byId.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const { service } of this.#byId.values()) service.stop();
  }

  async close(): Promise<void> {
    this.stop();
    await Promise.all([...this.#byId.keys()].map((id) => this.#delete(id)));
  }
}

async function created(caller: ChainService, options: object): Promise<ChainService> {
  try {
    return await caller.withOptions(options);
  } catch (error) {
    if (error instanceof UsageError || error instanceof ConfigError) {
      refuse(`The options of an instance: ${error.message}`);
    }
    throw error;
  }
}
