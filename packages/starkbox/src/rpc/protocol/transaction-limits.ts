// Limits of transactions and messages in params: how many in one call, and how long their lists of felts may be.
import { memberOf } from '@starkbox/abi/basics';
import { methodFacts } from '@starkbox/spec';
import { invalidParams } from '../../errors.js';
import type { Handler } from './call-context.js';

/** Felts in one list, because the main thread computes the hash over them. */
const MAX_FELTS = 10_000;
/** Transactions in one call. */
const MAX_TRANSACTIONS = 1000;

/** A handler that rejects more. */
export function limitTransactions(method: string, handler: Handler): Handler {
  const name = methodFacts(method)?.feltLists;
  if (!name) return handler;
  return (params, context) => {
    const carrier = memberOf(params, name);
    checkFelts(carrier, `params.${name}`);
    // Transactions may be in lists, one for each block.
    if (isListOfObjects(carrier)) checkCount(carrier.flat());
    return handler(params, context);
  };
}

function isListOfObjects(carrier: unknown): carrier is readonly unknown[] {
  return Array.isArray(carrier) && carrier.some((transaction) => typeof transaction === 'object');
}

function checkCount(transactions: readonly unknown[]): void {
  if (transactions.length > MAX_TRANSACTIONS) {
    invalidParams(`at most ${MAX_TRANSACTIONS} transactions at once: split the call`);
  }
}

/** Of a list of transactions each is looked at, of a transaction each of its lists. */
function checkFelts(carrier: unknown, path: string): void {
  if (isListOfObjects(carrier)) {
    for (const [index, transaction] of carrier.entries())
      checkFelts(transaction, `${path}[${index}]`);
  } else if (Array.isArray(carrier)) {
    if (carrier.length > MAX_FELTS) {
      invalidParams(`${path}: at most ${MAX_FELTS} felts, got ${carrier.length}`);
    }
  } else if (typeof carrier === 'object' && carrier !== null) {
    for (const [name, value] of Object.entries(carrier)) {
      if (Array.isArray(value)) checkFelts(value, `${path}.${name}`);
    }
  }
}
