// A `fetch` that checks every answer of a client against the specifications.
import { METHODS } from '@starkbox/spec';
import type { MethodName } from 'starkbox';
import { checkedClient, RpcFailure } from './client.js';
import { isArray, isObject, type JsonObject, objectAt, stringAt } from './json.js';
import type { SpecVersion } from './published-spec.js';

/**
 * A `fetch` for clients of JSON-RPC. A violation is thrown, and collected in `violations`, because
 * clients that retry swallow errors.
 *
 * @example
 * const violations: string[] = [];
 * const provider = new RpcProvider({ nodeUrl: url, baseFetch: checkedFetch(violations) });
 *
 * @param version that answers are of; the newest by default
 */
export function checkedFetch(violations: string[], version?: SpecVersion): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const answered = await response.clone().text();
    const requestText = stringAt(init?.body, 'the body');
    const faults = await answerViolations(requestText, answered, version);
    violations.push(...faults);
    if (faults.length > 0) throw new Error(faults.join('\n'));
    return response;
  };
}

/**
 * Violations in the text of an answer, one line each.
 *
 * @param requestText the request or batch that it answers
 */
async function answerViolations(
  requestText: string,
  answered: string,
  version?: SpecVersion,
): Promise<readonly string[]> {
  const requests = objects(requestText);
  const answers = objects(answered);
  if (requests.length !== answers.length) {
    return [`${requests.length} requests had ${answers.length} answers: ${answered}`];
  }
  const faults = await Promise.all(
    requests.map(({ id, method }) => {
      const answer = answers.find((candidate) => candidate['id'] === id);
      const name = stringAt(method, 'method');
      return answer ? violation(name, answer, version) : `${name} was not answered: ${answered}`;
    }),
  );
  return faults.filter((text) => text !== undefined);
}

/** One message or a batch. */
function objects(text: string): readonly JsonObject[] {
  const value: unknown = JSON.parse(text);
  return isArray(value) ? value.filter(isObject) : [objectAt(value, text)];
}

async function violation(
  method: string,
  answer: JsonObject,
  version: SpecVersion | undefined,
): Promise<string | undefined> {
  const client = checkedClient(async (text) => {
    const { id } = objectAt(JSON.parse(text), 'request');
    return JSON.stringify({ ...answer, id });
  }, version);
  try {
    if (isMethodName(method)) await client.call(method);
    else await client.failure(method);
    return undefined;
  } catch (error) {
    if (error instanceof RpcFailure) return undefined;
    return error instanceof Error ? error.message : String(error);
  }
}

function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(METHODS, name);
}
