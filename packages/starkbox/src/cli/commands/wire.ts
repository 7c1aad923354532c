// Calls of a node that runs, by its URL.
import { membersOf, propertyOf } from '@starkbox/abi/basics';
import { ERRORS, type MethodName, type Methods } from '@starkbox/spec';
import { UsageError, webUrlIn } from '../../config/option.js';
import { reasonOf } from '../../errors.js';
import { parseIfJson, stringify } from '../../json/json.js';
import type { WorkDisplay } from '../../probe.js';
import type { NODE, RANGE } from './options.js';
import type { Words } from './row.js';

export const LOCAL = 'http://127.0.0.1:5050';

/** What a server responds with to a request without its token. */
export const UNAUTHORIZED: number = -32001;
export const TOKEN_HINT = 'give the token with --auth-token or STARKBOX_AUTH_TOKEN';

export interface NodeAddress {
  readonly url: string;
  /** Undefined for a node that requires none. */
  readonly token: string | undefined;
}

export function nodeOf({ url = LOCAL, 'auth-token': token }: Words<typeof NODE>): NodeAddress {
  return { url, token };
}

export interface Response {
  readonly text: string;
  /** Its status and type, for an error about it. */
  readonly description: string;
}

/** Sends a JSON-RPC request. */
export async function exchange(
  { url, token }: NodeAddress,
  body: string,
  signal?: AbortSignal,
): Promise<Response> {
  if (webUrlIn(url) === undefined) throw new UsageError(`'${url}' is not a URL: write ${LOCAL}`);
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal: signal ?? null });
    const type = response.headers.get('content-type') ?? 'no content type';
    return { text: await response.text(), description: `status ${response.status}, ${type}` };
  } catch (error) {
    signal?.throwIfAborted();
    const reason = reasonOf(propertyOf(error, 'cause') ?? error);
    throw new Error(
      `cannot reach ${url}: ${reason}. Start a node with 'starkbox', or give the URL of a running node with --url`,
      { cause: error },
    );
  }
}

/** The result of a call, as the method's schema has it. */
export function ask<M extends MethodName>(
  node: NodeAddress,
  method: M,
  params: Methods[M]['params'],
): Promise<Methods[M]['result']> {
  return request(node, method, params);
}

/** The result of a call of any method. */
export async function request<T>(
  node: NodeAddress,
  method: string,
  params: object,
  signal?: AbortSignal,
): Promise<T> {
  const { url } = node;
  const body = stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await exchange(node, body, signal);
  const answer: { result?: T; error?: unknown } = answerIn(response, url);
  if (answer.result !== undefined) return answer.result;
  const { code, message, data } = membersOf(answer.error);
  const { transaction_hash: hash } = membersOf(params);
  if (code === ERRORS.TXN_HASH_NOT_FOUND.code && hash !== undefined) {
    throw new Error(`the node at ${url} has no transaction ${hash}`);
  }
  if (code === UNAUTHORIZED) throw new Error(`${url} requires a token: ${TOKEN_HINT}`);
  const detail = data === undefined ? '' : `: ${typeof data === 'string' ? data : stringify(data)}`;
  throw new Error(`${url} rejects ${method}: ${message}${detail}`);
}

/** A transaction hash that was typed. @throws UsageError */
export function checkedHash(word: string): string {
  if (/^0x[0-9a-f]{1,64}$/i.test(word)) return word;
  throw new UsageError(
    `invalid transaction hash '${word}': HASH must be 0x and hexadecimal digits`,
  );
}

function answerIn({ text, description }: Response, url: string): object {
  const value = parseIfJson(text);
  if (typeof value === 'object' && value !== null) return value;
  throw new Error(`${url} does not respond as a node: it sent ${description}`);
}

export interface BlockRange {
  readonly from_block?: number;
  readonly to_block?: number;
}

export function rangeOf(words: Words<typeof RANGE>): BlockRange {
  const [from, to] = [numberOf('from', words.from), numberOf('to', words.to)];
  return {
    ...(from === undefined ? {} : { from_block: from }),
    ...(to === undefined ? {} : { to_block: to }),
  };
}

export function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}(\.\d+)?$/.test(text)) return Number(text);
  throw new UsageError(`invalid value '${text}' for '--${name}': must be a number`);
}

/** All pages of a report. */
export async function* pagesOf<M extends 'devnet_gasReport' | 'devnet_coverage'>(
  node: NodeAddress,
  method: M,
  params: Methods[M]['params'],
  progress?: WorkDisplay,
): AsyncGenerator<Methods[M]['result'], void, undefined> {
  const end = progress?.begin('reading transactions');
  try {
    let page = await ask(node, method, params);
    let { transactions } = page;
    yield page;
    while (page.next !== undefined) {
      progress?.detail(String(transactions));
      // Without an end, blocks that are made meanwhile would be read in no page, or in two.
      page = await ask(node, method, { ...params, to_block: page.to_block, cursor: page.next });
      transactions += page.transactions;
      yield page;
    }
  } finally {
    end?.();
  }
}
