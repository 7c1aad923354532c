// Instances: further chains of a node, each served below a path of its own.
import { randomBytes } from 'node:crypto';
import type { INSTANCE, INSTANCE_ROW } from '@starkbox/spec';
import { readCursor } from '../chain/queries/page.js';
import { realMilliseconds } from '../chain/world/clock.js';
import { refuse } from '../errors.js';
import type { InstanceControls, InstancePage, InstanceWish } from '../rpc/methods/sandbox.js';
import type { Handler } from '../rpc/protocol/call-context.js';
import { milliseconds } from '../scheduling/slices.js';
import type { InstanceRecord } from '../store/instance-records.js';
import type { InstanceFigures, Store } from '../store/store.js';
import type { ChainService } from './chain-service.js';
import { branchFor, newFor, opened, withOptionErrors } from './instance-chains.js';
import type { InstanceRegistry, Requests } from './instance-registry.js';
import { figuresOf, instanceRow, shownInstance } from './shown-instance.js';

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

/** One instance; where the data directory keeps it, its first request opens it. */
interface Instance {
  readonly record: InstanceRecord;
  readonly isStored: boolean;
  /** Undefined if it is not open. */
  service: ChainService | undefined;
  opening: Promise<ChainService> | undefined;
  deletion: Promise<void> | undefined;
  /** By a clock that is never set; the start of the node, if there was no request. */
  lastUsed: number;
}

/** Instances by id. Nothing that a request does depends on their number. */
export class Instances implements InstanceRegistry {
  readonly metrics: InstanceRegistry['metrics'] = [];
  readonly clients = undefined;
  readonly fleet = undefined;
  readonly #root: ChainService;
  readonly #store: Store | undefined;
  readonly #limits: InstanceLimits;
  readonly #known = new Map<string, Instance>();
  /** Whether the instances of the data directory are among the known ones. */
  #isComplete = false;
  readonly #ids = new WeakMap<ChainService, string>();
  readonly #onDeleted: ((service: ChainService) => void)[] = [];
  /** The number of the newest. */
  #last = 0;
  /** Instances that are being created. */
  #creating = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** @param store the data directory, whose instances are there from the start */
  constructor(root: ChainService, store: Store | undefined, limits: InstanceLimits) {
    this.#root = root;
    this.#store = store;
    this.#limits = limits;
    this.#ids.set(root, ROOT);
    if (store) this.#startTimer();
  }

