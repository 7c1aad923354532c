// A counting semaphore with a bounded queue: first come, first served.
import { RpcError, refuse } from '../errors.js';

export interface SemaphoreLimits {
  /** How many may be inside at a time. */
  readonly places?: number | undefined;
  /** Seconds: a later turn is refused, because the client has its timeout before the work is done. */
  readonly patience?: number | undefined;
  /** How many may wait. */
  readonly queue?: number | undefined;
  /** The option that sets the length of the queue, for the message of an error. */
  readonly queueOption?: string | undefined;
}

/** The longest time that a timer of Node takes. */
const LONGEST_TIMER_MILLISECONDS = 2 ** 31 - 1;

export class Semaphore {
  readonly #patience: number;
  readonly #longestQueue: number;
  readonly #queueOption: string | undefined;
  /** Those that wait, by what lets them in. */
  readonly #queue = new Set<() => void>();
  #places: number;
  #inside = 0;

  constructor(limits: SemaphoreLimits = {}) {
    this.#places = limits.places ?? Number.POSITIVE_INFINITY;
    this.#patience = limits.patience ?? Number.POSITIVE_INFINITY;
    this.#longestQueue = limits.queue ?? Number.POSITIVE_INFINITY;
    this.#queueOption = limits.queueOption;
  }

  get figures(): { readonly inside: number; readonly waiting: number } {
    return { inside: this.#inside, waiting: this.#queue.size };
  }

  /** Changes how many may be inside; those that are stay. */
  resize(places: number = Number.POSITIVE_INFINITY): void {
    this.#places = places;
    this.#admitNext();
  }

  /** @param signal takes a run that has not begun out of the queue */
  async run<T>(run: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) throw abandoned();
    if (this.#inside < this.#places) this.#inside += 1;
    else await this.#turn(signal);
    try {
      return await run();
    } finally {
      this.#inside -= 1;
      this.#admitNext();
    }
  }

  /** Resolves inside. */
  async #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#queue.size >= this.#longestQueue) {
      const hint = this.#queueOption ? `; ${this.#queueOption} sets the limit` : '';
      refuse(`The node is busy: ${this.#longestQueue} executions are waiting already${hint}`);
    }
    let timer: NodeJS.Timeout | undefined;
    let leave = (): void => {};
    try {
      await new Promise<void>((admit, reject) => {
        this.#queue.add(admit);
        const giveUp = (error: RpcError): void => {
          // Out of the queue at once: a place that is given to a run that gave up would be lost.
          if (this.#queue.delete(admit)) reject(error);
        };
        leave = () => giveUp(abandoned());
        signal?.addEventListener('abort', leave);
        const milliseconds = this.#patience * 1000;
        if (milliseconds > LONGEST_TIMER_MILLISECONDS) return;
        const message = `The node is busy: timed out after ${this.#patience} s in the queue`;
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
      // Counted before the promise settles, so that no other takes the place meanwhile.
      this.#inside += 1;
      admit();
    }
  }
}

function abandoned(): RpcError {
  return new RpcError(-1, 'The client is gone, so this was not executed');
}
