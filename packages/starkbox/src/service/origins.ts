// Clients of the networks that a node forks.
import type { Config, ConfigKey } from '../config/options.js';
import { refuse } from '../errors.js';
import type { Fork } from '../fork/fork.js';
import { openFork } from '../fork/open-fork.js';
import type { OriginClient } from '../fork/origin/client.js';
import type { Log } from '../log.js';
import type { Probe } from '../probe.js';

/** A config completed by its origin, if it is one of a fork. */
export interface Forked {
  readonly config: Config;
  readonly fork: Fork | undefined;
}

/** A restart on another network adds a client; all of them stay open until the node closes. */
export class Origins {
  readonly #given: ReadonlySet<ConfigKey>;
  readonly #log: Log;
  readonly #probe: Probe | undefined;
  readonly #clients: OriginClient[] = [];
  #isClosed = false;

  constructor(givenKeys: ReadonlySet<ConfigKey>, log: Log, probe: Probe | undefined) {
    this.#given = givenKeys;
    this.#log = log;
    this.#probe = probe;
  }

  /** Connects to the network that a config names, if it names one. */
  async open(config: Config): Promise<Forked> {
    const opened = await openFork(config, this.#given, this.#log, this.#probe);
    if (!opened) return { config, fork: undefined };
    if (this.#isClosed) {
      await opened.origin.close();
      refuse('The node is closed');
    }
    this.#clients.push(opened.origin);
    return { config: opened.config, fork: opened.fork };
  }

  /** Writes what was read so far, so that it can be prefetched at another block. */
  async flush(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.flush()));
  }

  /** Writes new answers to the lock file, if there is one. */
  async writeLock(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.writeLock()));
  }

  /** Answers that the current client holds. */
  get cacheSize(): number {
    return this.#clients.at(-1)?.figures().held ?? 0;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}
