// Instances: further chains of a node, each served below a path of its own.
import { randomBytes } from 'node:crypto';
import type { INSTANCE, INSTANCE_ROW } from '@starkbox/spec';
import { readCursor } from '../chain/queries/page.js';
import { realMilliseconds } from '../chain/world/clock.js';
import { refuse } from '../errors.js';
import type { InstanceControls, InstancePage, InstanceRequest } from '../rpc/methods/sandbox.js';
import { atOnce, inSlices, milliseconds, type Steps } from '../scheduling/slices.js';
import type { Hold } from '../server/http/request-target.js';
import type { InstanceRecord } from '../store/instance-records.js';
import type { InstanceFigures, Store } from '../store/store.js';
import type { ChainService, InstanceMethods } from './chain-service.js';
import { branchFor, newFor, openInstance, withOptionErrors } from './instance-chains.js';
import { figuresOf, instanceRow, showInstance } from './shown-instance.js';

/** The node's own chain, where the id of an instance can stand. */
const ROOT = 'root';
const ID_BYTES = 8;
const CHECK_MILLISECONDS = 1_000;
/** Chains of the data directory that stay open; one with a few transactions takes 45 KiB. */
const MAX_OPEN = 1_000;
/** Chains that are looked at for one to close, so that no request waits for more. */
const MAX_CANDIDATES = 8;
/** How long a chain stays open without a request. A closed one has lost its recorded requests, which are read until then. */
const IDLE_MILLISECONDS = 10 * 60_000;
const LEFT_MEMORY =
  'Nothing was changed: the instance was closed because its client was gone. Send the request again';

export interface InstanceLimits {
  /** Most instances at a time. */
  readonly most: number;
  /** Seconds without a request after which one is deleted; zero keeps them. */
  readonly idleSeconds: number;
}

/** One instance; where the data directory keeps it, a request opens it. */
interface Instance {
  readonly record: InstanceRecord;
  readonly isStored: boolean;
  /** Undefined if it is not open. */
  service: ChainService | undefined;
  opening: Promise<ChainService> | undefined;
  closing: Promise<void> | undefined;
  deletion: Promise<void> | undefined;
  /** By a clock that is never set; the start of the node, if there was no request. */
  lastUsed: number;
  /** Requests under way and open sockets. */
  users: number;
}

