// Counting semaphore with bounded first-in, first-out queues, one for each client, which are served in turns.
import { RpcError, refuse } from '../errors.js';

export interface SemaphoreLimits {
  /** The number of permits. */
  readonly places?: number | undefined;
  /** The number of them that one client may hold. */
  readonly placesOfClient?: number | undefined;
  /** Seconds after which a waiting run is refused, because its client would time out. */
  readonly queueTimeout?: number | undefined;
  /** The length of the queue of a client. */
  readonly queue?: number | undefined;
  /** The option that sets the length of the queue, for the message of an error. */
  readonly queueOption?: string | undefined;
  /** What the messages of errors begin with. */
  readonly subject?: string;
}

/** The longest time that a timer of Node takes. */
const MAX_TIMER_MILLISECONDS = 2 ** 31 - 1;
/** The client of runs that name none; no name is empty. */
const SHARED = '';

/** A function that gives a waiting run its permit. */
type Admit = () => void;

export class Semaphore {
  readonly #queueTimeout: number;
  readonly #longestQueue: number;
  readonly #queueOption: string | undefined;
  readonly #subject: string;
  /** Waiting runs of each client that has some; the client whose turn is next comes first. */
  readonly #queues = new Map<string, Set<Admit>>();
  /** Permits of each client that holds some. */
  readonly #held = new Map<string, number>();
  #places: number;
  #placesOfClient: number;
  #inside = 0;
  #waiting = 0;

  constructor(limits: SemaphoreLimits = {}) {
    this.#places = limits.places ?? Number.POSITIVE_INFINITY;
    this.#placesOfClient = limits.placesOfClient ?? Number.POSITIVE_INFINITY;
    this.#queueTimeout = limits.queueTimeout ?? Number.POSITIVE_INFINITY;
    this.#longestQueue = limits.queue ?? Number.POSITIVE_INFINITY;
    this.#queueOption = limits.queueOption;
    this.#subject = limits.subject ?? 'The node is busy';
  }

  get figures(): { readonly inside: number; readonly waiting: number } {
    return { inside: this.#inside, waiting: this.#waiting };
  }

  /** Changes the numbers of permits; running work is not affected. */
  resize(
    places: number = Number.POSITIVE_INFINITY,
    placesOfClient: number = Number.POSITIVE_INFINITY,
  ): void {
    this.#places = places;
    this.#placesOfClient = placesOfClient;
    this.#admitNext();
  }

  /**
   * @param signal removes a waiting run from the queue
   * @param client whose queue it waits in; by default one that all share
   */
  async run<T>(run: () => Promise<T>, signal?: AbortSignal, client: string = SHARED): Promise<T> {
    if (signal?.aborted) throw abandoned();
    if (this.#inside < this.#places && this.#mayTake(client)) this.#take(client);
    else await this.#turn(client, signal);
    try {
      return await run();
    } finally {
      this.#give(client);
      this.#admitNext();
    }
  }

  #mayTake(client: string): boolean {
    return (this.#held.get(client) ?? 0) < this.#placesOfClient;
  }

  #take(client: string): void {
    this.#inside += 1;
    this.#held.set(client, (this.#held.get(client) ?? 0) + 1);
  }

  #give(client: string): void {
    this.#inside -= 1;
    const permits = (this.#held.get(client) ?? 0) - 1;
    if (permits > 0) this.#held.set(client, permits);
    else this.#held.delete(client);
  }

  /** Resolves with a permit. */
  async #turn(client: string, signal: AbortSignal | undefined): Promise<void> {
    if ((this.#queues.get(client)?.size ?? 0) >= this.#longestQueue) {
      const hint = this.#queueOption ? `; ${this.#queueOption} sets the limit` : '';
      refuse(`${this.#subject}: ${this.#longestQueue} executions are already waiting${hint}`);
    }
    let timer: NodeJS.Timeout | undefined;
    let leave = (): void => {};
    try {
      await new Promise<void>((admit, reject) => {
        this.#enqueue(client, admit);
        const giveUp = (error: RpcError): void => {
          // Removed at once: a permit given to a cancelled run would be lost.
          if (this.#dequeue(client, admit)) reject(error);
        };
        leave = () => giveUp(abandoned());
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

  #enqueue(client: string, admit: Admit): void {
    const queue = this.#queues.get(client);
    if (queue) queue.add(admit);
    else this.#queues.set(client, new Set([admit]));
    this.#waiting += 1;
  }

  #dequeue(client: string, admit: Admit): boolean {
    const queue = this.#queues.get(client);
    if (!queue?.delete(admit)) return false;
    if (queue.size === 0) this.#queues.delete(client);
    this.#waiting -= 1;
    return true;
  }

  /** Admits one run of each client in turns. Those that hold all that they may are skipped. */
  #admitNext(): void {
    for (const [client, queue] of this.#queues) {
      if (this.#inside >= this.#places) return;
      const [admit] = queue;
      if (!admit || !this.#mayTake(client)) continue;
      // A client that still waits comes last now, and once more in this loop.
      this.#dequeue(client, admit);
      if (this.#queues.delete(client)) this.#queues.set(client, queue);
      // Counted before the promise settles, so that no other run takes the permit meanwhile.
      this.#take(client);
      admit();
    }
  }
}

/** The error of work that was ended because its client has gone. */
export function abandoned(): RpcError {
  return new RpcError(-1, 'The client disconnected before the execution');
}
