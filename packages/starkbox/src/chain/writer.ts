// Writer of a chain: runs changes one at a time and publishes each once it is stored.

import { reasonOf, refuse } from '../errors.js';
import { during, type Probe, stopwatch } from '../probe.js';
import { SerialQueue } from '../scheduling/serial-queue.js';
import type { Cause } from './world/cause.js';
import type {
  ChainStore,
  PreparedCommit,
  Transition,
  WorldAndSnapshots,
} from './world/chain-store.js';
import type { World } from './world/world.js';

/** A change from one world to another. */
export interface Change {
  readonly kind: Transition['kind'];
  readonly before: World;
  readonly after: World;
  /** The call that caused it; absent where the node itself did. */
  readonly cause?: Cause | undefined;
}

/** The world and snapshots after a change, and the result for its caller. */
export interface ChangeResult<T> {
  readonly after: WorldAndSnapshots;
  readonly result: T;
  /** The snapshot that was returned to. */
  readonly snapshot?: bigint | undefined;
  /** Makes a further change, before any that was requested. */
  readonly followUp?: FollowUp | undefined;
}

type FollowUp = (now: WorldAndSnapshots) => Promise<ChangeResult<void>>;

/** A change that is made, and the commit that has to be awaited. */
interface Made<T> {
  readonly committed: Promise<unknown> | undefined;
  readonly result: T;
  readonly followUp?: FollowUp | undefined;
}

/** A function that runs after each change; its error is reported and affects nothing else. */
interface Observer<T> {
  readonly name: string;
  readonly observe: (event: T) => void;
}

export type ObserverErrorHandler = (name: string, error: unknown) => void;

const warnOfObserver: ObserverErrorHandler = (name, error) =>
  process.emitWarning(`${name} failed after a change of the chain: ${reasonOf(error)}`);

/**
 * Runs changes one at a time, in the order of their requests; an error changes nothing. With a
 * store, the next change does not wait for the commit of the one before, but a change is
 * published and answered only after its commit, also if it changes nothing itself. If a commit
 * fails, all changes that started from that one fail with it.
 */
export class Writer {
  readonly #store: ChainStore | undefined;
  readonly #probe: Probe | undefined;
  readonly #queueTimeout: number;
  /** The published world and snapshots. */
  #published: WorldAndSnapshots;
  /** The world and snapshots that the next change starts from. */
  #head: WorldAndSnapshots;
  /** The commit of the head; undefined without a store, and after a commit that failed. */
  #headCommit: Promise<void> | undefined;
  readonly #changes = new SerialQueue();
  /** Resolves when every change made so far is published or lost. */
  #committed: Promise<unknown> = Promise.resolve();
  /** Failed commits so far. */
  #failedCommits = 0;
  #lastFailure: unknown;
  #waiting = 0;
  readonly #observers: Observer<Change>[] = [];
  readonly #transitionObservers: Observer<Transition>[] = [];
  readonly #onObserverError: ObserverErrorHandler;

  /** @param queueTimeout seconds after which a waiting change is refused: its caller has timed out */
  constructor(
    start: WorldAndSnapshots,
    store?: ChainStore,
    {
      probe,
      queueTimeout = Number.POSITIVE_INFINITY,
      onObserverError = warnOfObserver,
    }: {
      readonly probe?: Probe | undefined;
      readonly queueTimeout?: number | undefined;
      readonly onObserverError?: ObserverErrorHandler | undefined;
    } = {},
  ) {
    this.#published = start;
    this.#head = start;
    this.#store = store;
    this.#probe = probe;
    this.#queueTimeout = queueTimeout;
    this.#onObserverError = onObserverError;
  }

  get published(): WorldAndSnapshots {
    return this.#published;
  }

  /** The number of changes in the queue. */
  get waiting(): number {
    return this.#waiting;
  }

  /** @param name names the observer in the log if it fails */
  watch(observe: (change: Change) => void, name: string = observe.name || 'an observer'): void {
    this.#observers.push({ name, observe });
  }

  watchAll(
    observe: (transition: Transition) => void,
    name: string = observe.name || 'an observer',
  ): void {
    this.#transitionObservers.push({ name, observe });
  }

