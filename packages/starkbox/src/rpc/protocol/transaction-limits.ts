// Limits of transactions and messages in params: how many in one call, and how long their lists of felts may be.
import { memberOf } from '@starkbox/abi/basics';
import { methodFacts } from '@starkbox/spec';
import { invalidParams } from '../../errors.js';
import type { Handler } from './call-context.js';

export interface TransactionLimits {
  /** Felts in one list: the hash over them is computed on the main thread. */
  readonly felts: number;
  /** Transactions in one call. */
  readonly transactions: number;
}

/** A handler that refuses more. */
export function limitTransactions(
  method: string,
  handler: Handler,
  limits: TransactionLimits,
): Handler {
  const name = methodFacts(method)?.feltLists;
  if (!name) return handler;
  return (params, context) => {
    const carrier = memberOf(params, name);
    checkFelts(carrier, `params.${name}`, limits.felts);
    // Transactions may be in lists, one for each block.
    if (isListOfObjects(carrier)) checkCount(carrier.flat(), limits.transactions);
    return handler(params, context);
  };
}

function isListOfObjects(carrier: unknown): carrier is readonly unknown[] {
  return Array.isArray(carrier) && carrier.some((transaction) => typeof transaction === 'object');
}

function checkCount(transactions: readonly unknown[], most: number): void {
  if (transactions.length > most) {
    invalidParams(
      `at most ${most} transactions at once; --maximum-simulation-batch sets the limit`,
    );
  }
}

/** Of a list of transactions each is looked at, of a transaction each of its lists. */
function checkFelts(carrier: unknown, path: string, most: number): void {
  if (isListOfObjects(carrier)) {
    for (const [index, transaction] of carrier.entries())
      checkFelts(transaction, `${path}[${index}]`, most);
  } else if (Array.isArray(carrier)) {
    if (carrier.length > most) {
      invalidParams(
        `${path}: at most ${most} felts, got ${carrier.length}; --maximum-calldata-length sets the limit`,
      );
    }
  } else if (typeof carrier === 'object' && carrier !== null) {
    for (const [name, value] of Object.entries(carrier)) {
      if (Array.isArray(value)) checkFelts(value, `${path}.${name}`, most);
    }
  }
}
