// Texts of transactions, receipts, traces and state diffs: the JSON of the RPC, without the members
// that depend on the block. This file writes and reads them.

import type { TransactionTrace } from '@starkbox/abi';
import { isObject } from '@starkbox/abi/basics';
import type { Receipt, ReceiptResources, Simulated, StateDiff } from '@starkbox/engine';
import type {
  BROADCASTED_DECLARE_TXN,
  BROADCASTED_DEPLOY_ACCOUNT_TXN,
  BROADCASTED_INVOKE_TXN,
} from '@starkbox/spec';

export type Broadcasted =
  | BROADCASTED_INVOKE_TXN
  | BROADCASTED_DECLARE_TXN
  | BROADCASTED_DEPLOY_ACCOUNT_TXN;

/** The L1 handler transaction of a message from L1. */
export interface L1HandlerValues {
  readonly type: 'L1_HANDLER';
  readonly version: '0x0';
  readonly nonce: string;
  readonly contract_address: string;
  readonly entry_point_selector: string;
  readonly calldata: readonly string[];
  readonly paid_fee_on_l1: string;
  readonly l1_transaction_hash: string | null;
}

/** A transaction with its class by hash, and without proof and proof facts. */
export type StoredTransaction =
  | (Omit<BROADCASTED_INVOKE_TXN, 'proof' | 'proof_facts'> & {
      readonly proof?: never;
      readonly proof_facts?: never;
    })
  | (Omit<BROADCASTED_DECLARE_TXN, 'contract_class'> & {
      readonly contract_class?: never;
      readonly class_hash: string;
    })
  | BROADCASTED_DEPLOY_ACCOUNT_TXN
  | L1HandlerValues;

/** A receipt without block and finality. */
export type StoredReceipt = Omit<Receipt, 'data_availability'>;

// Writing.

/** The type is the first member. @param classHash that of a declared class */
export function transactionText(
  values: Broadcasted | StoredTransaction,
  classHash: string | undefined,
): string {
  if (values.type === 'DECLARE') {
    const { type, contract_class: _class, ...members } = values;
    return JSON.stringify({ type, ...members, class_hash: classHash });
  }
  if (values.type === 'INVOKE') {
    const { type, proof: _proof, proof_facts: _facts, ...members } = values;
    return JSON.stringify({ type, ...members });
  }
  const { type, ...members } = values;
  return JSON.stringify({ type, ...members });
}

export function storedReceipt(receipt: Receipt): StoredReceipt {
  const { data_availability: _part, ...members } = receipt;
  return { ...members, execution_resources: storedResources(receipt) };
}

/** L1 data gas is that of publishing, without that of allocating storage, as in existing tools. */
function storedResources({
  execution_resources,
  data_availability,
}: ReceiptResources): Receipt['execution_resources'] {
  return { ...execution_resources, l1_data_gas: data_availability.l1_data_gas };
}

const RESOURCES = '"execution_resources":';

/** The trace with the resources of the receipt, which are its last member. */
export function traceText({ trace, receipt }: Pick<Simulated, 'trace' | 'receipt'>): string {
  const start = trace.lastIndexOf(RESOURCES);
  return `${trace.slice(0, start)}${RESOURCES}${JSON.stringify(storedResources(receipt))}}`;
}

// Reading. Texts of other processes are checked in full when they are loaded, so that the members by
// which the types differ are enough here.

export function readTransaction(text: string): StoredTransaction {
  const value: unknown = JSON.parse(text);
  return isTransaction(value) ? value : failAsDamaged('transaction');
}

function isTransaction(value: unknown): value is StoredTransaction {
  if (!isObject(value)) return false;
  switch (value['type']) {
    case 'INVOKE':
      return isObject(value['resource_bounds']) && Array.isArray(value['calldata']);
    case 'DECLARE':
      return isObject(value['resource_bounds']) && typeof value['class_hash'] === 'string';
    case 'DEPLOY_ACCOUNT':
      return isObject(value['resource_bounds']) && Array.isArray(value['constructor_calldata']);
    case 'L1_HANDLER':
      return Array.isArray(value['calldata']);
    default:
      return false;
  }
}

export function readReceipt(text: string): StoredReceipt {
  const value: unknown = JSON.parse(text);
  return isReceipt(value) ? value : failAsDamaged('receipt');
}

function isReceipt(value: unknown): value is StoredReceipt {
  return (
    isObject(value) &&
    typeof value['execution_status'] === 'string' &&
    isObject(value['actual_fee']) &&
    isObject(value['execution_resources']) &&
    Array.isArray(value['messages_sent']) &&
    Array.isArray(value['events'])
  );
}

/** Whether a value is a receipt in the format of the engine. */
export function isEngineReceipt(value: unknown): value is Receipt {
  return isReceipt(value) && 'data_availability' in value && isObject(value.data_availability);
}

export function readTrace(text: string): TransactionTrace {
  const value: unknown = JSON.parse(text);
  return isTrace(value) ? value : failAsDamaged('trace');
}

function isTrace(value: unknown): value is TransactionTrace {
  return isObject(value) && typeof value['type'] === 'string';
}

export function readStateDiff(text: string): StateDiff {
  const value: unknown = JSON.parse(text);
  return isStateDiff(value) ? value : failAsDamaged('state diff');
}

function isStateDiff(value: unknown): value is StateDiff {
  return (
    isObject(value) &&
    Array.isArray(value['storage_diffs']) &&
    Array.isArray(value['nonces']) &&
    Array.isArray(value['deployed_contracts']) &&
    Array.isArray(value['replaced_classes']) &&
    Array.isArray(value['declared_classes']) &&
    Array.isArray(value['deprecated_declared_classes'])
  );
}

function failAsDamaged(kind: string): never {
  throw new TypeError(`A stored ${kind} has an unknown shape`);
}
