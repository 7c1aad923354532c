// Three nodes for a schedule of faults: requests to single nodes, all recorded, and faults at chosen moments.
import { setTimeout as sleep } from 'node:timers/promises';
import { Gate } from '../../test/support/gate.js';
import type { Violation } from '../../test/support/history.js';
import type { Answered, Fault } from '../../test/support/store-proxy.js';
import { type Fleet, type FleetNode, LEASE_SECONDS } from '../fleet.js';
import { ask, type CallOutcome, type Exchange, type Recorder } from '../recorder.js';

const TIMEOUT_MILLISECONDS = 20_000;
const POLL_MILLISECONDS = 40;
/** An error of the store's clock that the margin of leases covers; it also makes schedules quicker. */
const CLOCK_AHEAD_SECONDS = 2;
/** After so long without a renewal, a lease has ended for a node whose store is ahead by that. */
export const LEASE_MILLISECONDS: number = (LEASE_SECONDS + 1) * 1000 + 100;

export const isLease = (path: string): boolean => path.includes('/nodes/');
export const isManifest = (path: string): boolean => path.includes('/instances/');

/** The next request that matches, and no other one. */
type Matches = (method: string, path: string) => boolean;

export class Stage {
  /** The node that has the instance first. */
  readonly owner: FleetNode;
  /** Takes the instance over. */
  readonly taker: FleetNode;
  /** Its wall clock is ten minutes ahead. */
  readonly other: FleetNode;
  readonly recorder: Recorder;
  /** Violations that the schedule itself sees. */
  readonly violations: Violation[] = [];
  readonly #lastRenewal = new Map<FleetNode, number>();
  readonly #onLease = new Set<(node: FleetNode, answered: Answered) => void>();

  constructor({ nodes }: Fleet, recorder: Recorder) {
    const [owner, taker, other] = nodes;
    if (!owner || !taker || !other) throw new Error('a schedule needs three nodes');
    this.owner = owner;
    this.taker = taker;
    this.other = other;
    this.recorder = recorder;
    taker.proxy.clockAhead = CLOCK_AHEAD_SECONDS;
    for (const node of this.nodes) {
      this.#lastRenewal.set(node, performance.now());
      node.proxy.onAnswered = (answered) => this.#observe(node, answered);
    }
  }

  get nodes(): readonly FleetNode[] {
    return [this.owner, this.taker, this.other];
  }

  #observe(node: FleetNode, answered: Answered): void {
    const { method, path, status } = answered;
    if (method !== 'PUT' || !isLease(path) || status !== 200) return;
    this.#lastRenewal.set(node, performance.now());
    for (const observer of this.#onLease) observer(node, answered);
  }

  // Requests.

