// Tables of unsigned integers without an object for each row.

/** Columns of unsigned integers that grow together. */
export class GrowingColumns {
  readonly #columns: Uint32Array[];
  #length = 0;

  constructor(count: number) {
    this.#columns = Array.from({ length: count }, () => new Uint32Array(64));
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a row with a value for each column, and returns its index. */
  push(...values: readonly number[]): number {
    if (this.#length === this.column(0).length) this.#grow();
    for (let index = 0; index < values.length; index += 1) {
      this.column(index)[this.#length] = values[index] ?? 0;
    }
    this.#length += 1;
    return this.#length - 1;
  }

  #grow(): void {
    for (const [index, column] of this.#columns.entries()) {
      const larger = new Uint32Array(column.length * 2);
      larger.set(column);
      this.#columns[index] = larger;
    }
  }

  /** A column; it has unused rows at its end, and is replaced when the table grows. */
  column(index: number): Uint32Array {
    return this.#columns[index] ?? EMPTY;
  }
}

const EMPTY = new Uint32Array(0);
