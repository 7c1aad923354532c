// Leases of nodes in an object store: a node's own, and what others read and break.

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BoundedMap,
  boolean,
  count,
  objectText,
  optional,
  stopwatch,
  string,
} from 'starkbox/registry';
import { type ObjectStore, type StoredObject, UncertainError } from './objects/object-store.js';

const FOLDER = 'nodes/';
const keyOf = (nodeId: string): string => FOLDER + nodeId;

/** Times of a store have whole seconds. */
const MARGIN_SECONDS = 2;
/** A live answer may be this old. */
const CACHE_SECONDS = 1;
const MOST_CACHED = 10_000;
const MOST_ATTEMPTS = 5;
const OLD_SECONDS = 86_400;
const MOST_REMOVED = 1000;

/** A lease as it is stored; a broken one stays broken. */
type Body =
  | { readonly isBroken: true }
  | {
      readonly isBroken: false;
      readonly url: string;
      /** How long it is valid after a write. */
      readonly seconds: number;
      /** Counts the writes that were tried, so that each has another content. */
      readonly sequence: number;
    };

const BROKEN = Buffer.from(JSON.stringify({ broken: true }));

function bodyFrom({ bytes }: StoredObject, key: string, store: ObjectStore): Body {
  const where = `${key} in ${store.displayName}`;
  const members = objectText(bytes.toString(), where);
  if (optional(members['broken'], `${where}, broken`, boolean)) return { isBroken: true };
  return {
    isBroken: false,
    url: string(members['url'], `${where}, url`),
    seconds: count(members['seconds'], `${where}, seconds`),
    sequence: count(members['sequence'], `${where}, sequence`),
  };
}

export interface LeaseOptions {
  /** Where other nodes reach this one. */
  readonly url: string;
  /** How long the lease is valid after a renewal. */
  readonly seconds: number;
  /** Called once, when the lease was lost for good. */
  readonly onLost: () => void;
  /** Called when a renewal failed that is tried again. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/**
 * The lease of this node. It is renewed by conditional writes; a node that breaks it changes its tag, so that every
 * renewal fails from then on.
 */
export class NodeLease {
  readonly nodeId: string = randomBytes(8).toString('hex');
  readonly #store: ObjectStore;
  readonly #options: LeaseOptions;
  readonly #key = keyOf(this.nodeId);
  /** A machine that is suspended may stop this clock; conditional writes hold even then. */
  readonly #now = stopwatch();
  /** When each write began whose outcome can still be found. */
  readonly #begun = new Map<number, number>();
  #sequence = 0;
  /** Undefined before the first write. */
  #tag: string | undefined;
  #validUntil = 0;
  #isLost = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #renewal: Promise<void> = Promise.resolve();

  constructor(store: ObjectStore, options: LeaseOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Takes a lease under a new node id, and renews it until it is closed or lost. */
  static async open(store: ObjectStore, options: LeaseOptions): Promise<NodeLease> {
    const lease = new NodeLease(store, options);
    for (let attempt = 1; ; attempt += 1) {
      try {
        await lease.#attempt();
        break;
      } catch (error) {
        if (attempt === MOST_ATTEMPTS || !(error instanceof UncertainError)) throw error;
      }
    }
    if (lease.#isLost) {
      throw new Error(
        `${lease.#key} expired before it was taken: ${store.displayName} is too slow`,
      );
    }
    lease.#plan();
    return lease;
  }

  /** Whether no other node can have taken over what this one holds. */
  get isHeld(): boolean {
    return !this.#isLost && !this.#isClosed && this.#now() < this.#validUntil;
  }

  /** Gives the lease back, so that other nodes need not wait until it expires. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#renewal;
    // Without an answer it expires.
    await this.#store.delete(this.#key).catch(() => {});
  }

  get #interval(): number {
    return this.#options.seconds / 3;
  }

  #plan(): void {
    if (this.#isClosed || this.#isLost) return;
    const due = this.#validUntil - 2 * this.#interval - this.#now();
    this.#timer = setTimeout(
      () => {
        this.#renewal = this.#renew();
      },
      // After a failure it is overdue.
      Math.max(due, this.#interval / 4) * 1000,
    );
    this.#timer.unref();
  }

  async #renew(): Promise<void> {
    try {
      await this.#attempt();
    } catch (error) {
      // The lease expires by itself; until another node breaks it, a later renewal makes it valid again.
      this.#options.onFailure?.(error);
    }
    this.#plan();
  }

  /** Writes the lease once. @throws if that was not done, or if it is unknown */
  async #attempt(): Promise<void> {
    const { url, seconds } = this.#options;
    this.#sequence += 1;
    const sequence = this.#sequence;
    const begun = this.#now();
    this.#begun.set(sequence, begun);
    const body = Buffer.from(JSON.stringify({ url, seconds, sequence }));
    const condition = this.#tag === undefined ? 'absent' : { tag: this.#tag };
    let tag: string | undefined;
    try {
      tag = await this.#limited(this.#store.put(this.#key, body, condition));
    } catch (error) {
      if (!(error instanceof UncertainError)) throw error;
      return await this.#find(error);
    }
    // An earlier write, whose outcome was unknown, may have changed the tag.
    if (tag === undefined) return await this.#find(undefined);
    this.#succeed(sequence, tag);
  }

