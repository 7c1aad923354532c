// Parsing of requests, within the limits of a client.
import { ERRORS } from '@starkbox/spec';
import { RpcError, reasonOf } from '../../errors.js';
import { parse, TooManyValues } from '../../json/json.js';
import { type JsonLimits, parseInSlices } from '../../json/parse-in-slices.js';
import type { Delivery } from './batch.js';
import { type ListOptions, type LongList, readAroundList } from './long-list.js';

/** Longer texts are read in slices. */
const LONG = 64 * 1024;
/** What a value of a parsed text weighs, about. */
const VALUE_BYTES = 64;

export interface LongRequest {
  readonly body: unknown;
  readonly list?: LongList;
}

export function isLong(text: string): boolean {
  return text.length > LONG;
}

/** @throws RpcError */
export function readShort(text: string, limits: JsonLimits): unknown {
  try {
    return parse(text, limits.depth, limits.values);
  } catch (error) {
    throw toRpcError(error);
  }
}

/** @throws RpcError */
export async function readLong(
  text: string,
  limits: JsonLimits,
  delivery: Delivery | undefined,
  readsList?: ListOptions,
): Promise<LongRequest> {
  const around = readsList && (await readAroundList(text, limits, readsList));
  const { values, ...request } = around ?? (await readWhole(text, limits));
  if (delivery && !delivery.share.take(values * VALUE_BYTES)) throw delivery.share.refusal();
  return request;
}

async function readWhole(
  text: string,
  limits: JsonLimits,
): Promise<LongRequest & { readonly values: number }> {
  try {
    const { value, values } = await parseInSlices(text, limits);
    return { body: value, values };
  } catch (error) {
    throw toRpcError(error);
  }
}

function toRpcError(error: unknown): RpcError {
  if (error instanceof TooManyValues) {
    const message = `The request has more than ${error.limit} JSON values; --maximum-json-values sets the limit`;
    return new RpcError(ERRORS.INVALID_REQUEST.code, message);
  }
  return new RpcError(ERRORS.PARSE_ERROR.code, 'Parse error', { reason: reasonOf(error) });
}
