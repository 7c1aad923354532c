// Work that several callers wait for, aborted when all of them have gone.
import { abandonedError } from './semaphore.js';

/**
 * @example
 * const work = new SharedWork((signal) => download(url, signal));
 * await Promise.all([work.join(one), work.join(other)]);
 */
export class SharedWork<T> {
  readonly #ending = new AbortController();
  readonly #result: Promise<T>;
  #callers = 0;

  constructor(start: (signal: AbortSignal) => Promise<T>) {
    this.#result = start(this.#ending.signal);
  }

  get isAborted(): boolean {
    return this.#ending.signal.aborted;
  }

  /** @param signal of a caller that may go; without one, the work is never aborted */
  join(signal?: AbortSignal): Promise<T> {
    this.#callers += 1;
    if (!signal) return this.#result;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#callers -= 1;
        if (this.#callers === 0) this.#ending.abort();
        reject(abandonedError());
      };
      const settled = (): void => signal.removeEventListener('abort', leave);
      this.#result.then(resolve, reject).finally(settled);
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
    });
  }
}