  /** Those of the data directory are listed when they are first needed, not at the start. */
  get #byId(): Map<string, Instance> {
    if (!this.#isComplete) {
      const records = this.#store?.instances() ?? [];
      this.#isComplete = true;
      for (const record of records) this.#add(record, undefined);
    }
    return this.#known;
  }

  get count(): number {
    return this.#byId.size;
  }

  /** The service of an instance that is about to get a request; a promise if it is not open yet. */
  find(id: string): ChainService | Promise<ChainService> | undefined {
    let instance: Instance | undefined;
    try {
      instance = this.#byId.get(id);
    } catch (error) {
      return Promise.reject(error); // the data directory is damaged
    }
    if (!instance || instance.deletion) return undefined;
    instance.lastUsed = milliseconds();
    return instance.service ?? this.#opened(instance);
  }

  requestsTo(
    _id: string,
    service: ChainService,
    requestsOf: (service: ChainService) => Requests,
  ): Requests {
    return requestsOf(service);
  }

  whenClosed(close: (service: ChainService) => void): void {
    this.#onDeleted.push(close);
  }

  guarded(_service: ChainService, _method: string, handler: Handler): Handler {
    return handler;
  }

  controlsFor(caller: ChainService): InstanceControls {
    return {
      create: async (wish) => this.#shown(await this.#create(wish, caller)),
      list: ({ cursor, limit }) => this.#list(cursor, limit),
      delete: (id) => this.#delete(id),
    };
  }

  async #create(wish: InstanceWish, caller: ChainService): Promise<InstanceRecord> {
    const { most } = this.#limits;
    const { from, options } = wish;
    if (this.#byId.size + this.#creating >= most) {
      refuse(`There may be ${most} instances at most; --maximum-instances sets the limit`);
    }
    if (from !== undefined && options !== undefined) {
      refuse('With options the chain begins at a new genesis: omit either from or options');
    }
    this.#creating += 1;
    try {
      const parent = from === undefined ? caller : await this.#chainOf(from);
      const record = this.#recordOf(wish, parent);
      const service =
        options === undefined
          ? await branchFor(record, parent)
          : await withOptionErrors(() => newFor(record, parent));
      if (this.#isStopped) await service.close();
      else this.#add(record, service);
      return record;
    } finally {
      this.#creating -= 1;
    }
  }

  #recordOf({ name, options, ttl }: InstanceWish, parent: ChainService): InstanceRecord {
    const seconds = ttl ?? this.#limits.idleSeconds;
    this.#last += 1;
    return {
      number: this.#last,
      id: randomBytes(ID_BYTES).toString('hex'),
      name,
      from: options === undefined ? this.#ids.get(parent) : undefined,
      options: options === undefined ? parent.options : [...parent.options, options],
      created: realMilliseconds(),
      ttl: seconds === 0 ? undefined : seconds,
    };
  }

  /** @param service undefined for one in the data directory that is not open */
  #add(record: InstanceRecord, service: ChainService | undefined): void {
    const instance: Instance = {
      record,
      isStored: service?.isStored ?? true,
      service: undefined,
      opening: undefined,
      deletion: undefined,
      lastUsed: milliseconds(),
    };
    this.#last = Math.max(this.#last, record.number);
    this.#byId.set(record.id, instance);
    if (service) this.#serve(instance, service);
    this.#startTimer();
  }

  #startTimer(): void {
    this.#timer ??= setInterval(() => this.#expire(), CHECK_MILLISECONDS).unref();
  }

  #serve(instance: Instance, service: ChainService): void {
    const { id } = instance.record;
    instance.service = service;
    this.#ids.set(service, id);
    service.binding.mount(this.#root.binding, `/instances/${id}`);
    service.start();
  }

  #opened(instance: Instance): Promise<ChainService> {
    instance.opening ??= this.#open(instance).finally(() => {
      instance.opening = undefined;
    });
    return instance.opening;
  }

  async #open(instance: Instance): Promise<ChainService> {
    if (this.#isStopped) refuse('The node is closed');
    const service = await withOptionErrors(() => opened(instance.record, this.#root));
    this.#serve(instance, service);
    return service;
  }

  async #chainOf(id: string): Promise<ChainService> {
    if (id === ROOT) return this.#root;
    return this.find(id) ?? refuse(`There is no instance ${id}`);
  }

  #shown({ id }: InstanceRecord): INSTANCE {
    return shownInstance(this.#root.binding.url, id);
  }

  #list(cursor: string | undefined, limit: number): InstancePage {
    const [after] = cursor === undefined ? [0] : readCursor(cursor);
    const rows: INSTANCE_ROW[] = [];
    let last: number | undefined;
    for (const instance of this.#byId.values()) {
      const { number } = instance.record;
      if (number <= after) continue;
      if (rows.length === limit) {
        return { rows, total: this.#byId.size, next: `${last}.0` };
      }
      rows.push(this.#row(instance));
      last = number;
    }
    return { rows, total: this.#byId.size, next: undefined };
  }

  #row(instance: Instance): INSTANCE_ROW {
    const { record, lastUsed } = instance;
    const idle = (milliseconds() - lastUsed) / 1000;
    return instanceRow(this.#root.binding.url, record, this.#figures(instance), idle);
  }

  #figures({ record, service }: Instance): InstanceFigures {
    if (!service) {
      return this.#store?.figures(record.number) ?? { blockNumber: 0, transactionCount: 0 };
    }
    return figuresOf(service.chain.world);
  }

  async #delete(id: string): Promise<boolean> {
    const instance = this.#byId.get(id);
    if (!instance) return false;
    instance.deletion ??= this.#remove(instance).finally(() => {
      instance.deletion = undefined;
    });
    await instance.deletion;
    return true;
  }

  /** If its entries cannot be deleted, it stays, and is opened again when it is used. */
  async #remove(instance: Instance): Promise<void> {
    const { record, isStored } = instance;
    await instance.opening?.catch(() => undefined);
    const { service } = instance;
    if (service) for (const close of this.#onDeleted) close(service);
    service?.stored?.end();
    await service?.close();
    instance.service = undefined;
    if (isStored) await this.#store?.forget(record.number);
    this.#byId.delete(record.id);
  }

  #expire(): void {
    const now = milliseconds();
    for (const { record, lastUsed } of this.#listed()) {
      if (record.ttl === undefined || now - lastUsed <= record.ttl * 1000) continue;
      // Tried again by the next check.
      this.#delete(record.id).catch(() => undefined);
    }
    if (this.#known.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** All instances; none if the data directory is damaged, of which requests are told. */
  #listed(): Iterable<Instance> {
    try {
      return this.#byId.values();
    } catch {
      return [];
    }
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    for (const { service } of this.#known.values()) service?.stop();
  }

  async close(): Promise<void> {
    this.stop();
    await Promise.all([...this.#known.values()].map((instance) => this.#close(instance)));
  }

  async #close({ record, isStored, service, opening, deletion }: Instance): Promise<void> {
    if (!isStored || deletion) {
      await this.#delete(record.id);
      return;
    }
    const open = service ?? (await opening?.catch(() => undefined));
    await open?.close();
  }
}

/** The instances of a node in memory, or in its data directory. */
export function instancesOf(root: ChainService): Instances {
  const { maximumInstances: most, instanceIdleSeconds: idleSeconds } = root.base.config;
  return new Instances(root, root.shared.store, { most, idleSeconds });
}
