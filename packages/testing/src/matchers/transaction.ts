// A transaction that a test expects something of: sent, awaited, or refused before it was sent.
import { memberOf, membersOf, trust } from '@starkbox/abi/basics';
import { reasonOfError } from '@starkbox/abi/internal';
import type { Explanation } from 'starkbox';
import { type GetTransactionReceiptResponse, RpcError, type RpcProvider } from 'starknet';
import { bundleLine } from '../client/bundle-file.js';
import { getExplanation, textForTest } from '../client/explanation.js';
import { append, failedRequest } from '../client/failures.js';
import { providerBehind } from '../client/sent.js';

/** What sending a transaction gives, or a receipt. */
interface SentTransaction {
  readonly transaction_hash: string;
}

/** A transaction: the result of an account or a promise of it, a receipt, or a function that sends it. */
export type Transaction = unknown;

export interface Included {
  readonly provider: RpcProvider;
  readonly receipt: Receipt;
}

/** A transaction that was refused with the reason of its revert. */
export interface Refused {
  readonly reason: string;
  /** What the node says about it. */
  readonly explained: Explanation | undefined;
  /** The error of the provider. */
  readonly error: Error;
}

export type TransactionResult = Included | Refused;

/** The parts of a receipt that are looked at. */
export interface Receipt extends SentTransaction {
  readonly execution_status: 'SUCCEEDED' | 'REVERTED';
  readonly revert_reason?: string;
  readonly block_number?: number;
  readonly actual_fee: { readonly amount: string; readonly unit: string };
  readonly events: readonly {
    readonly from_address: string;
    readonly keys: readonly string[];
    readonly data: readonly string[];
  }[];
  readonly execution_resources: Readonly<Record<string, number>>;
}

/** Waits for a transaction. Errors that are no reverts are thrown. */
export async function resultOf(transaction: Transaction): Promise<TransactionResult> {
  const sending = typeof transaction === 'function' ? transaction() : transaction;
  const settled = await Promise.allSettled([sending]);
  const [first] = settled;
  if (first.status === 'rejected') return refusal(first.reason);
  const result: unknown = first.value;
  if (!isSent(result)) {
    throw new TypeError(
      `Expected a transaction, such as the result of account.execute() or contract.invoke(); got ${JSON.stringify(result)}`,
    );
  }
  const provider = providerBehind(result);
  if (!provider) {
    throw new TypeError(
      'The transaction was not sent through a provider of @starkbox/testing: use chain.accounts or getProvider()',
    );
  }
  return {
    provider,
    receipt: receiptIn(await provider.waitForTransaction(result.transaction_hash)),
  };
}

/** The same, for what only a transaction in a block has. */
export async function includedTransaction(transaction: Transaction): Promise<Included> {
  const outcome = await resultOf(transaction);
  if ('receipt' in outcome) return outcome;
  const error = new Error(
    `The node rejected the transaction: ${outcome.explained ? textForTest(outcome.explained) : outcome.reason}`,
  );
  const line = await bundleOf(outcome);
  if (line !== undefined) append(error, line);
  throw error;
}

/** Writes the bundle of a transaction, and returns the line that names the command to open it. */
export async function bundleOf(outcome: TransactionResult): Promise<string | undefined> {
  if ('receipt' in outcome) {
    const { transaction_hash } = outcome.receipt;
    return bundleLine(outcome.provider, { transaction_hash });
  }
  const provider = providerBehind(outcome.error);
  const request = failedRequest(outcome.error);
  return provider && request && bundleLine(provider, request);
}

function isSent(value: unknown): value is SentTransaction {
  return typeof memberOf(value, 'transaction_hash') === 'string';
}

function receiptIn(response: GetTransactionReceiptResponse): Receipt {
  // starknet.js types it by the kind of the transaction.
  return trust(response.value);
}

function refusal(error: unknown): Refused {
  if (!(error instanceof RpcError)) throw error;
  const { execution_error, revert_error } = membersOf(memberOf(error.baseError, 'data'));
  const nested: unknown = execution_error ?? revert_error;
  if (nested === undefined) throw error;
  return { reason: reasonOfError(nested), explained: getExplanation(error), error };
}
