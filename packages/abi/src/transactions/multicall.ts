// Calls that a transaction asks its account to make, as the calldata of `__execute__`.
import type { Abi } from '../abi.js';
import { toFelt } from '../felt.js';
import { selectorOf } from '../selector.js';

export interface UserCall {
  readonly contract: string;
  readonly selector: string;
  readonly calldata: readonly string[];
}

/**
 * Encoding of the calls of an account: each with its calldata, or, in Cairo 0, all headers before all
 * calldata.
 */
export type CallFormat = 'calls' | 'call array';

const EXECUTE = selectorOf('__execute__');

/** The encoding that an account of this ABI takes. */
export function callFormatOf({ functions }: Abi): CallFormat {
  const isOld = functions.get(EXECUTE)?.inputs.some(({ name }) => name === 'call_array');
  return isOld ? 'call array' : 'calls';
}

/** Calldata of `__execute__`. */
export function executeCalldata(
  calls: readonly UserCall[],
  format: CallFormat = 'calls',
): readonly string[] {
  const count = (of: readonly unknown[]): string => toFelt(BigInt(of.length));
  if (format === 'calls') {
    return [
      count(calls),
      ...calls.flatMap(({ contract, selector, calldata }) => [
        contract,
        selector,
        count(calldata),
        ...calldata,
      ]),
    ];
  }
  let start = 0n;
  const heads = calls.flatMap(({ contract, selector, calldata }) => {
    const from = start;
    start += BigInt(calldata.length);
    return [contract, selector, toFelt(from), count(calldata)];
  });
  const data = calls.flatMap(({ calldata }) => calldata);
  return [count(calls), ...heads, count(data), ...data];
}

/** The calls in either encoding, that of current accounts or that of Cairo 0; undefined if it is neither. */
export function readMulticall(calldata: readonly string[]): readonly UserCall[] | undefined {
  return readCalls(calldata) ?? readCallArray(calldata);
}

/** Cairo 0: a header for each call with an offset and a length, then the calldata of all calls. */
function readCallArray(calldata: readonly string[]): readonly UserCall[] | undefined {
  const count = Number(calldata[0] ?? 'NaN');
  if (!(count * 4 + 2 <= calldata.length)) return undefined;
  const end = 1 + count * 4;
  const data = calldata.slice(end + 1);
  if (Number(calldata[end]) !== data.length) return undefined;
  const calls: UserCall[] = [];
  for (let at = 1; at < end; at += 4) {
    const [contract = '', selector = '', start = '', length = ''] = calldata.slice(at, at + 4);
    const from = Number(start);
    const until = from + Number(length);
    if (!(until <= data.length)) return undefined;
    calls.push({ contract, selector, calldata: data.slice(from, until) });
  }
  return calls;
}

function readCalls(calldata: readonly string[]): readonly UserCall[] | undefined {
  const calls: UserCall[] = [];
  let at = 1;
  const count = Number(calldata[0] ?? 'NaN');
  if (!(count <= calldata.length)) return undefined;
  for (let index = 0; index < count; index++) {
    const contract = calldata[at];
    const selector = calldata[at + 1];
    const length = Number(calldata[at + 2] ?? 'NaN');
    if (contract === undefined || selector === undefined || !(length <= calldata.length - at - 3)) {
      return undefined;
    }
    calls.push({ contract, selector, calldata: calldata.slice(at + 3, at + 3 + length) });
    at += 3 + length;
  }
  return at === calldata.length ? calls : undefined;
}
