// Schedule for writing notifications to WebSocket clients: after calls, and in batches while the chain is busy.
import { milliseconds } from '../../scheduling/slices.js';

/** A client with a queue of frames. */
export interface Flushable {
  /** Writes one batch; true if another one can be written. */
  flush(): boolean;
  /** Closes the connection at once. */
  terminate(): void;
}

/** After this time, writing pauses for calls. */
const SLICE_MILLISECONDS = 1;
/** Length of the pause after a round, as a multiple of the time that the round took. */
const PAUSE_FACTOR = 10;
const LONGEST_PAUSE_MILLISECONDS = 200;
/** The resolution of timers. */
const SHORTEST_PAUSE_MILLISECONDS = 1;

/**
 * Writes in rounds to all clients with queued frames; a round is interrupted for calls every millisecond.
 * After a round follows a pause in proportion to its cost, in which frames accumulate: writing one costs
 * nearly as much as writing a hundred. A few subscribers therefore get each notification at once, and a
 * thousand get them in batches while the chain is busy.
 */
export class FlushScheduler {
  /** Clients of this round, and of the next one. */
  #round = new Set<Flushable>();
  #next = new Set<Flushable>();
  /** A round has begun, or begins in the next turn of the event loop. */
  #isWriting = false;
  #pause: NodeJS.Timeout | undefined;
  #pauseUntil = 0;
  /** Milliseconds of this round. */
  #spent = 0;
  /** Whether frames were queued since the last round began. */
  #hasNew = false;
  readonly #onError: (error: unknown) => void;

  /** @param onError called if a client cannot be written to; the others are */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** A frame was queued. The client need not be added again until it was flushed. */
  add(client: Flushable): void {
    this.#hasNew = true;
    this.resume(client);
  }

  /** A client that was blocked can be written to again. */
  resume(client: Flushable): void {
    this.#next.add(client);
    if (this.#isWriting || this.#pause) return;
    const pause = this.#pauseUntil - milliseconds();
    if (pause < SHORTEST_PAUSE_MILLISECONDS) this.flushSoon();
    else this.#pause = setTimeout(() => this.flushSoon(), pause);
  }

  /** Ends the pause. */
  flushSoon(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    if (this.#isWriting) return;
    this.#isWriting = true;
    setImmediate(this.#writeSlice);
  }

  readonly #writeSlice = (): void => {
    const begin = milliseconds();
    let now = begin;
    if (this.#round.size === 0) [this.#round, this.#next] = [this.#next, this.#round];
    for (const client of this.#round) {
      this.#round.delete(client);
      let hasMore: boolean;
      do {
        hasMore = this.#flush(client);
        now = milliseconds();
      } while (hasMore && now - begin < SLICE_MILLISECONDS);
      if (hasMore) this.#round.add(client);
      if (now - begin >= SLICE_MILLISECONDS) break;
    }
    this.#spent += now - begin;
    if (this.#round.size > 0) setImmediate(this.#writeSlice);
    else this.#endRound(now);
  };

  #flush(client: Flushable): boolean {
    try {
      return client.flush();
    } catch (error) {
      this.#onError(error);
      client.terminate();
      return false;
    }
  }

  #endRound(now: number): void {
    this.#isWriting = false;
    const pause = this.#hasNew
      ? Math.min(PAUSE_FACTOR * this.#spent, LONGEST_PAUSE_MILLISECONDS)
      : 0;
    this.#pauseUntil = now + pause;
    this.#hasNew = false;
    this.#spent = 0;
    const [first] = this.#next;
    if (first) this.resume(first);
  }
}
