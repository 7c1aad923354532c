// Requests in the words of an older version of the specification.
import { isArray, isObject, type JsonObject } from './json.js';
import { type SpecVersion, specOf } from './published-spec.js';

export interface OlderRequest {
  readonly request: JsonObject;
  /** Why the version must refuse it, one line each; none if it has the method and the parameters. */
  readonly obstacles: readonly string[];
}

/**
 * A request of the newest version as a client of an older one makes it: without the parameters that are new, and with
 * the tag of the block under construction that the version has.
 */
export function inWordsOf(version: SpecVersion, request: JsonObject): OlderRequest {
  const name = String(request['method']).replace(/^chain_/, 'starknet_');
  if (!name.startsWith('starknet_')) return { request, obstacles: [] };
  const spec = specOf(version);
  const declared = spec.methods.get(name)?.params;
  if (!declared) return { request, obstacles: [`${version} has no ${name}`] };
  const { params } = request;
  const names = new Set(declared.map((param) => param.name));
  const declaredParams = isArray(params)
    ? params.slice(0, declared.length)
    : isObject(params)
      ? Object.fromEntries(Object.entries(params).filter(([key]) => names.has(key)))
      : params;
  const olderParams = version === 'v0_8' ? withPending(declaredParams) : declaredParams;
  return {
    request: { ...request, params: olderParams },
    obstacles: spec.checkParams(name, olderParams ?? undefined),
  };
}

function withPending(value: unknown): unknown {
  if (value === 'pre_confirmed') return 'pending';
  if (isArray(value)) return value.map(withPending);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withPending(part)]));
}
