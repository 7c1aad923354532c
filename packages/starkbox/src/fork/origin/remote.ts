// Requests to the origin: batched, deduplicated, limited in number and retried.
import { setMaxListeners } from 'node:events';
import { reasonOf } from '../../errors.js';
import { stringify } from '../../json/json.js';
import type { Log } from '../../log.js';
import { during, type Probe } from '../../probe.js';
import { MemoryBudget } from '../../scheduling/memory-budget.js';
import { abandonedError } from '../../scheduling/semaphore.js';
import { SharedWork } from '../../scheduling/shared-work.js';
import { type Asked, Endpoint, type Retry } from './endpoint.js';
import { OriginError, OriginFailure } from './failure.js';
import type { Proxies } from './proxies.js';

export interface RequestPolicy {
  /** Milliseconds without a byte before a request times out. */
  readonly queueTimeout: number;
  /** Attempts before a question fails. */
  readonly attempts: number;
  /** Milliseconds before the second attempt; doubled for each further one. */
  readonly backoff: number;
  /** Longest `Retry-After` in milliseconds; with a longer one, the question fails. */
  readonly longestRest: number;
  /** Questions in one request. */
  readonly batch: number;
  /** Concurrent requests. */
  readonly concurrency: number;
}

const DEFAULT_POLICY: RequestPolicy = {
  queueTimeout: 10_000,
  attempts: 6,
  backoff: 100,
  longestRest: 15_000,
  batch: 100,
  concurrency: 32,
};

/** Bytes of answers under way, of all origins of the process together. */
const MAX_UNDER_WAY = 256 << 20;
const UNDER_WAY = new MemoryBudget(MAX_UNDER_WAY);

export interface RemoteOptions {
  /** HTTP headers of every request, as `Name: value`. */
  readonly headers?: readonly string[] | undefined;
  /** Default: none. */
  readonly proxies?: Proxies | undefined;
  readonly log: Log;
  readonly policy?: Partial<RequestPolicy>;
  readonly probe?: Probe | undefined;
  /** Memory of the answers under way. Default: 256 MiB for all origins of the process. */
  readonly budget?: MemoryBudget;
}

export interface RemoteFigures {
  /** Questions, each counted once. */
  readonly questions: number;
  /** Requests over HTTP; a batch is one. */
  readonly requests: number;
  /** Questions that were sent again. */
  readonly retries: number;
}

export interface Asking {
  /**
   * Retry also after an error that is not about the chain. For questions of the node itself:
   * callers get the origin's error.
   */
  readonly insists?: boolean;
  /** Ends the question once all callers that ask it have gone. */
  readonly signal?: AbortSignal | undefined;
}

interface QueuedQuestion extends Asked {
  readonly insists: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Aborted when no caller waits for the answer. */
  readonly signal: AbortSignal;
  /** Addresses that are not tried again. */
  readonly excluded: Set<Endpoint>;
  attempts: number;
}

/**
 * Questions of one turn of the event loop are sent as one batch, if the origin accepts batches;
 * equal questions share one request.
 *
 * @example
 * const remote = new Remote(['https://one', 'https://other'], { log });
 * await remote.ask('starknet_getNonce', { block_id, contract_address });
 */
export class Remote {
  readonly #endpoints: readonly Endpoint[];
  readonly #policy: RequestPolicy;
  readonly #log: Log;
  readonly #probe: Probe | undefined;
  readonly #underWay = new Map<string, SharedWork<unknown>>();
  readonly #pauses = new Map<NodeJS.Timeout, QueuedQuestion>();
  readonly #closing = new AbortController();
  #queue: QueuedQuestion[] = [];
  #requestsUnderWay = 0;
  #preferred = 0;
  #isPumpDue = false;
  #figures = { questions: 0, requests: 0, retries: 0 };

