// Sum of the cost of many transactions as one tree of calls.
import type { Phase } from '../call-tree.js';
import { ALL, type CalledFunction, type GasBlock, OUTSIDE } from './tree.js';

/** Calls are grouped by contract, or by class over all contracts. */
export type Grouping = 'contract' | 'class';

export function keyOf(called: CalledFunction, grouping: Grouping): string {
  const { contract, classHash, selector, kind } = called;
  if (grouping === 'class') return `${classHash} ${selector}`;
  // A library call has its caller's address.
  return kind === 'DELEGATE' ? `${contract} ${selector} ${classHash}` : `${contract} ${selector}`;
}

/** All calls with the same callers, outermost first. */
export interface Stack {
  readonly phase: Phase | undefined;
  readonly called: readonly CalledFunction[];
  readonly calls: number;
  /** Excluding calls below. */
  readonly self: number;
}

interface Node {
  readonly id: string;
  readonly called: CalledFunction | undefined;
  readonly phase: Phase | undefined;
  calls: number;
  self: number;
  readonly children: Map<string, Node>;
}

export class GasSum {
  readonly #grouping: Grouping;
  readonly #root: Node = empty(ALL, undefined, undefined);

  constructor(grouping: Grouping) {
    this.#grouping = grouping;
  }

  add(all: GasBlock): void {
    this.#into(this.#root, all);
  }

  #into(node: Node, block: GasBlock): void {
    node.calls += block.calls;
    node.self += block.self;
    for (const child of block.children) {
      this.#into(this.#below(node, child.called, child.phase), child);
    }
  }

  #below(node: Node, called: CalledFunction | undefined, phase: Phase | undefined): Node {
    const key = called ? `${phase ?? ''} ${keyOf(called, this.#grouping)}` : OUTSIDE;
    const child = node.children.get(key);
    if (child) return child;
    const added = empty(called ? `${node.id}.${node.children.size}` : OUTSIDE, called, phase);
    node.children.set(key, added);
    return added;
  }

  /** @param outside what no call accounts for */
  addTransactions(calls: number, outside: number): void {
    this.#root.calls += calls;
    const node = this.#below(this.#root, undefined, undefined);
    node.calls += calls;
    node.self += outside;
  }

  addStack({ phase, called, calls, self }: Stack): void {
    let node = this.#root;
    called.forEach((callee, depth) => {
      node = this.#below(node, callee, depth === 0 ? phase : undefined);
    });
    node.calls += calls;
    node.self += self;
  }

  /** The stacks so far, without what is outside of all calls. */
  stacks(): readonly Stack[] {
    const stacks: Stack[] = [];
    const visit = (
      node: Node,
      above: readonly CalledFunction[],
      phase: Phase | undefined,
    ): void => {
      const called = node.called ? [...above, node.called] : above;
      if (node.called) stacks.push({ phase, called, calls: node.calls, self: node.self });
      for (const child of node.children.values()) visit(child, called, phase ?? child.phase);
    };
    visit(this.#root, [], undefined);
    return stacks;
  }

  /** The tree so far, most expensive first. */
  tree(): GasBlock | undefined {
    return this.#root.calls === 0 ? undefined : freezeNode(this.#root);
  }
}

function empty(id: string, called: CalledFunction | undefined, phase: Phase | undefined): Node {
  return { id, called, phase, calls: 0, self: 0, children: new Map() };
}

function freezeNode(node: Node): GasBlock {
  const children = [...node.children.values()].map(freezeNode);
  children.sort((a, b) => b.gas - a.gas);
  return { ...node, gas: node.self + children.reduce((sum, { gas }) => sum + gas, 0), children };
}
