// Errors of calls as programs see them: the message of the node with the reason from its data.
import { isObject, memberOf } from '@starkbox/abi/basics';
import { ERRORS } from '@starkbox/spec';
import { RpcError } from '../errors.js';

/** Members of the data of an error that give its reason. */
const REASONS = ['reason', 'execution_error', 'revert_error', 'compilation_error', 'revert_reason'];

/** @returns undefined if the data gives no reason in words */
function reasonIn(data: unknown): string | undefined {
  if (typeof data === 'string') return data;
  if (!isObject(data)) return undefined;
  return REASONS.map((name) => data[name]).find((reason) => typeof reason === 'string');
}

function contractIn(params: unknown): string | undefined {
  const contract = memberOf(params, 'contract_address') ?? memberOf(params, 'token');
  return typeof contract === 'string' ? contract : undefined;
}

function explanationIn(data: unknown): string | undefined {
  const explained = isObject(data) ? data['explained'] : undefined;
  const text = isObject(explained) ? explained['text'] : undefined;
  return typeof text === 'string' ? text : undefined;
}

/**
 * An error of a call with its reason in the message. Other errors stay as they are.
 *
 * @param params of the call, which name the contract that does not exist
 */
export function withReason(error: unknown, params?: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  const { code, message, data } = error;
  const explanation = explanationIn(data);
  if (explanation !== undefined) return new RpcError(code, `${message}\n${explanation}`, data);
  const isMissing = code === ERRORS.CONTRACT_NOT_FOUND.code;
  const reason = reasonIn(data) ?? (isMissing ? contractIn(params) : undefined);
  if (reason === undefined || reason === '' || message.includes(reason)) return error;
  return new RpcError(code, `${message}: ${reason}`, data);
}
