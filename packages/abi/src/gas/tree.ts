// Cost of a transaction per call in one resource, plus the part outside of all calls, so that it adds up.
import type { Frame, Phase } from '../call-tree.js';
import type { Invocation, TransactionTrace } from '../trace.js';

export const MEASURES = ['l2_gas', 'l1_gas', 'l1_data_gas'] as const;
/** Gas as receipts have it. */
export type Measure = (typeof MEASURES)[number];

export const MEASURE_NAMES: Readonly<Record<Measure, string>> = {
  l2_gas: 'l2 gas',
  l1_gas: 'l1 gas',
  l1_data_gas: 'l1 data gas',
};

export interface CalledFunction {
  readonly contract: string;
  readonly classHash: string;
  readonly selector: string;
  readonly kind: Frame['kind'];
}

export interface GasBlock {
  /** `all`, `outside`, or the id of the frame in the call tree. */
  readonly id: string;
  /** Undefined for the total and for gas outside of all calls. */
  readonly called: CalledFunction | undefined;
  /** For calls of the protocol itself. */
  readonly phase: Phase | undefined;
  /** Number of summed calls. */
  readonly calls: number;
  /** Including calls below it. */
  readonly gas: number;
  /** Excluding calls below it. May be negative: see `place`. */
  readonly self: number;
  readonly children: readonly GasBlock[];
}

export interface GasTree {
  readonly all: GasBlock;
  /** The fee transfer runs after metering and is not charged. */
  readonly fee: GasBlock | undefined;
}

const DEEPEST = 400;
/** Ids of the total and of what is outside of all calls. */
export const ALL = 'all';
export const OUTSIDE = 'outside';

function blockOf(
  call: Invocation,
  costOf: (call: Invocation) => number,
  id: string,
  phase: Phase | undefined,
  depth = 0,
): GasBlock {
  const children =
    depth > DEEPEST
      ? []
      : call.calls.map((inner, at) => blockOf(inner, costOf, `${id}.${at}`, undefined, depth + 1));
  const gas = costOf(call);
  return {
    id,
    phase,
    called: {
      contract: call.contract_address,
      classHash: call.class_hash,
      selector: call.entry_point_selector,
      kind: kindOf(call),
    },
    calls: 1,
    gas,
    self: gas - total(children),
    children,
  };
}

function kindOf(call: Invocation): Frame['kind'] {
  if (call.call_type !== 'CALL') return 'DELEGATE';
  if (call.entry_point_type === 'CONSTRUCTOR') return 'CONSTRUCTOR';
  return call.entry_point_type === 'L1_HANDLER' ? 'L1 HANDLER' : 'CALL';
}

export function total(blocks: readonly GasBlock[]): number {
  return blocks.reduce((sum, { gas }) => sum + gas, 0);
}

/** The calls of the protocol that are charged for, in their order. */
export function chargedCalls(
  trace: TransactionTrace | undefined,
): readonly (readonly [phase: Phase, call: Invocation])[] {
  const phases = [
    ['validate', trace?.validate_invocation],
    ['constructor', trace?.constructor_invocation],
    ['execute', trace?.execute_invocation],
    ['handler', trace?.function_invocation],
  ] as const;
  // A reverted phase has a reason instead of calls.
  return phases.flatMap(([phase, call]) => (call && 'calls' in call ? [[phase, call]] : []));
}

/** @param charged what the receipt says */
export function gasTree(
  trace: TransactionTrace | undefined,
  charged: number,
  measure: Measure,
): GasTree {
  // Frames have no data gas.
  return costTree(trace, charged, ({ execution_resources: gas }) =>
    measure === 'l1_data_gas' ? 0 : (gas[measure] ?? 0),
  );
}

/** @param charged for all of the transaction; undefined where only calls are measured */
export function costTree(
  trace: TransactionTrace | undefined,
  charged: number | undefined,
  costOf: (call: Invocation) => number,
): GasTree {
  const called = chargedCalls(trace).map(([phase, call]) => blockOf(call, costOf, phase, phase));
  const gas = charged ?? total(called);
  const rest = gas - total(called);
  const outside: GasBlock = {
    id: OUTSIDE,
    called: undefined,
    phase: undefined,
    calls: 1,
    gas: rest,
    self: rest,
    children: [],
  };
  const fee = trace?.fee_transfer_invocation;
  return {
    all: {
      id: ALL,
      called: undefined,
      phase: undefined,
      calls: 1,
      gas,
      self: 0,
      children: [outside, ...called],
    },
    fee: fee && blockOf(fee, costOf, 'fee', 'fee'),
  };
}

export function findBlock(root: GasBlock, id: string): GasBlock | undefined {
  if (root.id === id) return root;
  for (const child of root.children) {
    const block = findBlock(child, id);
    if (block) return block;
  }
  return undefined;
}

/** Path from the root to the block, inclusive. */
export function wayTo(root: GasBlock, id: string): readonly GasBlock[] {
  if (root.id === id) return [root];
  for (const child of root.children) {
    const rest = wayTo(child, id);
    if (rest.length > 0) return [root, ...rest];
  }
  return [];
}
