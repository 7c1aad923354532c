// Writer of a chain: runs changes one at a time and publishes each once it is stored.
import { reasonOf, refuse } from '../errors.js';
import { during, type Probe, stopwatch } from '../probe.js';
import type { Cause } from './world/cause.js';
import type {
  ChainStore,
  PreparedCommit,
  Transition,
  WorldAndSnapshots,
} from './world/chain-store.js';
import type { World } from './world/world.js';

/** A world took the place of another. */
export interface Change {
  readonly kind: Transition['kind'];
  readonly before: World;
  readonly after: World;
  /** The call that asked for it; there is none where the node itself did. */
  readonly cause?: Cause | undefined;
}

/** The world and snapshots after a change, and what its caller gets. */
export interface ChangeResult<T> {
  readonly after: WorldAndSnapshots;
  readonly result: T;
  /** The snapshot that was gone back to. */
  readonly snapshot?: bigint | undefined;
}

/** Runs after a change. It cannot undo it: its error is reported and affects nothing else. */
interface Observer<T> {
  readonly name: string;
  readonly observe: (event: T) => void;
}

/** Hears that an observer failed. */
export type ObserverErrorHandler = (name: string, error: unknown) => void;

const warnOfObserver: ObserverErrorHandler = (name, error) =>
  process.emitWarning(`${name} failed after a change of the chain: ${reasonOf(error)}`);

/**
 * Runs changes one after another, in the order they were asked for; an error changes nothing. Where a
 * keeper writes them down, the next change does not wait for that, but readers do not see a change before it
 * is kept; and one that cannot be kept takes with it all that were built upon it.
 */
export class Writer {
  readonly #keeper: ChainStore | undefined;
  readonly #probe: Probe | undefined;
  readonly #patience: number;
  /** What readers see. */
  #shown: WorldAndSnapshots;
  /** What the next change starts from. */
  #head: WorldAndSnapshots;
  /** Resolves when every change that was asked for so far has been made or has failed. */
  #made: Promise<unknown> = Promise.resolve();
  /** Resolves when every change that was made so far is shown or lost. */
  #kept: Promise<unknown> = Promise.resolve();
  /** Counts how often changes were lost that others may have been built upon, and why the last was. */
  #losses = 0;
  #loss: unknown;
  #waiting = 0;
  readonly #observers: Observer<Change>[] = [];
  readonly #transitionObservers: Observer<Transition>[] = [];
  readonly #onObserverError: ObserverErrorHandler;

  /** @param patience seconds: a change that waited longer is refused, because its caller has timed out */
  constructor(
    standing: WorldAndSnapshots,
    keeper?: ChainStore,
    {
      probe,
      patience = Number.POSITIVE_INFINITY,
      onObserverError = warnOfObserver,
    }: {
      readonly probe?: Probe | undefined;
      readonly patience?: number | undefined;
      readonly onObserverError?: ObserverErrorHandler | undefined;
    } = {},
  ) {
    this.#shown = standing;
    this.#head = standing;
    this.#keeper = keeper;
    this.#probe = probe;
    this.#patience = patience;
    this.#onObserverError = onObserverError;
  }

  get standing(): WorldAndSnapshots {
    return this.#shown;
  }

  /** How many changes wait for their turn. */
  get waiting(): number {
    return this.#waiting;
  }

  /** @param name what a log calls the observer if it fails */
  watch(observe: (change: Change) => void, name: string = observe.name || 'an observer'): void {
    this.#observers.push({ name, observe });
  }

  watchAll(
    observe: (transition: Transition) => void,
    name: string = observe.name || 'an observer',
  ): void {
    this.#transitionObservers.push({ name, observe });
  }

  /** Waits for what is under way. */
  async idle(): Promise<void> {
    await this.#made;
    await this.#kept;
  }

  change<T>(
    kind: Transition['kind'],
    make: (now: WorldAndSnapshots) => Promise<ChangeResult<T>>,
    cause?: Cause,
  ): Promise<T> {
    const waited = stopwatch();
    this.#waiting += 1;
    const making = this.#made.then(() => {
      this.#waiting -= 1;
      const seconds = waited();
      this.#probe?.waited(seconds);
      if (seconds > this.#patience) {
        refuse(`The chain is busy: after ${this.#patience} s of waiting, this was given up`);
      }
      return during(this.#probe, { kind: 'change' }, () => this.#make(kind, make, cause));
    });
    this.#made = making.catch(() => undefined);
    return making.then(async ({ kept, result }) => {
      if (kept) await kept;
      return result;
    });
  }

  async #make<T>(
    kind: Transition['kind'],
    make: (now: WorldAndSnapshots) => Promise<ChangeResult<T>>,
    cause: Cause | undefined,
  ): Promise<{ readonly kept: Promise<void> | undefined; readonly result: T }> {
    const [before, losses] = [this.#head, this.#losses];
    const { after: wanted, result, snapshot } = await make(before);
    if (wanted === before) return { kept: undefined, result };
    const move: Transition = { kind, before, after: wanted, snapshot };
    const prepared = await this.#keeper?.prepare(move);
    if (losses !== this.#losses) throw this.#loss;
    this.#head = Object.freeze(prepared?.after ?? wanted);
    if (!prepared) {
      this.#show(kind, this.#head, cause);
      return { kept: undefined, result };
    }
    const kept = this.#keep(kind, this.#head, prepared, cause);
    this.#kept = kept.catch(() => undefined);
    return { kept, result };
  }

  async #keep(
    kind: Transition['kind'],
    after: WorldAndSnapshots,
    prepared: PreparedCommit,
    cause: Cause | undefined,
  ): Promise<void> {
    try {
      await prepared.commit();
    } catch (error) {
      this.#losses += 1;
      this.#loss = error;
      this.#head = this.#shown;
      throw error;
    }
    this.#show(kind, after, cause);
  }

  #show(kind: Transition['kind'], after: WorldAndSnapshots, cause: Cause | undefined): void {
    const before = this.#shown;
    this.#shown = after;
    if (after.world !== before.world) {
      this.#tell(this.#observers, { kind, before: before.world, after: after.world, cause });
    }
    this.#tell(this.#transitionObservers, { kind, before, after, cause });
  }

  /** The change has happened, whatever an observer makes of it. */
  #tell<T>(observers: readonly Observer<T>[], event: T): void {
    for (const { name, observe } of observers) {
      try {
        observe(event);
      } catch (error) {
        this.#onObserverError(name, error);
      }
    }
  }
}
