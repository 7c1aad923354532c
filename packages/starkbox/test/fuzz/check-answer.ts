// Check that an answer is valid JSON-RPC for its request, independent of the node's own code.
import { ERRORS } from '@starkbox/spec';
import { parse, stringify } from '../../src/json/json.js';
import { spec } from './calls.js';
import { BODY_LIMIT } from './child-node.js';
import { isList, isRecord } from './mutation.js';
import type { Request } from './requests.js';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

const MAX_BATCH = 1000;
const INTERNAL = ERRORS.INTERNAL_ERROR.code;
const ANSWER_MEMBERS = new Set(['jsonrpc', 'id', 'result', 'error']);
const ERROR_MEMBERS = new Set(['code', 'message', 'data']);

/** What has to come back for one call: its id, and the code of the error if the call is none. */
interface Expected {
  readonly id: unknown;
  readonly code?: number;
  /** By its canonical name, if the call has one. */
  readonly method?: string;
}

/** What has to come back for a text: nothing, one answer, or a list of them. */
type Expectation = undefined | Expected | readonly Expected[];

/** What is wrong with an answer, in a line; undefined if nothing is. */
export function checkAnswer(request: Request, { status, body }: Answer): string | undefined {
  const path = request.path.split('?', 1)[0] ?? '';
  if (path !== '/' && path !== '/rpc') return status === 404 ? undefined : `status ${status}`;
  if (request.verb === 'OPTIONS') return status === 200 ? undefined : `status ${status}`;
  if (request.verb !== 'POST') return status === 405 ? undefined : `status ${status}`;
  if ('origin' in request.headers) return status === 403 ? undefined : `status ${status}`;
  const expected = expectation(request);
  if (expected === undefined) {
    return status === 204 && body === '' ? undefined : `status ${status} for no answer: ${body}`;
  }
  const due = Buffer.byteLength(request.body) > BODY_LIMIT ? 413 : 200;
  if (status !== due) return `status ${status}: ${body}`;
  let answer: unknown;
  try {
    JSON.parse(body); // by the book first, because our reader may forgive what our writer does
    answer = parse(body);
  } catch (error) {
    return `no JSON: ${error}`;
  }
  if (!isList(expected))
    return wrong(answer, expected) ?? (request.fits ? refused(answer) : undefined);
  if (!isList(answer)) return 'no list for a batch';
  if (answer.length !== expected.length) {
    return `${answer.length} answers for ${expected.length} calls`;
  }
  for (const [index, expectedAnswer] of expected.entries()) {
    const reason = wrong(answer[index], expectedAnswer);
    if (reason !== undefined) return `[${index}]: ${reason}`;
  }
  return undefined;
}

function expectation({ headers, body }: Request): Expectation {
  const type = headers['content-type'] ?? '';
  if (!/^application\/([^;\s]+\+)?json\s*(;|$)/i.test(type))
    return { id: null, code: ERRORS.INVALID_REQUEST.code };
  if (Buffer.byteLength(body) > BODY_LIMIT) return { id: null, code: ERRORS.INVALID_REQUEST.code };
  let parsed: unknown;
  try {
    parsed = parse(typeof body === 'string' ? Buffer.from(body).toString() : body.toString());
  } catch {
    return { id: null, code: ERRORS.PARSE_ERROR.code };
  }
  if (!isList(parsed)) return expectedOf(parsed);
  if (parsed.length > MAX_BATCH || !parsed.some(isRecord))
    return { id: null, code: ERRORS.INVALID_REQUEST.code };
  const each = parsed.map(expectedOf).filter((answer) => answer !== undefined);
  return each.length === 0 ? undefined : each;
}

