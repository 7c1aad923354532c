// Report of what each function cost in a run, in parts that can be added and that add up to the receipts.
import type { GAS_COST, GAS_REPORT, GAS_ROW, GAS_STACK } from '@starkbox/spec';
import type { Invocation, TransactionTrace } from '../trace.js';
import { FunctionCosts, Tally } from './functions.js';
import { GasSum, type Grouping, keyOf } from './sum.js';
import { type CalledFunction, costTree, type GasBlock, MEASURES, OUTSIDE } from './tree.js';

export type Cost = GAS_COST;
export type GasRow = GAS_ROW;
export type GasStack = GAS_STACK;
export type GasPage = Pick<
  GAS_REPORT,
  'transactions' | 'reverted' | 'receipts' | 'rows' | 'stacks'
>;

interface Sums {
  readonly functions: FunctionCosts;
  readonly fees: FunctionCosts;
  readonly protocol: Tally;
  readonly reverted: Tally;
  readonly tree: GasSum;
  receipts: number;
}

/** Names of the contract or class, and of the function, of a row. */
export type RowNames = (called: CalledFunction) => {
  readonly contract_name?: string;
  readonly function_name?: string;
};

export class GasReport {
  readonly grouping: Grouping;
  transactions = 0;
  reverted = 0;
  readonly #sums = new Map<string, Sums>();
  readonly #names = new Map<string, ReturnType<RowNames>>();

  constructor(grouping: Grouping, resources: readonly string[] = MEASURES) {
    this.grouping = grouping;
    for (const resource of resources) this.of(resource);
  }

  /** Sums in one resource. */
  of(resource: string): Sums {
    const sums = this.#sums.get(resource);
    if (sums) return sums;
    const added: Sums = {
      functions: new FunctionCosts(this.grouping),
      fees: new FunctionCosts(this.grouping),
      protocol: new Tally(),
      reverted: new Tally(),
      tree: new GasSum(this.grouping),
      receipts: 0,
    };
    this.#sums.set(resource, added);
    return added;
  }

  add(trace: TransactionTrace): void {
    const isReverted = [trace.execute_invocation, trace.function_invocation].some(
      (call) => call && 'revert_reason' in call,
    );
    this.transactions++;
    if (isReverted) this.reverted++;
    for (const [resource, sums] of this.#sums) {
      const charged = isGas(resource) ? (trace.execution_resources?.[resource] ?? 0) : undefined;
      const { all, fee } = costTree(trace, charged, (call) => costOf(call, resource));
      sums.receipts += all.gas;
      sums.functions.add(all);
      if (fee) sums.fees.add(fee);
      sums.tree.add(all);
      sums[isReverted ? 'reverted' : 'protocol'].add(outsideOf(all));
    }
  }

  /** Adds a page of another report with values. */
  addPage(page: GasPage): void {
    this.transactions += page.transactions;
    this.reverted += page.reverted;
    for (const [resource, units] of Object.entries(page.receipts)) {
      this.of(resource).receipts += units;
    }
    for (const row of page.rows) {
      const called = calledOf(row);
      if (called) this.#names.set(keyOf(called, this.grouping), namesIn(row));
      for (const [resource, cost] of Object.entries(row.costs)) {
        this.#addCost(this.of(resource), row, called, cost);
      }
    }
    for (const stack of page.stacks ?? []) {
      const called = stack.path.flatMap((at) => calledOf(page.rows[at]) ?? []);
      const { phase, calls } = stack;
      for (const [resource, self] of Object.entries(stack.self)) {
        this.of(resource).tree.addStack({ phase, called, calls, self });
      }
    }
  }

