// Counting semaphore with a bounded first-in, first-out queue.
import { RpcError, refuse } from '../errors.js';

export interface SemaphoreLimits {
  /** The number of permits. */
  readonly places?: number | undefined;
  /** Seconds after which a waiting run is refused, because its client would time out. */
  readonly queueTimeout?: number | undefined;
  /** The length of the queue. */
  readonly queue?: number | undefined;
  /** What the messages of errors begin with. */
  readonly subject?: string;
}

/** The longest time that a timer of Node takes. */
const MAX_TIMER_MILLISECONDS = 2 ** 31 - 1;

/** A function that gives a waiting run its permit. */
type Admit = () => void;

export class Semaphore {
  readonly #queueTimeout: number;
  readonly #longestQueue: number;
  readonly #subject: string;
  readonly #queue = new Set<Admit>();
  #places: number;
  #inside = 0;

  constructor(limits: SemaphoreLimits = {}) {
    this.#places = limits.places ?? Number.POSITIVE_INFINITY;
    this.#queueTimeout = limits.queueTimeout ?? Number.POSITIVE_INFINITY;
    this.#longestQueue = limits.queue ?? Number.POSITIVE_INFINITY;
    this.#subject = limits.subject ?? 'The node is busy';
  }

  get figures(): { readonly inside: number; readonly waiting: number } {
    return { inside: this.#inside, waiting: this.#queue.size };
  }

  /** Changes the number of permits; running work is not affected. */
  resize(places: number = Number.POSITIVE_INFINITY): void {
    this.#places = places;
    this.#admitNext();
  }

  /** @param signal removes a waiting run from the queue */
  async run<T>(run: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) throw abandonedError();
    if (this.#inside < this.#places) this.#inside += 1;
    else await this.#turn(signal);
    try {
      return await run();
    } finally {
      this.#inside -= 1;
      this.#admitNext();
    }
  }

  /** Resolves with a permit. */
  async #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#queue.size >= this.#longestQueue) {
      refuse(
        `${this.#subject}: ${this.#longestQueue} executions are already waiting; send fewer at once`,
      );
    }
    let timer: NodeJS.Timeout | undefined;
    let leave = (): void => {};
    try {
      await new Promise<void>((admit, reject) => {
        this.#queue.add(admit);
        const giveUp = (error: RpcError): void => {
          // Removed at once: a permit given to a cancelled run would be lost.
          if (this.#queue.delete(admit)) reject(error);
        };
        leave = () => giveUp(abandonedError());
        signal?.addEventListener('abort', leave);
        const milliseconds = this.#queueTimeout * 1000;
        if (milliseconds > MAX_TIMER_MILLISECONDS) return;
        const message = `${this.#subject}: timed out after ${this.#queueTimeout} s in the queue`;
        timer = setTimeout(() => giveUp(new RpcError(-1, message)), milliseconds);
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  }

  #admitNext(): void {
    for (const admit of this.#queue) {
      if (this.#inside >= this.#places) return;
      this.#queue.delete(admit);
      // Counted before the promise settles, so that no other run takes the permit meanwhile.
      this.#inside += 1;
      admit();
    }
  }
}

/** The error of work that was ended because its client has gone. */
export function abandonedError(): RpcError {
  return new RpcError(-1, 'The client disconnected before the execution');
}
