// Functions that a transaction calls, read from its calldata.
import type { TRANSACTION_ROW } from '@starkbox/spec';
import type { StoredTransaction } from '../history/stored-texts.js';

type FunctionCall = NonNullable<TRANSACTION_ROW['call']>;

/** The calls of a transaction in their order, as far as its calldata names them. */
export function callsIn(values: StoredTransaction): readonly FunctionCall[] {
  if (values.type === 'L1_HANDLER') {
    const { contract_address, entry_point_selector: selector } = values;
    return [{ contract_address, selector }];
  }
  return values.type === 'INVOKE' ? callsOf(values.calldata) : [];
}

/**
 * The calls in the calldata of an account, in either of its two encodings: the data after each
 * call, or all data after a table of calls.
 */
function callsOf(calldata: readonly string[]): readonly FunctionCall[] {
  const size = numberOf(calldata[0]);
  const nested: FunctionCall[] = [];
  let at = 1;
  for (; nested.length < size && at < calldata.length; at += 3 + numberOf(calldata[at + 2])) {
    nested.push(callAt(calldata, at));
  }
  if (at === calldata.length && nested.length === size) return nested;
  const table = 1 + 4 * size;
  if (table + 1 + numberOf(calldata[table]) !== calldata.length) return [];
  return Array.from({ length: size }, (_, index) => callAt(calldata, 1 + 4 * index));
}

function callAt(calldata: readonly string[], at: number): FunctionCall {
  return { contract_address: calldata[at] ?? '0x0', selector: calldata[at + 1] ?? '0x0' };
}

/** A length in calldata; larger than any calldata if the felt cannot be one. */
function numberOf(felt: string | undefined): number {
  return felt === undefined || felt.length > 10 ? Number.MAX_SAFE_INTEGER : Number(felt);
}
