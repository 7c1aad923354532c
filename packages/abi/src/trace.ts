// The parts of a node's transactions, traces and receipts that a call tree is built from.
import type {
  EVENT_CONTENT,
  EXECUTION_RESOURCES,
  FUNCTION_INVOCATION,
  INNER_CALL_EXECUTION_RESOURCES,
  ORDERED_EVENT,
} from '@starkbox/spec';

/** One call in a trace. */
export interface Invocation
  extends Omit<FUNCTION_INVOCATION, 'calls' | 'events' | 'execution_resources' | 'messages'> {
  /** Including the calls below. */
  readonly execution_resources: Pick<INNER_CALL_EXECUTION_RESOURCES, 'l2_gas'> &
    Partial<INNER_CALL_EXECUTION_RESOURCES> & {
      /** Steps, builtins and storage writes, where the transaction was run again to count them. */
      readonly counts?: Readonly<Record<string, number>>;
    };
  readonly events: readonly (EVENT_CONTENT & Partial<ORDERED_EVENT>)[];
  readonly messages?: FUNCTION_INVOCATION['messages'];
  readonly calls: readonly Invocation[];
}

/** A trace has this instead of frames when the execution was reverted as a whole. */
export interface RevertedExecution {
  readonly revert_reason: string;
}

export interface TransactionTrace {
  readonly type: string;
  readonly validate_invocation?: Invocation;
  readonly constructor_invocation?: Invocation;
  readonly execute_invocation?: Invocation | RevertedExecution;
  readonly function_invocation?: Invocation | RevertedExecution;
  readonly fee_transfer_invocation?: Invocation;
  /** Those of the receipt. */
  readonly execution_resources?: Partial<EXECUTION_RESOURCES>;
}

/** A transaction, whether it was sent or is only simulated. */
export interface TracedTransaction {
  readonly type: string;
  readonly sender_address?: string;
  readonly contract_address?: string;
  readonly entry_point_selector?: string;
  readonly calldata?: readonly string[];
  readonly constructor_calldata?: readonly string[];
}

export interface ExecutionResult {
  readonly execution_status: 'SUCCEEDED' | 'REVERTED';
  readonly revert_reason?: string;
}
