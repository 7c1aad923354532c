// Gas of a transaction per call, plus the part outside of all calls, so that it adds up.
import type { Frame, Phase } from '@starkbox/abi';
import type { Trace } from '../../rpc/methods.js';

export const MEASURES = ['l2_gas', 'l1_gas', 'l1_data_gas'] as const;
export type Measure = (typeof MEASURES)[number];

export const MEASURE_NAMES: Readonly<Record<Measure, string>> = {
  l2_gas: 'l2 gas',
  l1_gas: 'l1 gas',
  l1_data_gas: 'l1 data gas',
};

export interface Called {
  readonly contract: string;
  readonly classHash: string;
  readonly selector: string;
  readonly kind: Frame['kind'];
}

export interface Block {
  /** `all`, `outside`, or the id of the frame in the call tree. */
  readonly id: string;
  /** Undefined for the total and for gas outside of all calls. */
  readonly called: Called | undefined;
  /** For calls of the protocol itself. */
  readonly phase: Phase | undefined;
  /** Number of summed calls. */
  readonly calls: number;
  /** Including calls below it. */
  readonly gas: number;
  /** Excluding calls below it. May be negative: see `place`. */
  readonly self: number;
  readonly children: readonly Block[];
}

export interface GasTree {
  readonly all: Block;
  /** The fee transfer runs after metering and is not charged. */
  readonly fee: Block | undefined;
}

type Invocation = Extract<Trace, { type: 'DEPLOY_ACCOUNT' }>['constructor_invocation'];

const DEEPEST = 400;
export const ALL = 'all';
export const OUTSIDE = 'outside';

/** Frames have no data gas. */
function measured(call: Invocation, measure: Measure): number {
  return measure === 'l1_data_gas' ? 0 : call.execution_resources[measure];
}

function kindOf(call: Invocation): Frame['kind'] {
  if (call.call_type !== 'CALL') return 'DELEGATE';
  if (call.entry_point_type === 'CONSTRUCTOR') return 'CONSTRUCTOR';
  return call.entry_point_type === 'L1_HANDLER' ? 'L1 HANDLER' : 'CALL';
}

function blockOf(
  call: Invocation,
  measure: Measure,
  id: string,
  phase: Phase | undefined,
  depth = 0,
): Block {
  const children =
    depth > DEEPEST
      ? []
      : call.calls.map((inner, at) => blockOf(inner, measure, `${id}.${at}`, undefined, depth + 1));
  const gas = measured(call, measure);
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

export function total(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { gas }) => sum + gas, 0);
}

/** A reverted phase has a reason instead of calls. */
function ran(call: unknown): call is Invocation {
  return typeof call === 'object' && call !== null && 'calls' in call;
}

const PHASES = [
  ['validate_invocation', 'validate'],
  ['constructor_invocation', 'constructor'],
  ['execute_invocation', 'execute'],
  ['function_invocation', 'handler'],
] as const;

/** @param charged what the receipt says */
export function gasTree(trace: Trace | undefined, charged: number, measure: Measure): GasTree {
  const members: ReadonlyMap<string, unknown> = new Map(Object.entries(trace ?? {}));
  const called = PHASES.flatMap(([name, phase]) => {
    const call = members.get(name);
    return ran(call) ? [blockOf(call, measure, phase, phase)] : [];
  });
  const rest = charged - total(called);
  const outside: Block = {
    id: OUTSIDE,
    called: undefined,
    phase: undefined,
    calls: 1,
    gas: rest,
    self: rest,
    children: [],
  };
  const fee = members.get('fee_transfer_invocation');
  return {
    all: {
      id: ALL,
      called: undefined,
      phase: undefined,
      calls: 1,
      gas: charged,
      self: 0,
      children: [outside, ...called],
    },
    fee: ran(fee) ? blockOf(fee, measure, 'fee', 'fee') : undefined,
  };
}

export function findBlock(root: Block, id: string): Block | undefined {
  if (root.id === id) return root;
  for (const child of root.children) {
    const found = findBlock(child, id);
    if (found) return found;
  }
  return undefined;
}

/** Path from the root to the block, inclusive. */
export function wayTo(root: Block, id: string): readonly Block[] {
  if (root.id === id) return [root];
  for (const child of root.children) {
    const rest = wayTo(child, id);
    if (rest.length > 0) return [root, ...rest];
  }
  return [];
}