  async #asked(
    node: FleetNode,
    instance: string,
    method: string,
    params: object,
  ): Promise<Exchange> {
    const url = `${node.url}/instances/${instance}/rpc`;
    return { outcome: await ask(url, method, params, TIMEOUT_MILLISECONDS), from: node.name };
  }

  /** Creates an instance, if need be by several requests. */
  async create(node: FleetNode, wish: { ttl?: number; name?: string } = {}): Promise<string> {
    return this.#until(`${node.name} creates an instance`, async () => {
      const { result } = await ask(node.url, 'devnet_createInstance', wish, TIMEOUT_MILLISECONDS);
      const { instance_id: id } = Object(result);
      if (typeof id !== 'string') return undefined;
      this.recorder.created(id, wish.ttl);
      return id;
    });
  }

  /** Creates an instance and changes it. */
  async createChanged(node: FleetNode, wish?: { ttl?: number; name?: string }): Promise<string> {
    const id = await this.create(node, wish);
    await this.changed(node, id);
    return id;
  }

  /** @returns whether the change was acknowledged */
  async change(node: FleetNode, instance: string): Promise<boolean> {
    const mark = this.recorder.newMark();
    const request = await this.#asked(node, instance, 'devnet_mint', { address: mark, amount: 1 });
    const { tx_hash: hash } = Object(request.outcome.result);
    if (!this.recorder.change(instance, mark, request, hash)) return false;
    // Later answers must show its block, too.
    await this.read(node, instance);
    return true;
  }

  /** Sends changes until one is acknowledged. */
  async changed(node: FleetNode, instance: string): Promise<void> {
    await this.#until(
      `${node.name} changes ${instance}`,
      async () => (await this.change(node, instance)) || undefined,
    );
  }

  /** Sends changes, which are not recorded, until one is acknowledged. */
  async accepts(node: FleetNode, instance: string): Promise<void> {
    await this.#until(`${node.name} changes ${instance} at the end`, async () => {
      const params = { address: this.recorder.newMark(), amount: 1 };
      return (await this.#asked(node, instance, 'devnet_mint', params)).outcome.result;
    });
  }

  async read(node: FleetNode, instance: string): Promise<CallOutcome> {
    const request = await this.#asked(node, instance, 'starknet_blockHashAndNumber', {});
    this.recorder.head(instance, request);
    return request.outcome;
  }

  /** Reads again and again. */
  async reads(node: FleetNode, instance: string, milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds;
    while (performance.now() < until) {
      await this.read(node, instance);
      await sleep(POLL_MILLISECONDS);
    }
  }

  /** Reads all the time while something else is done, so that the node does not release the instance. */
  async using<T>(node: FleetNode, instance: string, work: () => Promise<T>): Promise<T> {
    let isDone = false;
    const reading = (async () => {
      while (!isDone) {
        await this.read(node, instance);
        await sleep(POLL_MILLISECONDS);
      }
    })();
    try {
      return await work();
    } finally {
      isDone = true;
      await reading;
    }
  }

  async delete(node: FleetNode, instance: string): Promise<boolean> {
    const params = { instance_id: instance };
    const outcome = await ask(node.url, 'devnet_deleteInstance', params, TIMEOUT_MILLISECONDS);
    return this.recorder.deletion(instance, { outcome, from: node.name });
  }

  /** Asks a node to release an instance, as another node does. */
  async release(node: FleetNode, instance: string): Promise<boolean> {
    const response = await fetch(`${node.url}/instances/${instance}/release`, { method: 'POST' });
    await response.body?.cancel();
    return response.status === 204;
  }

  /** Asks until it is released, which takes until it had no request for a while. */
  async released(node: FleetNode, instance: string): Promise<void> {
    await this.#until(
      `${node.name} releases ${instance}`,
      async () => (await this.release(node, instance)) || undefined,
    );
  }

  async #until<T>(what: string, attempt: () => Promise<T | undefined>): Promise<T> {
    const end = performance.now() + TIMEOUT_MILLISECONDS;
    while (performance.now() < end) {
      const value = await attempt();
      if (value !== undefined) return value;
      await sleep(POLL_MILLISECONDS);
    }
    throw new Error(`the schedule cannot go on: ${what} in vain`);
  }

  // Faults.

  /** Loses all requests of a node to the store, except those that have a fault of their own. */
  cut(
    node: FleetNode,
    except: (method: string, path: string) => Fault | undefined = () => undefined,
  ) {
    node.proxy.fault = (method, path) => except(method, path) ?? 'lose-request';
  }

  /** Gives requests of a node, one after the other, the faults of a list; none to those after them. */
  sequence(node: FleetNode, matches: Matches, faults: readonly (() => Fault | undefined)[]): void {
    const waiting = [...faults];
    node.proxy.fault = (method, path) => (matches(method, path) ? waiting.shift()?.() : undefined);
  }

  /** Stops the next request of a node that matches, before or after the store has done it. */
  gate(node: FleetNode, when: 'before' | 'after', matches: Matches): Gate {
    const gate = new Gate();
    const fault = (): Fault =>
      when === 'before' ? { before: gate.arrive() } : { after: gate.arrive() };
    this.sequence(node, matches, [fault]);
    return gate;
  }

  heal(node: FleetNode): void {
    node.proxy.fault = () => undefined;
    node.process.signal('SIGCONT');
  }

  /** Waits until other nodes may take over what a node has. */
  async leaseEnd(node: FleetNode): Promise<void> {
    const renewed = this.#lastRenewal.get(node) ?? 0;
    await sleep(renewed + LEASE_MILLISECONDS - performance.now());
  }

  /** Waits until a node has written its lease, or a new one. */
  leaseWritten(node: FleetNode, isNew = false): Promise<void> {
    return new Promise((resolve) => {
      const observer = (writer: FleetNode, { isCreation }: Answered): void => {
        if (writer !== node || isCreation !== isNew) return;
        this.#onLease.delete(observer);
        resolve();
      };
      this.#onLease.add(observer);
    });
  }
}
