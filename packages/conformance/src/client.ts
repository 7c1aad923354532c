// A JSON-RPC client that checks every answer against the specifications.
import type { MethodName, Methods } from 'starkbox';
import { isObject, type JsonObject } from './json.js';
import { loadOwnSpec, standardSpec } from './published-spec.js';
import type { Spec } from './spec-documents.js';

/** Takes JSON-RPC text and gives the answer: a node in this process, or {@link overHttp}. */
export type Door = (text: string) => Promise<string | undefined>;

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
   * The result of a method; an error answer is thrown as {@link RpcFailure}. An answer that breaks
   * a specification is thrown as well.
   */
  call<M extends MethodName>(method: M, params?: unknown): Promise<Methods[M]['result']>;
  /** The error that a method answers with. */
  failure(method: string, params?: unknown): Promise<RpcFailure>;
}

/**
 * A client that lets no wrong answer pass: standard methods are held against the published
 * documents, our own against ours.
 *
 * @example
 * const client = checkedClient(node.handle);
 * expect(await client.call('starknet_blockNumber')).toBe(0);
 * expect((await client.failure('starknet_getNonce', ['latest', '0x5'])).code).toBe(20);
 */
export function checkedClient(door: Door): Client {
  let last = 0;
  const ask = async <M extends MethodName>(
    method: M | string,
    params: unknown,
  ): Promise<Methods[M]['result']> => {
    last += 1;
    const id = last;
    const text = await door(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const answer: Answer<Methods[M]['result']> | null = JSON.parse(text ?? 'null');
    if (!answer) throw new Error(`${method} was not answered`);
    const { error, result } = answer;
    const violations = isObject(error)
      ? errorViolations(method, error)
      : resultViolations(method, result);
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

/** The door of a node that listens. */
export function overHttp(url: string): Door {
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

let own: Spec | undefined;

/** Standard methods by the published documents, ours by our own. */
function specOf(method: string): Spec {
  if (method.startsWith('starknet_')) return standardSpec();
  own ??= loadOwnSpec();
  return own;
}

function canonical(method: string): string {
  return method.replace(/^chain_/, 'starknet_').replace(/^sandbox_/, 'devnet_');
}

function resultViolations(method: string, result: unknown): string[] {
  const name = canonical(method);
  const shown = withoutExtras(result);
  const plain = name === 'starknet_proveTransaction' ? withoutOrder(shown) : shown;
  return [...specOf(name).checkResult(name, plain)];
}

/** What is wrong with a notification: one line for each fault. */
export function notificationViolations(method: string, params: unknown): readonly string[] {
  const name = canonical(method);
  const spec = specOf(name);
  if (!spec.methods.get(name)?.notification) return [`${method} is no notification`];
  return spec.checkParams(name, withoutExtras(params));
}

/** Codes that any method may answer with: those of JSON-RPC, and free text. */
function errorViolations(method: string, error: JsonObject): string[] {
  const { code } = error;
  if (typeof code !== 'number') return ['the code of an error is a number'];
  if (typeof error['message'] !== 'string') return ['the message of an error is a text'];
  if (code === -1 || code === -5 || code <= -32600) return [];
  const name = canonical(method);
  return [...specOf(name).checkError(name, error)];
}

/** Messages of a proof are numbered, as those of traces are; the specification of proofs is not. */
function withoutOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOrder);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => name !== 'order');
  return Object.fromEntries(kept.map(([name, part]) => [name, withoutOrder(part)]));
}

/**
 * An answer without what we say beyond the specification, because existing tools read it:
 * `failure_reason` as null where nothing failed, and where a message from L1 came from.
 */
function withoutExtras(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExtras);
  if (!isObject(value)) return value;
  const fromL1 = value['type'] === 'L1_HANDLER' && 'entry_point_selector' in value;
  const kept = Object.entries(value).filter(([name, part]) => {
    if (name === 'failure_reason') return part !== null;
    return !(fromL1 && (name === 'l1_transaction_hash' || name === 'paid_fee_on_l1'));
  });
  return Object.fromEntries(kept.map(([name, part]) => [name, withoutExtras(part)]));
}