/** Undefined for a notification. */
function expectedOf(call: unknown): Expected | undefined {
  if (!isRecord(call)) return { id: null, code: ERRORS.INVALID_REQUEST.code };
  const { id, jsonrpc, method, params, ...more } = call;
  const hasId = Object.hasOwn(call, 'id');
  const isId =
    typeof id === 'string' || typeof id === 'bigint' || id === null || Number.isInteger(id);
  if (hasId && !isId) return { id: null, code: ERRORS.INVALID_REQUEST.code };
  const isCall =
    (jsonrpc === '2.0' || jsonrpc === '1.0') &&
    typeof method === 'string' &&
    (params === undefined || typeof params === 'object') &&
    Object.keys(more).length === 0;
  if (!isCall) return { id: hasId ? id : null, code: ERRORS.INVALID_REQUEST.code };
  return hasId ? { id, method: canonical(method) } : undefined;
}

function canonical(method: string): string {
  return method.replace(/^chain_/, 'starknet_').replace(/^sandbox_/, 'devnet_');
}

function wrong(answer: unknown, { id, code, method }: Expected): string | undefined {
  if (!isRecord(answer)) return 'an answer that is no object';
  const extra = Object.keys(answer).find((member) => !ANSWER_MEMBERS.has(member));
  if (extra !== undefined) return `an answer with ${extra}`;
  if (answer['jsonrpc'] !== '2.0') return 'an answer that is no JSON-RPC 2.0';
  if (stringify(answer['id']) !== stringify(id))
    return `id ${String(answer['id'])} for ${String(id)}`;
  if ('result' in answer === 'error' in answer) return 'not one of result and error';
  if ('error' in answer) return wrongError(answer['error'], code, method);
  if (code !== undefined) return `a result where error ${code} was due`;
  if (method === undefined || !spec.methods.has(method)) return 'a result of an unknown method';
  // A journal repeats ids, and those may be integers of any size.
  const hasIds = method === 'devnet_dump';
  const result = hasIds ? JSON.parse(stringify(answer['result'])) : answer['result'];
  const [violation] = spec.checkResult(method, result);
  return violation && `the result of ${method} breaks its schema: ${violation}`;
}

/** Methods whose checks are stricter than their schema. */
const STRICTER =
  /^(params: give one of|params\.fork\.url|state_diff|declared_classes|deprecated_|deployed_|classes\[|params\.(snapshot_id|variable|keys)|params\.time: at most|params\.block_generation_on|params\.conditions\.(block_generation_on|submissions\.delay_blocks)|params\.transaction\.invoke\.typed_data|params\.overrides)/;

/** Whether params were refused although they fit; undefined if not. */
function refused(answer: unknown): string | undefined {
  const error = isRecord(answer) ? answer['error'] : undefined;
  if (!isRecord(error) || error['code'] !== -32602) return undefined;
  const message = String(error['message']);
  return STRICTER.test(message) ? undefined : `refused although it fits: ${message}`;
}

/** Without an L1 this method alone answers with the code of unexpected errors. */
function isDeclared(method: string | undefined, message: string): boolean {
  return method === 'devnet_postmanFlush' && message.startsWith('Error in ');
}

function wrongError(error: unknown, due: number | undefined, method: string | undefined) {
  if (!isRecord(error)) return 'an error that is no object';
  const extra = Object.keys(error).find((member) => !ERROR_MEMBERS.has(member));
  if (extra !== undefined) return `an error with ${extra}`;
  const { code, message } = error;
  if (typeof message !== 'string') return 'an error without a message';
  if (typeof code !== 'number' || !Number.isInteger(code)) return 'an error without a code';
  if (code === INTERNAL && !isDeclared(method, message)) return `${INTERNAL} (${method})`;
  if (due === undefined && / at line \d+ column \d+/.test(message)) {
    return `an error of a parser (${method}): ${message}`;
  }
  if (due !== undefined) return code === due ? undefined : `error ${code} where ${due} was due`;
  // Free text, and what JSON-RPC itself says, any method may answer.
  if (code === -1 || code <= -32600 || method === undefined) return undefined;
  if (!spec.methods.has(method)) return `error ${code} of an unknown method`;
  const [violation] = spec.checkError(method, error);
  return violation && `the error of ${method} breaks its schema: ${violation}`;
}
