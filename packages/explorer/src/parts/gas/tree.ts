// Knows where the gas of a transaction went: to each call by itself, and to what no call accounts for, so that all adds up.
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
  /** `all`, `outside`, or the way to the call as the call tree has it. */
  readonly id: string;
  /** Undefined for what is not a call: the whole, and what lies outside of all calls. */
  readonly called: Called | undefined;
  /** For the calls that the protocol makes. */
  readonly phase: Phase | undefined;
  /** How many calls were summed. */
  readonly calls: number;
  /** With everything below it. */
  readonly gas: number;
  /** Without what is below it. May be negative: see `place`. */
  readonly self: number;
  readonly children: readonly Block[];
}

export interface GasTree {
  readonly all: Block;
  /** The transfer of the fee comes after the bill was made, and is not on it. */
  readonly fee: Block | undefined;
}

type Invocation = Extract<Trace, { type: 'DEPLOY_ACCOUNT' }>['constructor_invocation'];

const DEEPEST = 400;
export const ALL = 'all';
export const OUTSIDE = 'outside';

/** Frames have no data gas of their own. */
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

/** A phase that was undone has a reason instead of calls. */
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

/** From the root down to the block, both included. */
export function wayTo(root: Block, id: string): readonly Block[] {
  if (root.id === id) return [root];
  for (const child of root.children) {
    const rest = wayTo(child, id);
    if (rest.length > 0) return [root, ...rest];
  }
  return [];
}
