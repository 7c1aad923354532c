// Sum of the gas of many transactions as one tree, and per function.
import type { Phase } from '@starkbox/abi';
import type { Block, Called } from './tree.js';

/** Calls are grouped by contract, or by class over all contracts. */
export type Grouping = 'contract' | 'class';

export function keyOf(called: Called, grouping: Grouping): string {
  const { contract, classHash, selector, kind } = called;
  if (grouping === 'class') return `${classHash} ${selector}`;
  // A library call has its caller's address.
  return kind === 'DELEGATE' ? `${contract} ${selector} ${classHash}` : `${contract} ${selector}`;
}

interface Node {
  readonly id: string;
  readonly called: Called | undefined;
  readonly phase: Phase | undefined;
  calls: number;
  gas: number;
  self: number;
  readonly children: Map<string, Node>;
}

export class Sum {
  readonly #grouping: Grouping;
  #root: Node | undefined;

  constructor(grouping: Grouping) {
    this.#grouping = grouping;
  }

  add(all: Block): void {
    this.#root ??= emptied(all, all.id);
    this.#into(this.#root, all);
  }

  #into(node: Node, block: Block): void {
    node.calls += block.calls;
    node.gas += block.gas;
    node.self += block.self;
    for (const child of block.children) {
      const key = child.called
        ? `${child.phase ?? ''} ${keyOf(child.called, this.#grouping)}`
        : child.id;
      let inner = node.children.get(key);
      if (!inner) {
        const id = child.called ? `${node.id}.${node.children.size}` : child.id;
        inner = emptied(child, id);
        node.children.set(key, inner);
      }
      this.#into(inner, child);
    }
  }

  /** The tree so far, most expensive first. */
  tree(): Block | undefined {
    return this.#root && frozen(this.#root);
  }
}

function emptied({ called, phase }: Block, id: string): Node {
  return { id, called, phase, calls: 0, gas: 0, self: 0, children: new Map() };
}

function frozen(node: Node): Block {
  const children = [...node.children.values()].map(frozen);
  children.sort((one, other) => other.gas - one.gas);
  return { ...node, children };
}

export interface FunctionCost {
  readonly key: string;
  readonly called: Called;
  readonly phase: Phase | undefined;
  readonly calls: number;
  readonly self: number;
  /** Gas of calls that are not inside of another call of the same function, to count it once. */
  readonly inclusive: number;
  readonly least: number;
  readonly median: number;
  readonly most: number;
}

/** Gas of each function over all added transactions. */
export class Functions {
  readonly #grouping: Grouping;
  readonly #rows = new Map<
    string,
    { called: Called; phase: Phase | undefined; self: number; inclusive: number; each: number[] }
  >();

  constructor(grouping: Grouping) {
    this.#grouping = grouping;
  }

  add(all: Block): void {
    this.#visit(all, new Set());
  }

  #visit(block: Block, above: ReadonlySet<string>): void {
    let below = above;
    if (block.called) {
      const key = keyOf(block.called, this.#grouping);
      const row = this.#rows.get(key) ?? {
        called: block.called,
        phase: block.phase,
        self: 0,
        inclusive: 0,
        each: [],
      };
      this.#rows.set(key, row);
      row.self += block.self;
      row.each.push(block.gas);
      if (!above.has(key)) {
        row.inclusive += block.gas;
        below = new Set(above).add(key);
      }
    }
    for (const child of block.children) this.#visit(child, below);
  }

  rows(): readonly FunctionCost[] {
    return [...this.#rows].map(([key, { called, phase, self, inclusive, each }]) => {
      const sorted = [...each].sort((one, other) => one - other);
      return {
        key,
        called,
        phase,
        calls: sorted.length,
        self,
        inclusive,
        least: sorted[0] ?? 0,
        median: medianOf(sorted),
        most: sorted.at(-1) ?? 0,
      };
    });
  }
}

function medianOf(sorted: readonly number[]): number {
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? 0;
  if (!Number.isInteger(middle)) return upper;
  return Math.round(((sorted[middle - 1] ?? 0) + upper) / 2);
}

export function functionsOf(all: Block, grouping: Grouping = 'contract'): readonly FunctionCost[] {
  const functions = new Functions(grouping);
  functions.add(all);
  return functions.rows();
}
