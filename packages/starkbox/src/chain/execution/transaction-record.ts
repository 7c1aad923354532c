// Record of a transaction: what is stored of it before and after its execution.
import type { Executed } from '@starkbox/engine';
import { storedReceipt, traceText, transactionText } from '../history/stored-texts.js';
import type { Included } from '../world/world.js';
import type { PreparedTransaction } from './prepare-transaction.js';

/** The part of a record that does not depend on the execution. */
export interface SubmittedRecord {
  readonly signature: readonly string[];
  /** JSON text. */
  readonly transaction: string;
  readonly proofFacts: readonly string[] | undefined;
}

export function recordSubmitted({ transaction, values }: PreparedTransaction): SubmittedRecord {
  return {
    signature: values.type === 'L1_HANDLER' ? [] : values.signature,
    transaction: transactionText(values, transaction.declared?.hash),
    proofFacts:
      values.type === 'INVOKE' && values.proof_facts?.length ? values.proof_facts : undefined,
  };
}

/** The whole record, after the execution. */
export function recordExecuted(
  hash: string,
  { signature, transaction, proofFacts }: SubmittedRecord,
  executed: Executed,
): Included {
  const { receipt } = executed;
  return {
    signature,
    receipt,
    record: {
      hash,
      transaction,
      proofFacts,
      receipt: JSON.stringify(storedReceipt(receipt)),
      trace: traceText(executed),
    },
  };
}
