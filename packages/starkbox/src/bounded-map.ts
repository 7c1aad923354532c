// Map that holds a limited number of entries.

/** A second limit: of the sum of a size that each value has. */
interface SizeLimit<V> {
  readonly sizeOf: (value: V) => number;
  readonly most: number;
}

/** Drops the entries that were set longest ago when there are too many, or when they are too large together. */
export class BoundedMap<K, V> {
  readonly #most: number;
  readonly #limit: SizeLimit<V> | undefined;
  readonly #entries = new Map<K, V>();
  #sum = 0;

  /** @param most entries that it holds */
  constructor(most: number, limit?: SizeLimit<V>) {
    this.#most = most;
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  /** The same as `get`, and the entry counts as set just now. */
  use(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  values(): Iterable<V> {
    return this.#entries.values();
  }

  set(key: K, value: V): void {
    this.#delete(key);
    this.#entries.set(key, value);
    this.#sum += this.#limit?.sizeOf(value) ?? 0;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most && this.#sum <= (this.#limit?.most ?? 0)) return;
      this.#delete(oldest);
    }
  }

  #delete(key: K): void {
    const value = this.#entries.get(key);
    if (value !== undefined) this.#sum -= this.#limit?.sizeOf(value) ?? 0;
    this.#entries.delete(key);
  }
}