  /** Waits for all requested changes. */
  async idle(): Promise<void> {
    await this.#changes.idle();
    await this.#committed;
  }

  /** What a function makes of the world after all changes requested so far, whose commits are not awaited. */
  async look<T>(look: (now: WorldAndSnapshots) => T): Promise<T> {
    const { result } = await this.#enqueue('step', async (now) => ({
      after: now,
      result: look(now),
    }));
    return result;
  }

  async change<T>(
    kind: Transition['kind'],
    make: (now: WorldAndSnapshots) => Promise<ChangeResult<T>>,
    cause?: Cause,
  ): Promise<T> {
    const { committed, result } = await this.#enqueue(kind, make, cause);
    if (committed) await committed;
    return result;
  }

  /** Makes a change after all others requested so far. */
  #enqueue<T>(
    kind: Transition['kind'],
    make: (now: WorldAndSnapshots) => Promise<ChangeResult<T>>,
    cause?: Cause,
  ): Promise<Made<T>> {
    const waited = stopwatch();
    this.#waiting += 1;
    return this.#changes.run(() => {
      this.#waiting -= 1;
      const seconds = waited();
      this.#probe?.waited(seconds);
      if (seconds > this.#queueTimeout) {
        refuse(
          `The chain is busy: after ${this.#queueTimeout} s in the queue, this change is rejected`,
        );
      }
      return during(this.#probe, { kind: 'change' }, async () => {
        const made = await this.#make(kind, make, cause);
        return made.followUp ? this.#follow(made, made.followUp) : made;
      });
    });
  }

  /** Makes the further changes of a change. An error of one does not undo the changes before it. */
  async #follow<T>(made: Made<T>, first: FollowUp): Promise<Made<T>> {
    const commits = [made.committed];
    try {
      for (let next: FollowUp | undefined = first; next; ) {
        const { committed, followUp }: Made<void> = await this.#make('step', next, undefined);
        commits.push(committed);
        next = followUp;
      }
    } catch (error) {
      this.#onObserverError('the network conditions', error);
    }
    return { committed: Promise.all(commits), result: made.result };
  }

  async #make<T>(
    kind: Transition['kind'],
    make: (now: WorldAndSnapshots) => Promise<ChangeResult<T>>,
    cause: Cause | undefined,
  ): Promise<Made<T>> {
    const [before, failedCommits] = [this.#head, this.#failedCommits];
    const { after, result, snapshot, followUp } = await make(before);
    if (after === before) {
      if (failedCommits !== this.#failedCommits) throw this.#lastFailure;
      return { committed: this.#headCommit, result };
    }
    const transition: Transition = { kind, before, after: after, snapshot };
    const prepared = await this.#store?.prepare(transition);
    if (failedCommits !== this.#failedCommits) throw this.#lastFailure;
    this.#head = Object.freeze(prepared?.after ?? after);
    if (!prepared) {
      this.#publish(kind, this.#head, cause);
      return { committed: undefined, result, followUp };
    }
    const committed = this.#commit(kind, this.#head, prepared, cause);
    this.#headCommit = committed;
    this.#committed = committed.catch(() => undefined);
    return { committed, result, followUp };
  }

  async #commit(
    kind: Transition['kind'],
    after: WorldAndSnapshots,
    prepared: PreparedCommit,
    cause: Cause | undefined,
  ): Promise<void> {
    try {
      await prepared.commit();
    } catch (error) {
      this.#failedCommits += 1;
      this.#lastFailure = error;
      this.#head = this.#published;
      this.#headCommit = undefined;
      throw error;
    }
    this.#publish(kind, after, cause);
  }

  #publish(kind: Transition['kind'], after: WorldAndSnapshots, cause: Cause | undefined): void {
    const before = this.#published;
    this.#published = after;
    if (after.world !== before.world) {
      this.#notify(this.#observers, { kind, before: before.world, after: after.world, cause });
    }
    this.#notify(this.#transitionObservers, { kind, before, after, cause });
  }

  /** An error of an observer does not undo the change. */
  #notify<T>(observers: readonly Observer<T>[], event: T): void {
    for (const { name, observe } of observers) {
      try {
        observe(event);
      } catch (error) {
        this.#onObserverError(name, error);
      }
    }
  }
}
