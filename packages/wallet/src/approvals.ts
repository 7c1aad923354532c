// Requests that need approval: decided by a policy, by answers prepared for the next ones, or one by one.
import { WalletError } from './errors.js';

/** The decision about a request. */
export type Decision = 'approve' | 'reject';

/** `ask` leaves the request pending until it is approved or rejected. */
export type Policy = Decision | 'ask';

/** The decision about one of the next requests. */
export interface PreparedDecision {
  /** The decision about the request. */
  readonly decision: Policy;
  /** Milliseconds before the decision takes effect; the controller's `delay` by default. */
  readonly delay?: number;
  /** Only for a request of this method; the next request of any by default. */
  readonly method?: string;
}

/** A request that waits for its decision, or for its delay to pass. */
export interface PendingRequest {
  /** Counts the requests of the page, from 1. */
  readonly id: number;
  /** The method of the wallet API. */
  readonly method: string;
  /** The parameters as the page sent them. */
  readonly params: unknown;
  /** `ask` until it is decided; else the decision that takes effect after a delay. */
  readonly decision: Policy;
}

/** A request that was decided. */
export interface HistoryEntry extends PendingRequest {
  readonly decision: Decision;
}

interface QueuedRequest {
  readonly request: PendingRequest;
  readonly settle: (decision: Decision) => void;
}

/** The number of decided requests that are kept. */
const MAX_DECIDED = 200;

export class Approvals {
  policy: Policy = 'ask';
  delay = 0;
  #prepared: PreparedDecision[] = [];
  #queue: QueuedRequest[] = [];
  #history: HistoryEntry[] = [];
  #lastId = 0;
  readonly #watchers = new Set<() => void>();

  get pending(): readonly PendingRequest[] {
    return this.#queue.map(({ request }) => request);
  }

  get history(): readonly HistoryEntry[] {
    return this.#history;
  }

  prepare(answers: readonly PreparedDecision[]): void {
    this.#prepared.push(...answers);
  }

  /** Calls the watcher after each change of the pending requests. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Resolves when the request is approved, and rejects when it is rejected. */
  ask(method: string, params: unknown): Promise<void> {
    const at = this.#prepared.findIndex((answer) => (answer.method ?? method) === method);
    const [prepared] = at < 0 ? [] : this.#prepared.splice(at, 1);
    const { decision, delay = this.delay } = prepared ?? { decision: this.policy };
    const request: PendingRequest = { id: ++this.#lastId, method, params, decision };
    return new Promise((resolve, reject) => {
      const settle = (decided: Decision): void => {
        clearTimeout(timer);
        this.#queue = this.#queue.filter((pending) => pending.request !== request);
        this.#history = [...this.#history, { ...request, decision: decided }].slice(-MAX_DECIDED);
        if (decided === 'approve') resolve();
        else reject(new WalletError('USER_REFUSED_OP', `${method} was rejected.`));
        this.#publish();
      };
      const timer = decision === 'ask' ? undefined : setTimeout(settle, delay, decision);
      this.#queue.push({ request, settle });
      this.#publish();
    });
  }

  /** Decides a pending request, at once; without an id, the oldest. */
  decide(decision: Decision, id?: number): void {
    const pending = this.#queue.find(({ request }) => id === undefined || request.id === id);
    if (!pending) {
      const which = id === undefined ? 'no request is pending' : `no request ${id} is pending`;
      throw new Error(`The wallet cannot ${decision}: ${which}.`);
    }
    pending.settle(decision);
  }

  #publish(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