/** Instances by id. Nothing that a request does depends on their number. */
export class Instances implements InstanceMethods {
  readonly #root: ChainService;
  readonly #store: Store | undefined;
  readonly #limits: InstanceLimits;
  #known = new Map<string, Instance>();
  /** Whether all instances of the data directory are among the known ones. */
  #isComplete: boolean;
  #reading: Steps<void> | undefined;
  /** Open ones of the data directory, in the order of their last use. */
  readonly #inMemory = new Map<string, Instance>();
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
    this.#isComplete = store === undefined;
    this.#ids.set(root, ROOT);
    if (store) this.#startTimer();
  }

  /** All, oldest first. */
  get #byId(): ReadonlyMap<string, Instance> {
    this.#read(atOnce);
    return this.#known;
  }

  /** Reads all records, at once or in the background. */
  #read<T>(does: (steps: Steps<void>) => T): T | undefined {
    if (this.#isComplete) return undefined;
    this.#reading ??= this.#readRecords();
    return does(this.#reading);
  }

  *#readRecords(): Steps<void> {
    try {
      for (const records of this.#store?.instances() ?? []) {
        for (const record of records) {
          if (!this.#known.has(record.id)) this.#add(record, undefined);
        }
        yield;
      }
      const oldestFirst = [...this.#known].toSorted(
        ([, { record: a }], [, { record: b }]) => a.number - b.number,
      );
      this.#known = new Map(oldestFirst);
      this.#isComplete = true;
    } finally {
      // After an error, all are read again.
      this.#reading = undefined;
    }
  }

  /** One instance, without those beside it. */
  #get(id: string): Instance | undefined {
    const known = this.#known.get(id);
    if (known || this.#isComplete) return known;
    const record = this.#store?.instance(id);
    return record && this.#add(record, undefined);
  }

  get count(): number {
    return this.#byId.size;
  }

  /** How many of the data directory are open. */
  get open(): number {
    return this.#inMemory.size;
  }

  /** The service of an instance, which stays open until it is released; a promise if it is not open yet. */
  find(id: string, hold: Hold): ChainService | Promise<ChainService> | undefined {
    let instance: Instance | undefined;
    try {
      instance = this.#get(id);
    } catch (error) {
      return Promise.reject(error); // the data directory is damaged
    }
    if (!instance || instance.deletion) return undefined;
    this.#use(instance, hold);
    return instance.service ?? this.#openInstance(instance);
  }

  #use(instance: Instance, hold: Hold): void {
    instance.users += 1;
    this.#touch(instance);
    hold(() => {
      instance.users -= 1;
      this.#touch(instance);
    });
  }

  #touch(instance: Instance): void {
    instance.lastUsed = milliseconds();
    this.#moveToEnd(instance);
  }

  #moveToEnd(instance: Instance): void {
    const { id } = instance.record;
    if (this.#inMemory.delete(id)) this.#inMemory.set(id, instance);
  }

  /** Calls a function when an instance is about to be deleted, so that its connections are closed. */
  whenClosed(close: (service: ChainService) => void): void {
    this.#onDeleted.push(close);
  }

  controlsFor(caller: ChainService): InstanceControls {
    return {
      create: async (wish) => this.#toWire(await this.#create(wish, caller)),
      list: ({ cursor, limit }) => this.#list(cursor, limit),
      delete: (id) => this.#delete(id),
    };
  }

  async #create(wish: InstanceRequest, caller: ChainService): Promise<InstanceRecord> {
    const { most } = this.#limits;
    const { from, options } = wish;
    if (this.#byId.size + this.#creating >= most) {
      refuse(`There may be ${most} instances at most; --maximum-instances sets the limit`);
    }
    if (from !== undefined && options !== undefined) {
      refuse('With options the chain begins at a new genesis: omit either from or options');
    }
    this.#creating += 1;
    let release = (): void => {};
    try {
      const hold: Hold = (end) => {
        release = end;
      };
      const parent = from === undefined ? caller : await this.#chainOf(from, hold);
      const record = this.#recordOf(wish, parent);
      const service =
        options === undefined
          ? await branchFor(record, parent)
          : await withOptionErrors(() => newFor(record, parent));
      if (this.#isStopped) await service.close();
      else this.#add(record, service);
      return record;
    } finally {
      release();
      this.#creating -= 1;
    }
  }

  #recordOf({ name, options, ttl }: InstanceRequest, parent: ChainService): InstanceRecord {
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
  #add(record: InstanceRecord, service: ChainService | undefined): Instance {
    const instance: Instance = {
      record,
      isStored: service?.isStored ?? true,
      service: undefined,
      opening: undefined,
      closing: undefined,
      deletion: undefined,
      lastUsed: milliseconds(),
      users: 0,
    };
    this.#last = Math.max(this.#last, record.number);
    this.#known.set(record.id, instance);
    if (service) this.#serve(instance, service);
    this.#startTimer();
    return instance;
  }

  #startTimer(): void {
    this.#timer ??= setInterval(() => this.#check(), CHECK_MILLISECONDS).unref();
  }

  #check(): void {
    // Requests are told of a damaged data directory.
    if (!this.#reading) this.#read(inSlices)?.catch(() => undefined);
    this.#expire();
    this.#closeIdle();
  }

  #serve(instance: Instance, service: ChainService): void {
    const { id } = instance.record;
    instance.service = service;
    this.#ids.set(service, id);
    service.binding.mount(this.#root.binding, `/instances/${id}`);
    service.start();
    if (!instance.isStored) return;
    this.#inMemory.set(id, instance);
    this.#closeBeyondLimit();
  }

  #openInstance(instance: Instance): Promise<ChainService> {
    instance.opening ??= this.#open(instance).finally(() => {
      instance.opening = undefined;
    });
    return instance.opening;
  }

  async #open(instance: Instance): Promise<ChainService> {
    await instance.closing;
    if (this.#isStopped) refuse('The node is closed');
    const service = await withOptionErrors(() => openInstance(instance.record, this.#root));
    this.#serve(instance, service);
    return service;
  }

  #closeIdle(): void {
    const idleSince = milliseconds() - IDLE_MILLISECONDS;
    for (const instance of [...this.#inMemory.values()]) {
      if (instance.lastUsed > idleSince) return;
      if (isClosable(instance)) this.#close(instance);
    }
  }

  #closeBeyondLimit(): void {
    for (let looks = 0; looks < MAX_CANDIDATES && this.#inMemory.size > MAX_OPEN; looks += 1) {
      const [instance] = this.#inMemory.values();
      if (!instance) return;
      if (isClosable(instance)) this.#close(instance);
      else this.#moveToEnd(instance);
    }
  }

  /** Frees the memory of an instance until its next request. */
  #close(instance: Instance): void {
    const { record, service } = instance;
    instance.service = undefined;
    this.#inMemory.delete(record.id);
    // The request of a client that is gone may go on: its changes would be written over later ones.
    service?.stored?.end(LEFT_MEMORY);
    const closing = service?.close().catch((err: unknown) => {
      service.shared.log.error({ err }, `instance ${record.id} could not be closed`);
    });
    instance.closing = closing?.finally(() => {
      instance.closing = undefined;
    });
  }

  async #chainOf(id: string, hold: Hold): Promise<ChainService> {
    if (id === ROOT) return this.#root;
    return this.find(id, hold) ?? refuse(`There is no instance ${id}`);
  }

  #toWire({ id }: InstanceRecord): INSTANCE {
    return showInstance(this.#root.binding.url, id);
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
    const instance = this.#get(id);
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
    await instance.closing;
    const { service } = instance;
    if (service) for (const close of this.#onDeleted) close(service);
    service?.stored?.end('This instance was deleted');
    await service?.close();
    instance.service = undefined;
    this.#inMemory.delete(record.id);
    if (isStored) await this.#store?.forget(record);
    this.#known.delete(record.id);
  }

  #expire(): void {
    const now = milliseconds();
    for (const { record, lastUsed } of this.#known.values()) {
      if (record.ttl === undefined || now - lastUsed <= record.ttl * 1000) continue;
      // Tried again by the next check.
      this.#delete(record.id).catch(() => undefined);
    }
    if (this.#known.size > 0 || !this.#isComplete) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    for (const { service } of this.#known.values()) service?.stop();
  }

  async close(): Promise<void> {
    this.stop();
    await Promise.all([...this.#known.values()].map((instance) => this.#end(instance)));
  }

  async #end(instance: Instance): Promise<void> {
    const { record, isStored, service, opening, closing, deletion } = instance;
    if (!isStored || deletion) {
      await this.#delete(record.id);
      return;
    }
    const open = service ?? (await opening?.catch(() => undefined));
    await open?.close();
    await closing;
  }
}

/** Whether the chain can be opened again as it is: blocks at an interval would not be made meanwhile. */
function isClosable({ users, deletion, service }: Instance): boolean {
  if (users > 0 || deletion || !service) return false;
  const { isTimed, calls } = service.chain;
  return !isTimed && calls === undefined;
}

/** The instances of a node in memory, or in its data directory. */
export function instancesOf(root: ChainService): Instances {
  const { maximumInstances: most, instanceIdleSeconds: idleSeconds } = root.base.config;
  return new Instances(root, root.shared.store, { most, idleSeconds });
}
