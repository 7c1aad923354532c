// Sorted run of entries: the interface, and the form in memory that takes further entries.
import type { Entry } from 'starkbox/registry';

/** Entries in the order of their keys; those without a value hide entries of runs below. */
export interface Run {
  readonly count: number;
  /** Bytes of all keys and values. */
  readonly bytes: number;
  keyAt(index: number): Buffer;
  /** Undefined for a deletion. */
  valueAt(index: number): Buffer | undefined;
  /** The index of the first entry whose key is not before another. */
  lowerBound(key: Buffer): number;
}

/** An immutable run of entries that are not in a table yet. */
export class MemoryRun implements Run {
  static readonly EMPTY: MemoryRun = new MemoryRun([], 0);
  readonly #entries: readonly Entry[];
  readonly bytes: number;

  constructor(entries: readonly Entry[], bytes: number) {
    this.#entries = entries;
    this.bytes = bytes;
  }

  get count(): number {
    return this.#entries.length;
  }

  keyAt(index: number): Buffer {
    return entryAt(this.#entries, index)[0];
  }

  valueAt(index: number): Buffer | undefined {
    return entryAt(this.#entries, index)[1];
  }

  lowerBound(key: Buffer): number {
    return firstNotBefore(this.count, (index) => this.keyAt(index), key);
  }

  /** The run with further entries; of several with one key, the last counts. */
  with(entries: readonly Entry[]): MemoryRun {
    const added = entries
      .map((entry, order) => ({ entry, order }))
      .sort((first, other) => first.entry[0].compare(other.entry[0]) || first.order - other.order)
      .map(({ entry }) => entry);
    const merged: Entry[] = [];
    let bytes = 0;
    const push = (entry: Entry): void => {
      merged.push(entry);
      bytes += sizeOf(entry);
    };
    let at = 0;
    for (const [index, entry] of added.entries()) {
      const following = added[index + 1];
      if (following?.[0].equals(entry[0])) continue;
      for (; at < this.count; at += 1) {
        const existing = entryAt(this.#entries, at);
        const order = existing[0].compare(entry[0]);
        if (order > 0) break;
        if (order < 0) push(existing);
      }
      push(entry);
    }
    for (; at < this.count; at += 1) push(entryAt(this.#entries, at));
    return new MemoryRun(merged, bytes);
  }
}

function entryAt(entries: readonly Entry[], index: number): Entry {
  const entry = entries[index];
  if (!entry) throw new RangeError(`a run has no entry ${index}`);
  return entry;
}

const sizeOf = ([key, value]: Entry): number => key.length + (value?.length ?? 0);

/** Binary search over the keys of a sorted list. */
export function firstNotBefore(
  count: number,
  keyAt: (index: number) => Buffer,
  key: Buffer,
): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyAt(middle).compare(key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The entries of several runs in the order of their keys, deletions included; of equal keys, that of
 * the first run.
 *
 * @param runs the newest first
 */
export function* merged(
  runs: readonly Run[],
  {
    start,
    end,
    isReversed,
  }: {
    readonly start?: Buffer | undefined;
    readonly end?: Buffer | undefined;
    readonly isReversed: boolean;
  } = { isReversed: false },
): Generator<Entry, void, undefined> {
  const step = isReversed ? -1 : 1;
  const places = runs.map((run) => ({ run, at: startIn(run, start, isReversed) }));
  while (true) {
    let next: Buffer | undefined;
    let from: Run | undefined;
    let index = 0;
    for (const { run, at } of places) {
      if (at < 0 || at >= run.count) continue;
      const key = run.keyAt(at);
      if (next && key.compare(next) * step >= 0) continue;
      [next, from, index] = [key, run, at];
    }
    if (!next || !from || (end && next.compare(end) * step >= 0)) return;
    yield [next, from.valueAt(index)];
    for (const cursor of places) {
      const { run, at } = cursor;
      if (at >= 0 && at < run.count && run.keyAt(at).equals(next)) cursor.at += step;
    }
  }
}

function startIn(run: Run, start: Buffer | undefined, isReversed: boolean): number {
  if (!start) return isReversed ? run.count - 1 : 0;
  const at = run.lowerBound(start);
  if (!isReversed) return at;
  return at < run.count && run.keyAt(at).equals(start) ? at : at - 1;
}
