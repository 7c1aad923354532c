// Membership of a node in a fleet: its lease, and a new one after a loss.

import { setTimeout as delay } from 'node:timers/promises';
import { ERRORS, type Log, RpcError } from 'starkbox/registry';
import { NodeLease } from './lease.js';
import type { ObjectStore } from './objects/object-store.js';

const PAUSE_MILLISECONDS = 1_000;

export interface MembershipOptions {
  /** Where clients reach this node; known when it listens. */
  readonly url: () => string;
  /** How long the lease holds without a renewal. */
  readonly seconds: number;
  readonly log: Log;
}

export class Membership {
  readonly #objects: ObjectStore;
  readonly #options: MembershipOptions;
  readonly #onLost: (() => void)[] = [];
  #lease: NodeLease | undefined;
  #isClosed = false;
  #lostLeases = 0;

  constructor(objects: ObjectStore, options: MembershipOptions) {
    this.#objects = objects;
    this.#options = options;
  }

  /** Begins the lease, once the node listens. */
  async open(): Promise<void> {
    const { url, seconds, log } = this.#options;
    const onLost = (): void => {
      this.#renew().catch((err: unknown) => log.error({ err }, 'a new lease could not be started'));
    };
    const onFailure = (err: unknown): void =>
      log.warn({ err }, 'the lease of this node could not be renewed yet');
    const options = { url: url(), seconds, onLost, onFailure };
    this.#lease = await NodeLease.open(this.#objects, options);
  }

  /** Calls a function when the lease is lost for good. */
  whenLost(drop: () => void): void {
    this.#onLost.push(drop);
  }

  /** How often this node has lost its lease. */
  get lostLeases(): number {
    return this.#lostLeases;
  }

  /** The id of the lease. */
  get id(): string {
    return this.current ?? this.#refuse();
  }

  /** The same; undefined while there is no lease. */
  get current(): string | undefined {
    return this.#lease?.nodeId;
  }

  /** A store of this process alone has no other node, so that a renewal may be late there. */
  get #isHeld(): boolean {
    return this.#lease !== undefined && (this.#objects.isExclusive || this.#lease.isHeld);
  }

  /** @throws RpcError unless this node may answer for its instances */
  mustHold(): void {
    if (!this.#isHeld) this.#refuse();
  }

  /** @throws RpcError unless the lease under which a call began is held still */
  mustStillHold(id: string): void {
    if (this.#isHeld && this.current === id) return;
    this.#refuse('If it was a change, it may or may not have happened: read the chain first.');
  }

  #refuse(advice = 'Send the request again.'): never {
    const { code } = ERRORS.LEASE_NOT_HELD;
    throw new RpcError(
      code,
      `This node could not renew its lease in ${this.#objects.displayName}, so another node may have taken over its instances. ${advice}`,
    );
  }

  async #renew(): Promise<void> {
    const { log } = this.#options;
    this.#lease = undefined;
    this.#lostLeases += 1;
    log.warn('this node lost its lease: it releases its instances and starts a new lease');
    for (const drop of this.#onLost) drop();
    while (!this.#isClosed && !this.#lease) {
      try {
        await this.open();
        if (this.#isClosed) await this.close();
      } catch (err) {
        log.error({ err }, 'a new lease cannot be written');
        await delay(PAUSE_MILLISECONDS, undefined, { ref: false });
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#lease?.close();
  }
}
