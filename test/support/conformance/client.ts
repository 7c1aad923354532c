// A JSON-RPC client that checks every answer against the specifications.
import type { MethodName, Methods } from 'starkbox';
import { isObject, type JsonObject } from './json.js';
import { loadOwnSpec, type SpecVersion, specOf, standardSpec } from './published-spec.js';
import type { Spec } from './spec-documents.js';

/** Sends JSON-RPC text and returns the answer: an in-process node, or {@link overHttp}. */
export type Transport = (text: string) => Promise<string | undefined>;

/** An error answer, thrown. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export interface Client {
  /**
   * The result of a method; an error answer throws {@link RpcFailure}. An answer that violates a
   * specification throws as well.
   */
  call<M extends MethodName>(method: M, params?: unknown): Promise<Methods[M]['result']>;
  /** The error that a method answers with. */
  failure(method: string, params?: unknown): Promise<RpcFailure>;
  /** As {@link Client.call}, for methods and results of any version. */
  ask(method: string, params?: unknown): Promise<unknown>;
}

/**
 * A client that checks every answer: standard methods against the published documents, the
 * sandbox's own methods against its documents.
 *
 * @example
 * const client = checkedClient(node.handle);
 * expect(await client.call('starknet_blockNumber')).toBe(0);
 * expect((await client.failure('starknet_getNonce', ['latest', '0x5'])).code).toBe(20);
 *
 * @param version that the answers are of; the newest by default
 */
export function checkedClient(send: Transport, version?: SpecVersion): Client {
  let last = 0;
  const ask = async <M extends MethodName>(
    method: M | string,
    params?: unknown,
  ): Promise<Methods[M]['result']> => {
    last += 1;
    const id = last;
    const text = await send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const answer: Answer<Methods[M]['result']> | null = JSON.parse(text ?? 'null');
    if (!answer) throw new Error(`${method} was not answered`);
    const { error, result } = answer;
    const violations = isObject(error)
      ? errorViolations(method, error, version)
      : resultViolations(method, result, version);
    if (answer.id !== id || answer.jsonrpc !== '2.0') violations.push(`envelope of ${text}`);
    if (violations.length > 0) {
      throw new Error(
        `the answer of ${method} breaks the specification:\n${violations.join('\n')}`,
      );
    }
    if (!isObject(error)) return result;
    throw new RpcFailure(Number(error['code']), String(error['message']), error['data']);
  };
  return {
    call: ask,
    ask,
    async failure(method, params) {
      const result = await ask(method, params).catch((error: unknown) => {
        if (error instanceof RpcFailure) return error;
        throw error;
      });
      if (result instanceof RpcFailure) return result;
      throw new Error(`${method} was to fail and answered ${JSON.stringify(result)}`);
    },
  };
}

/** The transport of a listening node. */
export function overHttp(url: string): Transport {
  return async (text) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: text });
    return response.text();
  };
}

interface Answer<Result> {
  readonly jsonrpc: unknown;
  readonly id: unknown;
  readonly result: Result;
  readonly error?: unknown;
}

let loadedSpec: Spec | undefined;

/** The published documents for standard methods, those of the sandbox for its own. */
function documentsOf(method: string, version: SpecVersion | undefined): Spec {
  if (method.startsWith('starknet_')) return version ? specOf(version) : standardSpec();
  return ownSpec();
}

function ownSpec(): Spec {
  loadedSpec ??= loadOwnSpec();
  return loadedSpec;
}

function canonical(method: string): string {
  return method.replace(/^chain_/, 'starknet_').replace(/^sandbox_/, 'devnet_');
}

function resultViolations(
  method: string,
  result: unknown,
  version: SpecVersion | undefined,
): string[] {
  const name = canonical(method);
  const standardResult = withoutExtras(result);
  const plain =
    name === 'starknet_proveTransaction' ? withoutOrder(standardResult) : standardResult;
  return [...documentsOf(name, version).checkResult(name, plain)];
}

/** Violations of a notification, one line each. */
export function notificationViolations(
  method: string,
  params: unknown,
  version?: SpecVersion,
): readonly string[] {
  const name = canonical(method);
  const spec = documentsOf(name, version);
  if (!spec.methods.get(name)?.notification) return [`${method} is no notification`];
  return spec.checkParams(name, withoutExtras(params));
}

/** Error codes allowed for any method: those of JSON-RPC, and the one for free text. */
function errorViolations(
  method: string,
  error: JsonObject,
  version: SpecVersion | undefined,
): string[] {
  const { code } = error;
  if (typeof code !== 'number') return ['the code of an error is a number'];
  if (typeof error['message'] !== 'string') return ['the message of an error is a text'];
  if (code === -1 || code === -5 || code <= -32600) return [];
  const name = canonical(method);
  const { explained, ...data } = isObject(error['data']) ? error['data'] : {};
  if (explained === undefined || !name.startsWith('starknet_')) {
    return [...documentsOf(name, version).checkError(name, error)];
  }
  // Schemas of data leave room for members of others: the standard ones are held to the standard.
  const standard = {
    ...error,
    ...(Object.keys(data).length === 0 ? { data: undefined } : { data }),
  };
  return [
    ...documentsOf(name, version).checkError(name, error, { unknown: 'ignore' }),
    ...documentsOf(name, version).checkError(name, standard),
    ...ownSpec().checkSchema('EXPLAINED', explained),
  ];
}

/** Messages of a proof are numbered like those of traces, which the specification lacks. */
function withoutOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOrder);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'order');
  return Object.fromEntries(members.map(([name, part]) => [name, withoutOrder(part)]));
}

/**
 * An answer without the extensions that existing tools read: `failure_reason` as null where nothing
 * failed, and the origin of a message from L1.
 */
function withoutExtras(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExtras);
  if (!isObject(value)) return value;
  const fromL1 = value['type'] === 'L1_HANDLER' && 'entry_point_selector' in value;
  const members = Object.entries(value).filter(([name, part]) => {
    if (name === 'failure_reason') return part !== null;
    return !(fromL1 && (name === 'l1_transaction_hash' || name === 'paid_fee_on_l1'));
  });
  return Object.fromEntries(members.map(([name, part]) => [name, withoutExtras(part)]));
}
