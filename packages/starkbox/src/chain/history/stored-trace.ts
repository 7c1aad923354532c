// Validation of the calls in the stored trace of a transaction.

import type { Members } from '@starkbox/abi/basics';
import { boolean, count, felt, felts, list, object, oneOf, string } from '../../json/reader.js';

/** Members of a trace that hold a call. */
const CALLS = [
  'validate_invocation',
  'constructor_invocation',
  'execute_invocation',
  'function_invocation',
  'fee_transfer_invocation',
] as const;
/** Those that hold the reason instead if the execution was reverted. */
const REVERTIBLE: readonly string[] = ['execute_invocation', 'function_invocation'];

const ENTRY_POINT_TYPES = ['EXTERNAL', 'L1_HANDLER', 'CONSTRUCTOR'] as const;
const CALL_TYPES = ['CALL', 'LIBRARY_CALL', 'DELEGATE'] as const;

/** Most levels of nested calls; the protocol allows fewer, and readers of traces are recursive. */
const DEEPEST = 200;

/** Throws a `TypeError` that names the first wrong member of a call. */
export function checkCalls(trace: Members, where: string): void {
  for (const name of CALLS) {
    if (trace[name] === undefined) continue;
    const path = `${where}.${name}`;
    const call = object(trace[name], path);
    const reason = REVERTIBLE.includes(name) ? call['revert_reason'] : undefined;
    if (reason === undefined) checkCall(call, path, 1);
    else string(reason, `${path}.revert_reason`);
  }
}

function checkCall(call: Members, where: string, depth: number): void {
  if (depth > DEEPEST) throw new TypeError(`${where}: expected at most ${DEEPEST} nested calls`);
  felt(call['contract_address'], `${where}.contract_address`);
  felt(call['class_hash'], `${where}.class_hash`);
  felt(call['entry_point_selector'], `${where}.entry_point_selector`);
  felt(call['caller_address'], `${where}.caller_address`);
  felts(call['calldata'], `${where}.calldata`);
  felts(call['result'], `${where}.result`);
  oneOf(call['entry_point_type'], `${where}.entry_point_type`, ENTRY_POINT_TYPES);
  oneOf(call['call_type'], `${where}.call_type`, CALL_TYPES);
  boolean(call['is_reverted'], `${where}.is_reverted`);
  const gas = object(call['execution_resources'], `${where}.execution_resources`);
  count(gas['l1_gas'], `${where}.execution_resources.l1_gas`);
  count(gas['l2_gas'], `${where}.execution_resources.l2_gas`);
  list(call['events'], `${where}.events`, checkEvent);
  list(call['messages'], `${where}.messages`, checkMessage);
  list(call['calls'], `${where}.calls`, (inner, path) =>
    checkCall(object(inner, path), path, depth + 1),
  );
}

function checkEvent(value: unknown, where: string): void {
  const { order, keys, data } = object(value, where);
  count(order, `${where}.order`);
  felts(keys, `${where}.keys`);
  felts(data, `${where}.data`);
}

function checkMessage(value: unknown, where: string): void {
  const { order, to_address, payload } = object(value, where);
  count(order, `${where}.order`);
  felt(to_address, `${where}.to_address`);
  felts(payload, `${where}.payload`);
}
