// Envelopes of JSON-RPC 2.0: calls and answers.
import { isObject } from '@starkbox/abi/basics';
import { ERRORS } from '@starkbox/spec';
import { RpcError } from '../../errors.js';
import { parseIfJson, stringify } from '../../json/json.js';
import type { LongList } from './long-list.js';

export type Id = string | number | bigint | null;

const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'method', 'params', 'id']);

/** A result, written already, as a JSON-RPC text. */
export function resultAnswer(result: string, id: Id): string {
  return `{"jsonrpc":"2.0","id":${stringify(id)},"result":${result}}`;
}

/** An error as a JSON-RPC text. */
export function errorAnswer({ code, message, data }: RpcError, id: Id = null): string {
  const error = stringify(data === undefined ? { code, message } : { code, message, data });
  return `{"jsonrpc":"2.0","id":${stringify(id)},"error":${error}}`;
}

/** Longer texts are not parsed for an id. */
const MAX_PARSED_LENGTH = 64 * 1024;

/** The id that an answer to this text would carry, for answers that are given without its result. */
export function idOf(text: string): Id {
  return text.length > MAX_PARSED_LENGTH ? null : idIn(parseIfJson(text));
}

/** The id that an error about a call carries. */
export function idIn(call: unknown): Id {
  return isObject(call) && isId(call['id']) ? call['id'] : null;
}

export function invalid(reason: string): RpcError {
  return new RpcError(ERRORS.INVALID_REQUEST.code, 'Invalid request', { reason });
}

/** A call as it came. */
export interface Call {
  readonly jsonrpc: unknown;
  readonly method: string;
  readonly params: Params;
  readonly id: unknown;
  /** A list of the params that another thread has read; they have an empty one. */
  readonly list?: LongList | undefined;
}

export interface Envelope {
  readonly method: string;
  readonly params: Params;
}

/** What a call asks for, or what is wrong with it. */
export function openEnvelope(call: Readonly<Record<string, unknown>>): Envelope | string {
  const { jsonrpc, method, params } = call;
  if (jsonrpc !== '2.0' && jsonrpc !== '1.0') return 'jsonrpc must be "2.0"';
  if (typeof method !== 'string') return 'method must be a string';
  if (!isParams(params)) return 'params must be an object or a list';
  const unknown = Object.keys(call).find((member) => !MEMBERS.has(member));
  return unknown === undefined ? { method, params } : `unknown member ${unknown}`;
}

/** A call that can be made, or why it cannot; an error carries the id as far as it is one. */
export type OpenedCall =
  | { readonly call: Call; readonly id: Id | undefined; readonly error?: undefined }
  | { readonly call?: undefined; readonly id?: Id | undefined; readonly error: RpcError };

export function openCall(call: unknown): OpenedCall {
  if (!isObject(call)) return { error: invalid('a call is an object') };
  const { jsonrpc, id } = call;
  if (id !== undefined && !isId(id)) {
    return { error: invalid('id must be a string, an integer or null') };
  }
  const envelope = openEnvelope(call);
  if (typeof envelope === 'string') return { error: invalid(envelope), id };
  return { call: { jsonrpc, ...envelope, id }, id };
}

export type Params = object | null | undefined;

export function isParams(value: unknown): value is Params {
  return value === undefined || typeof value === 'object';
}

export function isId(value: unknown): value is Id {
  return (
    typeof value === 'string' ||
    typeof value === 'bigint' ||
    value === null ||
    Number.isInteger(value)
  );
}