  constructor(urls: readonly string[], options: RemoteOptions) {
    const { log, headers = [], policy = {}, probe, budget = UNDER_WAY, proxies } = options;
    this.#endpoints = urls.map((url) => new Endpoint(url, headers, budget, proxies));
    this.#policy = { ...DEFAULT_POLICY, ...policy };
    this.#log = log;
    this.#probe = probe;
    // Each request under way listens.
    setMaxListeners(0, this.#closing.signal);
  }

  figures(): RemoteFigures {
    return { ...this.#figures };
  }

  /** Rejects with an `OriginError` if the origin answers with one, else with an `OriginFailure`. */
  ask(method: string, params: unknown, { insists = false, signal }: Asking = {}): Promise<unknown> {
    const text = stringify(params);
    const name = `${method} ${text} ${insists}`;
    const running = this.#underWay.get(name);
    if (running && !running.isAborted) return running.join(signal);
    const work = { kind: 'upstream', method } as const;
    const shared = new SharedWork((ending) =>
      during(this.#probe, work, () =>
        this.#enqueue({ method, params, text }, insists, ending),
      ).finally(() => {
        if (this.#underWay.get(name) === shared) this.#underWay.delete(name);
      }),
    );
    this.#underWay.set(name, shared);
    return shared.join(signal);
  }

  #enqueue(request: Asked, insists: boolean, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#closing.signal.aborted) {
        reject(new OriginFailure('unreachable', '', 'the connection was closed by this node'));
        return;
      }
      this.#figures.questions += 1;
      const excluded = new Set<Endpoint>();
      const question = { ...request, insists, signal, resolve, reject, excluded, attempts: 0 };
      signal.addEventListener('abort', () => reject(abandonedError()), { once: true });
      this.#queue.push(question);
      this.#pumpSoon();
    });
  }

  /** Rejects all open questions. */
  close(): void {
    this.#closing.abort();
    for (const endpoint of this.#endpoints) endpoint.close();
    const closed = new OriginFailure('unreachable', '', 'the connection was closed by this node');
    for (const question of this.#queue.splice(0)) question.reject(closed);
    for (const [timer, question] of this.#pauses) {
      clearTimeout(timer);
      question.reject(closed);
    }
    this.#pauses.clear();
  }

  /** In the next turn of the event loop, so that questions of this one share a batch. */
  #pumpSoon(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    setImmediate(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  #pump(): void {
    for (let at = 0; at < this.#queue.length; ) {
      if (this.#requestsUnderWay >= this.#policy.concurrency) return;
      const endpoint = this.#endpointFor(this.#queue[at]);
      if (!endpoint) {
        at += 1; // all its addresses are resting
        continue;
      }
      const questions = this.#take(endpoint);
      if (questions.length > 0) this.#send(endpoint, questions);
    }
  }

  #endpointFor(question: QueuedQuestion | undefined): Endpoint | undefined {
    const all = this.#endpoints;
    for (let step = 0; step < all.length; step += 1) {
      const endpoint = all[(this.#preferred + step) % all.length];
      if (endpoint && !endpoint.isResting && !question?.excluded.has(endpoint)) return endpoint;
    }
    return undefined;
  }

  /** Takes the questions of one request to an address from the queue; abandoned ones are dropped. */
  #take(endpoint: Endpoint): readonly QueuedQuestion[] {
    const most = endpoint.takesBatches ? this.#policy.batch : 1;
    const batch: QueuedQuestion[] = [];
    this.#queue = this.#queue.filter((question) => {
      if (question.signal.aborted) return false;
      if (batch.length >= most || question.excluded.has(endpoint)) return true;
      batch.push(question);
      return false;
    });
    return batch;
  }

  #send(endpoint: Endpoint, questions: readonly QueuedQuestion[]): void {
    this.#requestsUnderWay += 1;
    this.#figures.requests += 1;
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const closing = this.#closing.signal;
    closing.addEventListener('abort', end);
    whenAllAborted(questions, end);
    endpoint
      .ask(questions, this.#policy.queueTimeout, ending.signal)
      .then((answer) => {
        if (!answer) {
          this.#log.debug({ url: endpoint.shown }, 'the origin does not support batches');
          this.#queue.unshift(...questions.filter(({ signal }) => !signal.aborted));
          return;
        }
        const { outcomes, retryAfter } = answer;
        const isTooLong = retryAfter !== undefined && retryAfter > this.#policy.longestRest;
        if (retryAfter !== undefined) {
          endpoint.rest(Math.min(retryAfter, this.#policy.longestRest), () => this.#pump());
        }
        for (const [index, question] of questions.entries()) {
          const outcome = outcomes[index];
          if (outcome?.kind === 'result') {
            question.resolve(outcome.result);
          } else if (outcome?.kind === 'error') {
            question.reject(outcome.error);
          } else if (outcome) {
            const isAnswer = outcome.error instanceof OriginError && !question.insists;
            const retry = isTooLong || isAnswer ? 'elsewhere' : outcome.retry;
            this.#failed(question, endpoint, outcome.error, retry, retryAfter !== undefined);
          }
        }
      })
      .catch((error: unknown) => {
        const reason = reasonOf(error);
        for (const { reject } of questions) reject(endpoint.failure('unreachable', reason));
      })
      .finally(() => {
        closing.removeEventListener('abort', end);
        this.#requestsUnderWay -= 1;
        this.#pump();
      });
  }

  #failed(
    question: QueuedQuestion,
    endpoint: Endpoint,
    error: OriginFailure | OriginError,
    retry: Retry,
    isResting: boolean,
  ): void {
    if (question.signal.aborted) return;
    const all = this.#endpoints;
    question.attempts += 1;
    if (retry === 'elsewhere') question.excluded.add(endpoint);
    // Other questions avoid the address as well.
    if (all[this.#preferred] === endpoint) this.#preferred = (this.#preferred + 1) % all.length;
    const isOver =
      question.excluded.size === all.length ||
      question.attempts >= Math.max(this.#policy.attempts, all.length) ||
      this.#closing.signal.aborted;
    if (isOver) {
      if (error instanceof OriginFailure) {
        this.#log.warn({ method: question.method, attempts: question.attempts }, error.message);
      }
      question.reject(error);
      return;
    }
    this.#figures.retries += 1;
    const round = Math.floor(question.attempts / all.length);
    if (isResting || question.attempts % all.length !== 0) {
      this.#queue.push(question);
      return;
    }
    // Random, so that questions which failed together are not retried together.
    const wait = this.#policy.backoff * 2 ** (round - 1) * (0.5 + Math.random());
    const timer = setTimeout(() => {
      this.#pauses.delete(timer);
      this.#queue.push(question);
      this.#pump();
    }, wait);
    this.#pauses.set(timer, question);
  }
}

/** Calls back when no caller waits for any of the questions. */
function whenAllAborted(questions: readonly QueuedQuestion[], callback: () => void): void {
  let count = questions.length;
  const leave = (): void => {
    count -= 1;
    if (count === 0) callback();
  };
  for (const { signal } of questions) signal.addEventListener('abort', leave, { once: true });
}
