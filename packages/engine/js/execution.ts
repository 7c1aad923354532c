// Reports of an execution: receipts, traces, and failures with their frames.

import type * as binding from '../binding.js';
import { exceededWeights, type WeightName } from './block-weights.js';
import { callWorker } from './call.js';
import { EngineError, parseReport } from './error.js';
import type { SlotWrite } from './state-values.js';

/** Which checks an execution makes; what is left out is as on the network. */
export interface ExecutionFlags {
  /** Run the account's validation. Default true. */
  readonly validate?: boolean;
  /** Check bounds and balance, and charge. Default true. */
  readonly chargeFee?: boolean;
  /** Refuse a nonce above the account's. Default true. */
  readonly strictNonce?: boolean;
  /** Let the run use more L2 gas than the sender allowed: for estimates. Default false. */
  readonly unboundedGas?: boolean;
  /** Show contracts the query version. Default: as the transaction says. */
  readonly query?: boolean;
}

/** A call of a function, outside of a transaction. */
export interface FunctionCall {
  readonly contract_address: string;
  readonly entry_point_selector: string;
  readonly calldata: readonly string[];
  /** The address that calls, also as the account of the transaction; 0 by default. */
  readonly caller?: string | undefined;
}

export interface Gas {
  readonly l1_gas: number;
  readonly l1_data_gas: number;
  readonly l2_gas: number;
}

export interface EventData {
  readonly from_address: string;
  readonly keys: readonly string[];
  readonly data: readonly string[];
}

export interface MessageToL1 {
  readonly from_address: string;
  readonly to_address: string;
  readonly payload: readonly string[];
}

/** A receipt without finality and block, which the chain adds. */
export interface Receipt {
  readonly type: string;
  readonly transaction_hash: string;
  readonly actual_fee: { readonly amount: string; readonly unit: 'WEI' | 'FRI' };
  readonly messages_sent: readonly MessageToL1[];
  readonly events: readonly EventData[];
  readonly execution_status: 'SUCCEEDED' | 'REVERTED';
  readonly revert_reason?: string;
  /** What is charged for and committed to. */
  readonly execution_resources: Gas;
  /** The part of it that publishing the state difference costs. */
  readonly data_availability: Gas;
  readonly contract_address?: string;
  readonly message_hash?: string;
}

export interface Frame {
  readonly kind: 'call' | 'library_call' | 'constructor' | 'panic';
  readonly contract_address: string;
  readonly class_hash: string;
  readonly selector: string;
}

/** Where something failed, outermost frame first, and the message. */
export interface Fault {
  readonly message: string;
  readonly frames: readonly Frame[];
  /** The felts that a Cairo 1 contract panicked with. */
  readonly panic?: readonly string[];
}

/** Why a transaction was refused, in a word that maps to an RPC error. */
export type RejectionReason =
  | 'nonce'
  | 'balance'
  | 'resource_bounds'
  | 'l1_fee'
  | 'fee'
  | 'proof_facts'
  | 'validation'
  | 'class_already_declared'
  | 'class_not_declared'
  | 'address_taken'
  | 'constructor'
  | 'execution'
  | 'too_large'
  | 'version'
  | 'state'
  | 'other';

export interface Rejection extends Fault {
  readonly reason: RejectionReason;
  readonly nonce?: { readonly address: string; readonly account: string; readonly given: string };
}

/** What a contract printed with `println!`. */
export interface Printed {
  readonly contract_address: string;
  readonly class_hash: string;
  readonly text: string;
}

/** What is traced, and what is told of it besides frames and where they failed. */
export interface RetraceOptions {
  /** Index of the first traced transaction; by default the last alone is traced. */
  readonly first?: number;
  /** List the visited statements of every frame. */
  readonly visited?: boolean;
  /** A slot that is written before the first transaction. */
  readonly firstWrite?: SlotWrite | undefined;
}

/** One run of an entry point of a Cairo 1 class, in the order in which they began. */
export interface RetracedFrame {
  /** 0 for an outermost frame. */
  readonly depth: number;
  readonly contract_address: string;
  readonly class_hash: string;
  readonly entry_point_selector: string;
  readonly entry_point_type: 'EXTERNAL' | 'CONSTRUCTOR' | 'L1_HANDLER';
  readonly call_type: 'CALL' | 'DELEGATE';
  readonly failed: boolean;
  /** Steps of the machine, without those of inner calls. */
  readonly steps: number;
  /** How often each builtin was used; empty after an error of the machine. */
  readonly builtins: Readonly<Record<string, number>>;
  /** How often each system call was made, such as `StorageWrite`. */
  readonly syscalls: Readonly<Record<string, number>>;
  /**
   * Where it failed: Sierra statements, that of the innermost function first. None if it did not fail, or if
   * the code that ran is not what the pinned compiler makes of the class.
   */
  readonly stack?: readonly number[];
  /** Sierra statements that ran, in their order: the number, how often, and the machine's steps in it. */
  readonly visited?: readonly (readonly [statement: number, times: number, steps: number])[];
}

/** What a run with the machine's trace showed. */
export interface Retrace {
  readonly frames: readonly RetracedFrame[];
  readonly printed: readonly Printed[];
}

/** What a transaction used, of its receipt. */
export type ReceiptResources = Pick<Receipt, 'execution_resources' | 'data_availability'>;

