// Manifest of an instance that this node has in memory: written only while no other node has written it.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Manifest, manifestBytes, manifestKey, readManifest } from './manifest.js';
import {
  type Condition,
  type MayRetry,
  type ObjectStore,
  retryFor,
  UncertainError,
} from './objects/object-store.js';

/** Another node has written the manifest: this one owns the instance no longer. */
export class OwnershipLost extends Error {
  override readonly name = 'OwnershipLost';
}

/** How long an uncertain write is tried again, while its caller waits. */
const RETRY_SECONDS = 20;
const [FIRST_PAUSE, LONGEST_PAUSE] = [25, 1_000];

type Changes = Partial<Omit<Manifest, 'record' | 'settings' | 'writer' | 'nonce'>>;

/** What the manifests of all new instances have in common. */
type Unused = Pick<Manifest, 'owner' | 'fence' | 'nonce' | 'idle' | 'isDeleted'>;

const NONCE_BYTES = 8;

export class OwnedManifest {
  readonly #objects: ObjectStore;
  #current: Manifest;
  #tag: string;

  constructor(objects: ObjectStore, manifest: Manifest, tag: string) {
    this.#objects = objects;
    this.#current = manifest;
    this.#tag = tag;
  }

  get current(): Manifest {
    return this.#current;
  }

  /** The manifest of a new instance; its id must be new. */
  static async create(objects: ObjectStore, manifest: Omit<Manifest, keyof Unused>): Promise<void> {
    const { id } = manifest.record;
    const unused: Unused = {
      owner: undefined,
      fence: 0,
      nonce: newNonce(),
      idle: 0,
      isDeleted: false,
    };
    const outcome = await written(objects, { ...manifest, ...unused }, 'absent');
    if (outcome === 'refused') throw new Error(`the instance ${id} already exists`);
  }

  /**
   * Makes a node the owner of an instance.
   *
   * @param tag that of the manifest as it was read
   * @returns undefined if another node was faster, or has taken it over since
   */
  static async take(
    objects: ObjectStore,
    manifest: Manifest,
    tag: string,
    owner: string,
  ): Promise<OwnedManifest | undefined> {
    const takenOver: Manifest = { ...successor(manifest, owner), owner };
    const outcome = await written(objects, takenOver, { tag });
    return typeof outcome === 'string'
      ? undefined
      : new OwnedManifest(objects, takenOver, outcome.tag);
  }

  /**
   * Ends the ownership of a node without having it; another write since has the same effect.
   *
   * @param tag that of the manifest as it was read
   */
  static async giveUp(
    objects: ObjectStore,
    manifest: Manifest,
    tag: string,
    writer: string,
  ): Promise<void> {
    const { idle } = manifest;
    const free = { ...successor(manifest, writer), owner: undefined, idle };
    await written(objects, free, { tag });
  }

  /**
   * Replaces the manifest. Calls must not overlap.
   *
   * @param mayRetry whether an uncertain write is tried again
   * @throws OwnershipLost
   * @throws UncertainError if it is unknown whether it was written
   */
  async replace(changes: Changes, mayRetry?: MayRetry): Promise<void> {
    const next = { ...this.#current, ...changes, nonce: newNonce() };
    const outcome = await written(this.#objects, next, { tag: this.#tag }, mayRetry);
    if (typeof outcome === 'string') {
      const reason = `another node has taken over the instance ${next.record.id}`;
      throw outcome === 'refused' ? new OwnershipLost(reason) : new UncertainError(reason);
    }
    this.#current = next;
    this.#tag = outcome.tag;
  }
}

/** The tag of a write, or why it has none. */
type WriteOutcome =
  | { readonly tag: string }
  /** The condition did not hold. */
  | 'refused'
  /** Perhaps it was written, and replaced since. */
  | 'unknown';

/**
 * Writes a manifest on a condition. If the answer is lost, the object tells whether it was written.
 *
 * @throws UncertainError if the store has not told for long whether it has written it
 */
async function written(
  objects: ObjectStore,
  manifest: Manifest,
  condition: Condition,
  mayRetry: MayRetry = retryFor(RETRY_SECONDS),
): Promise<WriteOutcome> {
  const key = manifestKey(manifest.record.id);
  const bytes = manifestBytes(manifest);
  let failure: UncertainError | undefined;
  let pause = FIRST_PAUSE;
  while (true) {
    try {
      const tag = await objects.put(key, bytes, condition);
      if (tag !== undefined) return { tag };
      if (!failure) return 'refused';
      // After a lost answer, the condition fails because of the write itself.
      const stored = await objects.get(key);
      return stored && isSame(stored.bytes, manifest) ? { tag: stored.tag } : 'unknown';
    } catch (error) {
      // A refusal says nothing about the write before it.
      if (!(error instanceof UncertainError)) throw failure ?? error;
      if (!mayRetry()) throw error;
      failure = error;
      await delay(pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
  }
}

/** The next manifest, by a node that may not own it yet. */
function successor(manifest: Manifest, writer: string): Manifest {
  return { ...manifest, writer, fence: manifest.fence + 1, nonce: newNonce(), idle: 0 };
}

function newNonce(): string {
  return randomBytes(NONCE_BYTES).toString('hex');
}

/** Whether the bytes are those of one write. */
function isSame(bytes: Buffer, { nonce }: Manifest): boolean {
  return readManifest(bytes).nonce === nonce;
}
