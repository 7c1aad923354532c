// The parts of a node's transactions, traces and receipts that a call tree is built from.

/** One call in a trace. */
export interface Invocation {
  readonly contract_address: string;
  readonly class_hash: string;
  readonly entry_point_selector: string;
  readonly entry_point_type: string;
  readonly call_type: string;
  readonly caller_address: string;
  readonly calldata: readonly string[];
  readonly result: readonly string[];
  readonly is_reverted: boolean;
  /** Including the calls below. */
  readonly execution_resources: {
    readonly l2_gas: number;
    readonly l1_gas?: number;
    /** Steps, builtins and storage writes, where the transaction was run again to count them. */
    readonly counts?: Readonly<Record<string, number>>;
  };
  readonly events: readonly {
    readonly keys: readonly string[];
    readonly data: readonly string[];
    readonly order?: number;
  }[];
  readonly messages?: readonly {
    readonly order: number;
    readonly from_address: string;
    readonly to_address: string;
    readonly payload: readonly string[];
  }[];
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
  readonly execution_resources?: {
    readonly l2_gas?: number;
    readonly l1_gas?: number;
    readonly l1_data_gas?: number;
  };
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