/** A transaction that ran, to the end or to a revert, without what is long. */
export interface Estimated {
  readonly outcome: 'accepted' | 'reverted';
  readonly receipt: ReceiptResources;
  /** Why it reverted. */
  readonly fault: Fault | undefined;
  readonly printed: readonly Printed[];
  /** As JSON text, where it was asked for. */
  readonly initialReads: string | undefined;
}

/** As `Estimated`, with the trace. */
export interface Simulated extends Estimated {
  /** The trace as JSON text: it is large and rarely asked for. */
  readonly trace: string;
}

/** As `Simulated`, with the whole receipt. */
export interface Executed extends Simulated {
  readonly receipt: Receipt;
}

/** A transaction that was refused: nothing changed. */
export interface Rejected {
  readonly outcome: 'rejected';
  readonly rejection: Rejection;
  readonly printed: readonly Printed[];
  /** As JSON text, where it was asked for. */
  readonly initialReads: string | undefined;
}

/** A transaction that a block has no room for: nothing changed. */
export interface Full {
  readonly outcome: 'full';
  /** The weights that would be above the capacity. */
  readonly exceeded: readonly WeightName[];
  /** Whether it does not fit an empty block of this capacity either. */
  readonly isTooLarge: boolean;
  readonly printed: readonly Printed[];
}

/** Why a call failed, with what each failed frame returned, outermost first. */
export type CallFailure = Fault & { readonly returned: readonly (readonly string[])[] };

/** What a call returned, or why it did not. */
export type CallOutcome = (
  | { readonly result: readonly string[]; readonly failure?: never }
  | { readonly failure: CallFailure; readonly result?: never }
) & { readonly printed?: readonly Printed[] };

/** Flags for all transactions, or one for each. */
export type FlagsOfEach = ExecutionFlags | readonly ExecutionFlags[];

/** @internal */
export function flagsOfEach(flags: FlagsOfEach, count: number): ExecutionFlags[] {
  return 'map' in flags
    ? flags.map((flag) => ({ ...flag }))
    : Array.from({ length: count }, () => ({ ...flags }));
}

function printedOf({ printed }: binding.Execution): readonly Printed[] {
  return printed === null ? [] : parseReport<readonly Printed[]>(printed);
}

function rejectedIn(native: binding.Execution): Rejected | undefined {
  if (native.outcome !== 'rejected') return undefined;
  return {
    outcome: 'rejected',
    rejection: parseReport<Rejection>(native.failure ?? '{}'),
    printed: printedOf(native),
    initialReads: native.initialReads ?? undefined,
  };
}

function estimatedOf<T extends ReceiptResources>(native: binding.Execution) {
  const { outcome, receipt, failure } = native;
  return {
    outcome: outcome === 'reverted' ? ('reverted' as const) : ('accepted' as const),
    receipt: parseReport<T>(receipt ?? '{}'),
    fault: failure === null ? undefined : parseReport<Fault>(failure),
    printed: printedOf(native),
    initialReads: native.initialReads ?? undefined,
  };
}

function simulatedOf<T extends ReceiptResources>(native: binding.Execution) {
  return { ...estimatedOf<T>(native), trace: native.takeTrace() ?? '' };
}

/** Reports of executions by what they contain. */
export interface Reports {
  readonly estimate: Estimated;
  readonly simulation: Simulated;
  readonly execution: Executed;
}

/** What a kind of report contains, and how it is read. */
interface ReportKind<T> {
  readonly content: binding.Content;
  readonly read: (native: binding.Execution) => T | Rejected;
}

/** @internal */
export const REPORTS: { readonly [Kind in keyof Reports]: ReportKind<Reports[Kind]> } = {
  estimate: {
    content: { receipt: false, trace: false },
    read: (native) => rejectedIn(native) ?? estimatedOf<ReceiptResources>(native),
  },
  simulation: {
    content: { receipt: false, trace: true },
    read: (native) => rejectedIn(native) ?? simulatedOf<ReceiptResources>(native),
  },
  execution: {
    content: { receipt: true, trace: true },
    read: (native) => rejectedIn(native) ?? simulatedOf<Receipt>(native),
  },
};

/**
 * The report of an execution that changes the state.
 *
 * @internal
 * @param madeBy what it made; nothing if it was rejected
 */
export async function runExecution<T extends object>(
  execute: () => Promise<binding.Execution>,
  madeBy: (native: binding.Execution) => T | null | undefined,
): Promise<(Executed & T) | Rejected> {
  return withResults(await callWorker(execute), madeBy);
}

/**
 * As `executed`, of an execution that a block may have no room for.
 *
 * @internal
 */
export async function executedWithin<T extends object>(
  execute: () => Promise<binding.Execution>,
  madeBy: (native: binding.Execution) => T | null | undefined,
): Promise<(Executed & T) | Rejected | Full> {
  const native = await callWorker(execute);
  if (native.outcome !== 'full') return withResults(native, madeBy);
  const { isTooLarge } = native;
  const exceeded = exceededWeights(native.exceeded);
  return { outcome: 'full', exceeded, isTooLarge, printed: printedOf(native) };
}

function withResults<T extends object>(
  native: binding.Execution,
  madeBy: (native: binding.Execution) => T | null | undefined,
): (Executed & T) | Rejected {
  const report = REPORTS.execution.read(native);
  if (report.outcome === 'rejected') return report;
  const reports = madeBy(native);
  if (!reports) throw new EngineError('internal', 'an executed transaction left no state');
  return { ...report, ...reports };
}
