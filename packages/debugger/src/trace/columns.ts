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
  push(a: number, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0): number {
    const row = this.#length;
    if (row === this.column(0).length) this.#grow();
    const [first, second, third, fourth, fifth, sixth, seventh] = this.#columns;
    if (first) first[row] = a;
    if (second) second[row] = b;
    if (third) third[row] = c;
    if (fourth) fourth[row] = d;
    if (fifth) fifth[row] = e;
    if (sixth) sixth[row] = f;
    if (seventh) seventh[row] = g;
    this.#length = row + 1;
    return row;
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
