// Reads that are repeated on the paths of older versions, with answers checked against the documents of those.
import { createHash } from 'node:crypto';
import { METHODS } from 'starkbox';
import { checkedClient, overHttp, RpcFailure } from './client.js';
import { isArray, isObject, type JsonObject } from './json.js';
import { OLDER_VERSIONS, type SpecVersion, specOf } from './published-spec.js';
import type { Spec } from './spec-documents.js';

/** How many reads were repeated, by version. */
export const repeated: Record<(typeof OLDER_VERSIONS)[number], number> = { v0_8: 0, v0_9: 0 };

/** Calls with their answers that were repeated already: older versions would answer the same again. */
const seen = new Set<string>();

function isNew(method: string, params: unknown, answer: JsonObject): boolean {
  const text = JSON.stringify([method, params, answer['result'], answer['error']]);
  const key = createHash('sha256').update(text).digest('base64');
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

/**
 * Repeats a call on the paths of older versions, if it only reads and they have it.
 *
 * @param answer of the newest version; the same call with the same answer is repeated once
 * @returns violations, one line each
 */
export async function olderViolations(
  url: string | URL,
  { method, params }: JsonObject,
  answer?: JsonObject,
): Promise<readonly string[]> {
  const name = String(method).replace(/^chain_/, 'starknet_');
  if (!isRead(name) || (answer && !isNew(name, params, answer))) return [];
  const found = await Promise.all(
    OLDER_VERSIONS.map(async (version) => {
      const spec = specOf(version);
      const older = spec && olderParams(spec, version, name, params);
      if (!older) return [];
      repeated[version] += 1;
      const client = checkedClient(overHttp(String(new URL(`/rpc/${version}`, url))), version);
      try {
        await client.ask(name, older.params);
      } catch (error) {
        if (!(error instanceof RpcFailure)) return [`${version}: ${String(error)}`];
        if (error.code === -32602) return [`${version}: ${name} was refused: ${error.message}`];
      }
      return [];
    }),
  );
  return found.flat();
}

function isRead(method: string): boolean {
  const facts = Object.entries(METHODS).find(([name]) => name === method)?.[1];
  return method.startsWith('starknet_') && facts?.writes === false && !facts.needsListener;
}

/** Parameters as an older version writes them; undefined where it cannot say the same. */
function olderParams(
  spec: Spec,
  version: SpecVersion,
  method: string,
  params: unknown,
): { readonly params: unknown } | undefined {
  const declared = spec.methods.get(method)?.params;
  if (!declared) return undefined;
  const names = new Set(declared.map(({ name }) => name));
  const known = isArray(params)
    ? params.slice(0, declared.length)
    : isObject(params)
      ? Object.fromEntries(Object.entries(params).filter(([name]) => names.has(name)))
      : params;
  const given = version === 'v0_8' ? withPending(known) : known;
  return spec.checkParams(method, given ?? undefined).length > 0 ? undefined : { params: given };
}

function withPending(value: unknown): unknown {
  if (value === 'pre_confirmed') return 'pending';
  if (isArray(value)) return value.map(withPending);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withPending(part)]));
}