  /**
   * Reads which of the writes was done.
   *
   * @param failure of the last write; undefined if it was refused
   */
  async #find(failure: UncertainError | undefined): Promise<void> {
    const stored = await this.#limited(this.#store.get(this.#key));
    if (stored && stored.tag === this.#tag) throw failure ?? this.#unread();
    const body = stored && bodyFrom(stored, this.#key, this.#store);
    if (stored && body?.isBroken === false && this.#begun.has(body.sequence)) {
      this.#succeed(body.sequence, stored.tag);
    } else if (!stored && this.#tag === undefined) {
      throw failure ?? this.#unread();
    } else {
      this.#lose();
    }
  }

  #unread(): UncertainError {
    return new UncertainError(
      `The object store ${this.#store.displayName} rejected a write of ${this.#key} whose condition holds`,
    );
  }

  /** A write that was done late is valid from its beginning too. */
  #succeed(sequence: number, tag: string): void {
    const begun = this.#begun.get(sequence) ?? 0;
    this.#tag = tag;
    this.#validUntil = Math.max(this.#validUntil, begun + this.#options.seconds);
    // The others have conditions that cannot hold any more.
    this.#begun.clear();
  }

  #lose(): void {
    if (this.#isLost || this.#isClosed) return;
    this.#isLost = true;
    if (this.#tag !== undefined) this.#options.onLost();
  }

  /** A request that takes as long as a renewal may is given up, and the next one is sent. */
  async #limited<T>(request: Promise<T>): Promise<T> {
    const timer = new AbortController();
    const late = sleep(this.#interval * 1000, undefined, { ref: false, signal: timer.signal }).then(
      () => {
        throw new UncertainError(
          `The object store ${this.#store.displayName} did not respond about ${this.#key} within ${this.#interval} s`,
        );
      },
    );
    try {
      return await Promise.race([request, late]);
    } finally {
      timer.abort();
      late.catch(() => {});
    }
  }
}

/** Only a lease that is missing or broken is free: its holder cannot renew it any more. */
export type LeaseState =
  | { readonly kind: 'live'; readonly url: string }
  | { readonly kind: 'free' };

const FREE: LeaseState = { kind: 'free' };

/** Reads the leases of other nodes, and breaks those that have expired. */
export class LeaseReader {
  readonly #store: ObjectStore;
  readonly #now = stopwatch();
  /** A free lease is never live again. */
  readonly #free = new BoundedMap<string, LeaseState>(MOST_CACHED);
  readonly #live = new BoundedMap<string, Read>(MOST_CACHED);

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** @throws UncertainError */
  async stateOf(nodeId: string): Promise<LeaseState> {
    const free = this.#free.get(nodeId);
    if (free) return free;
    const last = this.#live.get(nodeId);
    if (last && this.#now() - last.begun < CACHE_SECONDS) return last.state;
    const read = { begun: this.#now(), state: this.#read(nodeId) };
    // Calls at the same time share one read; a failed one is not kept.
    this.#live.set(nodeId, read);
    read.state.catch(() => {
      read.begun = Number.NEGATIVE_INFINITY;
    });
    return read.state;
  }

  async #read(nodeId: string): Promise<LeaseState> {
    const state = await readLease(this.#store, keyOf(nodeId));
    if (state.kind === 'free') this.#free.set(nodeId, state);
    return state;
  }
}

interface Read {
  /** When it began, which is before what it says held. */
  begun: number;
  readonly state: Promise<LeaseState>;
}

async function readLease(store: ObjectStore, key: string): Promise<LeaseState> {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await store.get(key);
    if (!stored) return FREE;
    const body = bodyFrom(stored, key, store);
    if (body.isBroken) return FREE;
    if (stored.age <= body.seconds + MARGIN_SECONDS) return { kind: 'live', url: body.url };
    try {
      if (await breakLease(store, key, stored)) return FREE;
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || !(error instanceof UncertainError)) throw error;
    }
    // Its holder has renewed it, or another node has broken it, or what became of it is unknown.
  }
}

async function breakLease(store: ObjectStore, key: string, stored: StoredObject): Promise<boolean> {
  return (await store.put(key, BROKEN, { tag: stored.tag })) !== undefined;
}

/**
 * Deletes leases that ended a day ago, up to a thousand; in a store that no other process uses, all leases. Called
 * before this process takes its own.
 */
export async function removeOld(store: ObjectStore): Promise<void> {
  for (const key of await store.list(FOLDER, undefined, MOST_REMOVED)) {
    const stored = await store.get(key);
    if (stored && (await hasEnded(store, key, stored))) await store.delete(key);
  }
}

/** An expired lease is broken first, because its holder may still renew it. */
async function hasEnded(store: ObjectStore, key: string, stored: StoredObject): Promise<boolean> {
  if (store.isExclusive) return true;
  const body = bodyFrom(stored, key, store);
  if (body.isBroken) return stored.age > OLD_SECONDS;
  return stored.age > body.seconds + OLD_SECONDS && (await breakLease(store, key, stored));
}
