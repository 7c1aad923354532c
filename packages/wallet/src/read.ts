// Readers of untrusted JSON: parameters of requests, and answers of a node.
import { selectorOf, type UserCall } from '@starkbox/abi';
import { isObject, type Members, toFelt } from '@starkbox/abi/basics';
import { invalid } from './errors.js';

export function fieldsOf(value: unknown, name: string): Members {
  if (isObject(value)) return value;
  throw invalid(`${name} is not an object.`);
}

export function listOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw invalid(`${name} is not a list.`);
}

export function textOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw invalid(`${name} is not a string.`);
}

const NUMBER = /^(?:0x[0-9a-f]{1,64}|\d{1,80})$/i;

/** A felt in its canonical form; decimal texts, numbers and bigints are taken as well. */
export function feltOf(value: unknown, name: string): string {
  if (typeof value === 'bigint' && value >= 0n) return toFelt(value);
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
    return toFelt(BigInt(value));
  if (typeof value === 'string' && NUMBER.test(value)) return toFelt(BigInt(value));
  throw invalid(`${name} is not a felt.`);
}

/** The calls of `wallet_addInvokeTransaction`. */
export function callsOf(value: unknown): readonly UserCall[] {
  const calls = listOf(value, 'calls').map((call, at): UserCall => {
    const name = `calls[${at}]`;
    const { contract_address, entry_point, calldata = [] } = fieldsOf(call, name);
    return {
      contract: feltOf(contract_address, `${name}.contract_address`),
      selector: selectorFrom(textOf(entry_point, `${name}.entry_point`)),
      calldata: listOf(calldata, `${name}.calldata`).map((felt, index) =>
        feltOf(felt, `${name}.calldata[${index}]`),
      ),
    };
  });
  if (calls.length === 0) throw invalid('calls is empty.');
  return calls;
}

/** No function has a name that begins with a digit. */
function selectorFrom(entryPoint: string): string {
  return /^0x[0-9a-f]{1,64}$/i.test(entryPoint)
    ? toFelt(BigInt(entryPoint))
    : selectorOf(entryPoint);
}
