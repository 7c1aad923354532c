// Cost of each function in one resource over many transactions.
import type { Phase } from '../call-tree.js';
import { type Grouping, keyOf } from './sum.js';
import type { CalledFunction, GasBlock } from './tree.js';

/** Values with how often each occurred: unlike a median, these can be added. */
export class Tally {
  readonly #counts = new Map<number, number>();
  count = 0;

  add(value: number, times = 1): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + times);
    this.count += times;
  }

  get least(): number {
    return this.values()[0]?.[0] ?? 0;
  }

  get most(): number {
    return this.values().at(-1)?.[0] ?? 0;
  }

  /** Of an even number of values the mean of the middle two, rounded. */
  get median(): number {
    return Math.round((this.#at((this.count - 1) / 2) + this.#at(this.count / 2)) / 2);
  }

  get sum(): number {
    return this.values().reduce((sum, [value, times]) => sum + value * times, 0);
  }

  /** Pairs of a value and its count, smallest value first. */
  values(): readonly (readonly [value: number, times: number])[] {
    return [...this.#counts].sort(([a], [b]) => a - b);
  }

  #at(position: number): number {
    let before = 0;
    for (const [value, times] of this.values()) {
      before += times;
      if (Math.floor(position) < before) return value;
    }
    return 0;
  }
}

export interface FunctionCost {
  readonly key: string;
  readonly called: CalledFunction;
  readonly phase: Phase | undefined;
  readonly calls: number;
  readonly self: number;
  /** Cost of calls that are not inside of another call of the same function, to count it once. */
  readonly inclusive: number;
  /** The part of it that the protocol called itself. */
  readonly topLevel: number;
  readonly least: number;
  readonly median: number;
  readonly most: number;
  readonly values: Tally;
}

interface Row {
  readonly called: CalledFunction;
  readonly phase: Phase | undefined;
  self: number;
  inclusive: number;
  topLevel: number;
  readonly values: Tally;
}

/** Cost of each function over all added transactions. */
export class FunctionCosts {
  readonly #grouping: Grouping;
  readonly #rows = new Map<string, Row>();

  constructor(grouping: Grouping) {
    this.#grouping = grouping;
  }

  /** Its functions, each once. */
  called(): readonly CalledFunction[] {
    return [...this.#rows.values()].map(({ called }) => called);
  }

  /** @param all a transaction, or one call of the protocol */
  add(all: GasBlock): void {
    this.#visit(all, new Set());
  }

  /** Adds what another sum has of a function. */
  addCost(
    called: CalledFunction,
    phase: Phase | undefined,
    more: Omit<Row, 'called' | 'phase'>,
  ): void {
    const row = this.#row(keyOf(called, this.#grouping), called, phase);
    row.self += more.self;
    row.inclusive += more.inclusive;
    row.topLevel += more.topLevel;
    for (const [value, times] of more.values.values()) row.values.add(value, times);
  }

  #row(key: string, called: CalledFunction, phase: Phase | undefined): Row {
    const row = this.#rows.get(key);
    if (row) return row;
    const added = { called, phase, self: 0, inclusive: 0, topLevel: 0, values: new Tally() };
    this.#rows.set(key, added);
    return added;
  }

  #visit(block: GasBlock, above: ReadonlySet<string>): void {
    let below = above;
    if (block.called) {
      const key = keyOf(block.called, this.#grouping);
      const row = this.#row(key, block.called, block.phase);
      row.self += block.self;
      row.values.add(block.gas);
      if (block.phase !== undefined) row.topLevel += block.gas;
      if (!above.has(key)) {
        row.inclusive += block.gas;
        below = new Set(above).add(key);
      }
    }
    for (const child of block.children) this.#visit(child, below);
  }

  rows(): readonly FunctionCost[] {
    return [...this.#rows].map(([key, row]) => ({
      ...row,
      key,
      calls: row.values.count,
      least: row.values.least,
      median: row.values.median,
      most: row.values.most,
    }));
  }
}

export function functionsOf(all: GasBlock): readonly FunctionCost[] {
  const functions = new FunctionCosts('contract');
  functions.add(all);
  return functions.rows();
}
