// JSON-RPC client; calls made together share one batch request.

import type { MethodName } from '@starkbox/spec';
import { chainPath, chainUrl } from '../format/chain-path.js';
import { parseJson, writeJson } from '../format/json.js';
import { runTask } from '../state/tasks.js';
import { token } from './auth-token.js';
import type { Params, Result } from './methods.js';
import { type ClientName, transport, Unauthorized } from './transport.js';

/** A JSON-RPC error. */
export class RpcFailure extends Error {
  readonly method: string;
  readonly code: number;
  readonly data: unknown;

  constructor(method: string, code: number, message: string, data: unknown) {
    super(message);
    this.name = 'RpcFailure';
    this.method = method;
    this.code = code;
    this.data = data;
  }
}

/** The node could not be reached. */
export class Unreachable extends Error {
  readonly method: string;

  constructor(method: string, cause: unknown) {
    super('The node did not respond.', { cause });
    this.name = 'Unreachable';
    this.method = method;
  }
}

const METHOD_NOT_FOUND = -32601;
const METHOD_FORBIDDEN = -32604;
const UNAUTHORIZED = -32001;
/** A table of state changes reads up to 200 slots and 200 nonces together; a node takes 1,000 calls by default. */
const MAX_IN_A_BATCH = 500;
/** Calls within this time share a request. */
const GATHER_MILLISECONDS = 2;

interface QueuedCall {
  /** The path of the called chain. */
  readonly chain: string;
  readonly method: string;
  readonly params: unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

let queue: QueuedCall[] = [];

/** Calls a method; calls made within a few milliseconds share one HTTP request. */
export function call<M extends MethodName>(
  method: M,
  ...[params]: Record<string, never> extends Params<M> ? [Params<M>?] : [Params<M>]
): Promise<Result<M>> {
  return request(method, params ?? {});
}

/**
 * The same with serialized parameters.
 * @param chain the path of another chain of the node
 */
export function request<M extends MethodName>(
  method: M,
  params: unknown,
  chain: string = chainPath(),
): Promise<Result<M>> {
  // The only place that gives an answer the type of the specification.
  return ask(chain, method, params) as Promise<Result<M>>;
}

/** For code that is written for any client, and reads the answers itself. */
export function callByName(method: string, params: object): Promise<unknown> {
  return ask(chainPath(), method, params);
}

function ask(chain: string, method: string, params: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    queue.push({ chain, method, params, resolve, reject });
    if (queue.length === 1) setTimeout(flush, GATHER_MILLISECONDS);
  });
}

function flush(): void {
  const all = queue;
  queue = [];
  for (const chain of new Set(all.map((queued) => queued.chain))) {
    const calls = all.filter((queued) => queued.chain === chain);
    for (let start = 0; start < calls.length; start += MAX_IN_A_BATCH) {
      runTask(send(chain, calls.slice(start, start + MAX_IN_A_BATCH)));
    }
  }
}

async function send(chain: string, calls: readonly QueuedCall[]): Promise<void> {
  const body = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
  let answers: unknown;
  try {
    const text = writeJson(calls.length === 1 ? body[0] : body);
    answers = parseJson(await postText(text, 'ui', { chain }));
  } catch (error) {
    for (const { method, reject } of calls)
      reject(
        error instanceof Unauthorized
          ? new RpcFailure(method, UNAUTHORIZED, error.message, undefined)
          : new Unreachable(method, error),
      );
    return;
  }
  const byId = new Map<unknown, Answer>();
  for (const answer of Array.isArray(answers) ? answers : [answers]) {
    if (isAnswer(answer)) byId.set(answer.id, answer);
  }
  calls.forEach(({ method, resolve, reject }, id) => {
    const answer = byId.get(id) ?? (calls.length === 1 ? [...byId.values()][0] : undefined);
    if (!answer) reject(new Unreachable(method, 'no response to this call'));
    else if (answer.error) {
      const { code, message, data } = answer.error;
      reject(new RpcFailure(method, code, message, data));
    } else resolve(answer.result);
  });
}

export interface Answer {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly result?: unknown };
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null;
}

/** Sends a JSON-RPC request or batch to a chain, this page's own by default. */
export function postText(
  body: string,
  client: ClientName,
  { signal, chain = chainPath() }: { signal?: AbortSignal | undefined; chain?: string } = {},
): Promise<string> {
  return transport().post(body, { client, chain, signal });
}

/** The call as a curl command, without the token. */
export function asCurl(method: string, params: unknown): string {
  const body = writeJson({ jsonrpc: '2.0', id: 1, method, params });
  const quoted = `'${body.replaceAll("'", `'\\''`)}'`;
  const key = token() === undefined ? '' : ' -H "authorization: Bearer $AUTH_TOKEN"';
  return `curl -s ${chainUrl('/rpc')} -H 'content-type: application/json'${key} -d ${quoted}`;
}

type Explanation = Result<'devnet_explainTransaction'>;

/** The node's explanation in the data of an error, if it gives one. */
export function explanationIn(data: unknown): Explanation | undefined {
  const explained =
    typeof data === 'object' && data !== null && 'explained' in data && data.explained;
  return isExplanation(explained) ? explained : undefined;
}

function isExplanation(value: unknown): value is Explanation {
  return (
    typeof value === 'object' &&
    value !== null &&
    'summary' in value &&
    typeof value.summary === 'string' &&
    'text' in value &&
    typeof value.text === 'string' &&
    'stack' in value &&
    Array.isArray(value.stack) &&
    'frames' in value &&
    Array.isArray(value.frames)
  );
}

/** Whether the node does not serve the method. */
export function isMissing(error: unknown): boolean {
  return (
    error instanceof RpcFailure &&
    (error.code === METHOD_NOT_FOUND || error.code === METHOD_FORBIDDEN)
  );
}

/** The answer, or another value where the node does not serve the method. */
export async function unlessMissing<T, U>(answer: Promise<T>, otherwise: U): Promise<T | U> {
  return answer.catch((error: unknown) => {
    if (isMissing(error)) return otherwise;
    throw error;
  });
}
