// Sources of answers: the lock file, the cache, and the origin.
import type { Log } from '../../log.js';
import type { Probe } from '../../probe.js';
import type { Cache } from './cache.js';
import { OriginFailure } from './failure.js';
import type { LockFile } from './lock-file.js';
import type { Remote, RemoteFigures } from './remote.js';

export interface OriginFigures extends RemoteFigures {
  /** Answers from the lock file or the cache. */
  readonly hits: number;
  /** Answers that were requested from the origin. */
  readonly misses: number;
  /** Prefetched reads. */
  readonly prefetched: number;
  /** Answers in memory. */
  readonly held: number;
}

/** Counters and the error of missing answers, shared by all clients of one origin. */
export class OriginUsage {
  readonly #lock: LockFile | undefined;
  readonly #log: Log;
  readonly #probe: Probe | undefined;
  readonly #hint: string;
  readonly #counts = { hits: 0, misses: 0, prefetched: 0 };
  #firstMissing: string | undefined;

  /** @param hint why an answer may be missing in the lock file */
  constructor(
    lock: LockFile | undefined,
    log: Log,
    probe: Probe | undefined,
    hint = 'run once with --fork-network and without --offline, which adds it to the file',
  ) {
    this.#lock = lock;
    this.#log = log;
    this.#probe = probe;
    this.#hint = hint;
  }

  get firstMissing(): string | undefined {
    return this.#firstMissing;
  }

  /** Counts a lookup. */
  looked(method: string, isKept: boolean): void {
    this.#counts[isKept ? 'hits' : 'misses'] += 1;
    this.#probe?.looked(method, isKept);
  }

  prefetched(count: number): void {
    this.#counts.prefetched += count;
  }

  figures(remote: Remote | undefined): Omit<OriginFigures, 'held'> {
    const figures = remote?.figures() ?? { questions: 0, requests: 0, retries: 0 };
    return { ...this.#counts, ...figures };
  }

  /** Throws because an answer is not in the lock file. */
  missing(name: string): never {
    const reason = `offline, and ${this.#lock?.path} does not have ${name}; ${this.#hint}`;
    if (this.#firstMissing === undefined) {
      this.#log.error(`The lock file is incomplete: ${reason}`);
    }
    this.#firstMissing ??= name;
    throw new OriginFailure('missing', '', reason);
  }
}

export interface Sources {
  /** `undefined` when offline. */
  readonly remote: Remote | undefined;
  readonly cache: Cache;
  readonly lock: LockFile | undefined;
  readonly looked: (method: string, isKept: boolean) => void;
  readonly missing: (name: string) => never;
}
