// Time slices of long work on the event loop.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { stopwatch } from '../probe.js';

/** Milliseconds that long work may take before timers and other requests are served. */
const SLICE = 10;

/** Milliseconds that do not depend on the time of day. */
export function milliseconds(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/**
 * Slices of one piece of work.
 *
 * @example
 * const slices = new Slices();
 * for (const item of items) {
 *   work(item);
 *   if (slices.isOver) await slices.next();
 * }
 */
export class Slices {
  #elapsed = stopwatch();

  /** Whether the slice is used up. */
  get isOver(): boolean {
    return this.#elapsed() * 1e3 >= SLICE;
  }

  /** Resolves in the next turn of the event loop, with a new slice. */
  async next(): Promise<void> {
    await nextTurn();
    this.#elapsed = stopwatch();
  }
}

/** The same items, in slices. */
export async function* sliced<T>(items: Iterable<T>): AsyncGenerator<T, void, undefined> {
  const slices = new Slices();
  for (const item of items) {
    yield item;
    if (slices.isOver) await slices.next();
  }
}

/** Work in short steps; it yields between two of them. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does steps in slices. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  const slices = new Slices();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (slices.isOver) await slices.next();
  }
}

/** Does steps that are known to be few. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

let sharedSliceBegan: number | undefined;
const waiting: (() => void)[] = [];

/**
 * Ends the slice that requests share, if it is used up: however many requests there are, one of them
 * continues in each turn of the event loop.
 *
 * @returns undefined if the work may continue at once
 */
export function endSharedSlice(): Promise<void> | undefined {
  const now = milliseconds();
  if (sharedSliceBegan === undefined) {
    sharedSliceBegan = now;
    setImmediate(beginSharedSlice);
    return undefined;
  }
  if (now - sharedSliceBegan < SLICE && waiting.length === 0) return undefined;
  return new Promise((resolve) => {
    waiting.push(resolve);
  });
}

function beginSharedSlice(): void {
  const next = waiting.shift();
  sharedSliceBegan = next === undefined ? undefined : milliseconds();
  if (next === undefined) return;
  setImmediate(beginSharedSlice);
  next();
}