  #addCost(
    sums: Sums,
    { kind, calls }: GasRow,
    called: CalledFunction | undefined,
    cost: Cost,
  ): void {
    const values = new Tally();
    for (const [value = 0, times = 0] of cost.values ?? []) values.add(value, times);
    if (kind === 'protocol' || kind === 'reverted') {
      for (const [value, times] of values.values()) sums[kind].add(value, times);
      sums.tree.addTransactions(calls, cost.self);
    } else if (called) {
      const { self, total: inclusive, top_level: topLevel } = cost;
      const rows = kind === 'function' ? sums.functions : sums.fees;
      rows.addCost(called, undefined, { self, inclusive, topLevel, values });
    }
  }

  /** The classes of its functions. */
  get classHashes(): ReadonlySet<string> {
    return new Set(this.#called().map(({ classHash }) => classHash));
  }

  /** The contracts of its functions; one for each class if it is grouped by class. */
  get contracts(): ReadonlySet<string> {
    return new Set(this.#called().map(({ contract }) => contract));
  }

  #called(): readonly CalledFunction[] {
    const sums = [...this.#sums.values()];
    return sums.flatMap(({ functions, fees }) => [...functions.called(), ...fees.called()]);
  }

  page(
    names: RowNames = (called) => this.#names.get(keyOf(called, this.grouping)) ?? {},
    include: { readonly values?: boolean; readonly stacks?: boolean } = {},
  ): GasPage {
    const withValues = include.values ?? false;
    const functions = this.#functionRows('function', names, withValues);
    const rows = [
      ...functions.values(),
      ...this.#functionRows('fee_transfer', names, withValues).values(),
      ...this.#outsideRows(withValues),
    ];
    return {
      transactions: this.transactions,
      reverted: this.reverted,
      receipts: this.#byResource(({ receipts }) => receipts),
      rows,
      ...(include.stacks ? { stacks: this.#stacks([...functions.keys()]) } : {}),
    };
  }

  #byResource<T>(of: (sums: Sums) => T): Readonly<Record<string, T>> {
    return Object.fromEntries([...this.#sums].map(([resource, sums]) => [resource, of(sums)]));
  }

  /** By key. */
  #functionRows(
    kind: 'function' | 'fee_transfer',
    names: RowNames,
    withValues: boolean,
  ): ReadonlyMap<string, GasRow> {
    const gasRows = new Map<string, GasRow>();
    for (const [resource, { functions, fees }] of this.#sums) {
      for (const row of (kind === 'function' ? functions : fees).rows()) {
        const { key, called, calls, self, inclusive, topLevel, values } = row;
        const gasRow = gasRows.get(key);
        const cost = costIn(values, { self, total: inclusive, topLevel }, withValues);
        gasRows.set(key, {
          ...(gasRow ?? { kind, ...wireCalled(called, this.grouping), ...names(called), calls }),
          costs: { ...gasRow?.costs, [resource]: cost },
        });
      }
    }
    return gasRows;
  }

  #outsideRows(withValues: boolean): readonly GasRow[] {
    const kinds = [
      ['protocol', this.transactions - this.reverted],
      ['reverted', this.reverted],
    ] as const;
    return kinds
      .filter(([, calls]) => calls > 0)
      .map(([kind, calls]) => ({
        kind,
        calls,
        costs: this.#byResource((sums) => {
          const { sum } = sums[kind];
          return costIn(sums[kind], { self: sum, total: sum, topLevel: sum }, withValues);
        }),
      }));
  }

  #stacks(keys: readonly string[]): readonly GasStack[] {
    const at = new Map(keys.map((key, index) => [key, index]));
    const stacks = new Map<string, GasStack>();
    for (const [resource, { tree }] of this.#sums) {
      for (const { phase = 'execute', called, calls, self } of tree.stacks()) {
        const path = called.map((callee) => at.get(keyOf(callee, this.grouping)) ?? 0);
        const key = `${phase} ${path.join()}`;
        const stack = stacks.get(key);
        stacks.set(key, { phase, path, calls, self: { ...stack?.self, [resource]: self } });
      }
    }
    return [...stacks.values()];
  }
}

function isGas(resource: string): resource is (typeof MEASURES)[number] {
  return MEASURES.some((measure) => measure === resource);
}

/** Frames have no data gas. */
function costOf({ execution_resources: resources }: Invocation, resource: string): number {
  if (resource === 'l2_gas' || resource === 'l1_gas') return resources[resource] ?? 0;
  return resources.counts?.[resource] ?? 0;
}

function outsideOf({ children }: GasBlock): number {
  return children.find(({ id }) => id === OUTSIDE)?.gas ?? 0;
}

function costIn(
  values: Tally,
  { self, total, topLevel }: { self: number; total: number; topLevel: number },
  withValues: boolean,
): Cost {
  const { least: min, median, most: max } = values;
  return {
    self,
    total,
    top_level: topLevel,
    min,
    median,
    max,
    ...(withValues ? { values: values.values() } : {}),
  };
}

function wireCalled({ contract, classHash, selector, kind }: CalledFunction, grouping: Grouping) {
  if (grouping === 'class') return { class_hash: classHash, selector };
  const isLibrary = kind === 'DELEGATE' ? { is_library_call: true } : {};
  return { contract_address: contract, class_hash: classHash, selector, ...isLibrary };
}

/** Without the other members: a fee transfer has the key of a charged call of the same function. */
function namesIn({ contract_name, function_name }: GasRow): ReturnType<RowNames> {
  return {
    ...(contract_name === undefined ? {} : { contract_name }),
    ...(function_name === undefined ? {} : { function_name }),
  };
}

function calledOf(row: GasRow | undefined): CalledFunction | undefined {
  if (row?.selector === undefined) return undefined;
  return {
    contract: row.contract_address ?? '0x0',
    classHash: row.class_hash ?? '0x0',
    selector: row.selector,
    kind: row.is_library_call ? 'DELEGATE' : 'CALL',
  };
}
