// Long work on the main thread, in slices between which the event loop serves others.
import { setImmediate as turn } from 'node:timers/promises';
import { stopwatch } from '../probe.js';

const SECONDS = 0.01;

/**
 * @example
 * const slices = new Slices();
 * for (const item of items) {
 *   work(item);
 *   if (slices.isOver) await slices.next();
 * }
 */
export class Slices {
  #elapsed = stopwatch();

  /** Whether it is time to let others run. */
  get isOver(): boolean {
    return this.#elapsed() >= SECONDS;
  }

  /** Lets others run. */
  async next(): Promise<void> {
    await turn();
    this.#elapsed = stopwatch();
  }
}

/** The same items, with turns for others between them. */
export async function* sliced<T>(items: Iterable<T>): AsyncGenerator<T, void, undefined> {
  const slices = new Slices();
  for (const item of items) {
    yield item;
    if (slices.isOver) await slices.next();
  }
}
