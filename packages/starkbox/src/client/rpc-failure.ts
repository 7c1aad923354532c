// Errors of calls as programs see them: the message of the node with the reason from its data.
import { isObject } from '@starkbox/abi/basics';
import { RpcError } from '../errors.js';

/** Members of the data of an error that give its reason. */
const REASONS = ['reason', 'execution_error', 'revert_error', 'compilation_error', 'revert_reason'];

/** @returns undefined if the data gives no reason in words */
function reasonIn(data: unknown): string | undefined {
  if (typeof data === 'string') return data;
  if (!isObject(data)) return undefined;
  return REASONS.map((name) => data[name]).find((reason) => typeof reason === 'string');
}

function explanationIn(data: unknown): string | undefined {
  const explained = isObject(data) ? data['explained'] : undefined;
  const text = isObject(explained) ? explained['text'] : undefined;
  return typeof text === 'string' ? text : undefined;
}

/** An error of a call with its reason in the message. Other errors stay as they are. */
export function withReason(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  const { code, message, data } = error;
  const explanation = explanationIn(data);
  if (explanation !== undefined) return new RpcError(code, `${message}\n${explanation}`, data);
  const reason = reasonIn(data);
  if (reason === undefined || reason === '' || message.includes(reason)) return error;
  return new RpcError(code, `${message}: ${reason}`, data);
}
