// One address of the origin: its HTTP requests, and the meaning of its failures.
import { isObject, memberOf, membersOf } from '@starkbox/abi/basics';
import { innermostReason } from '../../errors.js';
import { parseIfJson, stringify } from '../../json/json.js';
import type { MemoryBudget, Share } from '../../scheduling/memory-budget.js';
import { OriginError, OriginFailure, shownUrl, type WireError } from './failure.js';
import { type Posted, Poster } from './poster.js';
import type { HttpProxy, Proxies } from './proxies.js';
import { isFelt } from './reads.js';
import { hasClassHash, shapeError, subjectError } from './shapes.js';

/** Outcome of one question. */
export type AskOutcome =
  | { readonly kind: 'result'; readonly result: unknown }
  /** An error that is about the chain, such as a contract that does not exist. */
  | { readonly kind: 'error'; readonly error: OriginError }
  /** No answer, or an error that is not about the chain. */
  | {
      readonly kind: 'failure';
      readonly error: OriginFailure | OriginError;
      readonly retry: Retry;
    };

/** Whether to retry at the same address too, or at others only. */
export type Retry = 'again' | 'elsewhere';

export interface Asked {
  readonly method: string;
  readonly params: unknown;
  /** The parameters as JSON text. */
  readonly text: string;
}

/** Limit of one answer; larger than any class or block. */
const LARGEST_ANSWER = 128 << 20;
/** Failures that would take as long, or as much memory, again at the same address. */
const LASTING: ReadonlySet<OriginFailure['kind']> = new Set(['timeout', 'too-large']);
const OF_CONNECTIONS: ReadonlySet<OriginFailure['kind']> = new Set([
  'unreachable',
  'timeout',
  'http',
]);
/** Limit of a whole answer, as a multiple of the limit without data. */
const WHOLE_ANSWER = 6;

export class Endpoint {
  readonly shown: string;
  readonly #poster: Poster;
  readonly #proxy: HttpProxy | undefined;
  readonly #budget: MemoryBudget;
  #takesBatches = true;
  #resting: NodeJS.Timeout | undefined;

  /**
   * @param headers of every request, as `Name: value`; they are secrets and sent nowhere else
   * @param budget of the answers that are under way
   */
  constructor(
    url: string,
    headers: readonly string[],
    budget: MemoryBudget,
    proxies: Proxies | undefined,
  ) {
    this.#budget = budget;
    const target = new URL(url);
    const { username, password } = target;
    target.username = '';
    target.password = '';
    this.shown = shownUrl(url);
    const basic = Buffer.from(
      `${decodeURIComponent(username)}:${decodeURIComponent(password)}`,
    ).toString('base64');
    const all = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(username || password ? { authorization: `Basic ${basic}` } : {}),
      ...Object.fromEntries(headers.map(readHeader)),
    };
    // A redirect would take the headers to another site.
    this.#poster = new Poster(target, all, headers.length === 0, proxies);
    this.#proxy = proxies?.of(target);
  }

  get takesBatches(): boolean {
    return this.#takesBatches;
  }

  /** True during the `Retry-After` of the origin. */
  get isResting(): boolean {
    return this.#resting !== undefined;
  }

  rest(milliseconds: number, whenOver: () => void): void {
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => {
      this.#resting = undefined;
      whenOver();
    }, milliseconds);
  }

  close(): void {
    clearTimeout(this.#resting);
    this.#resting = undefined;
    this.#poster.close();
  }

  /**
   * Sends questions in one request. `undefined` if the origin rejects batches: no question was
   * answered.
   *
   * @param queueTimeout milliseconds without data before a timeout
   */
  async ask(
    questions: readonly Asked[],
    queueTimeout: number,
    signal: AbortSignal,
  ): Promise<
    { readonly outcomes: readonly AskOutcome[]; readonly retryAfter?: number } | undefined
  > {
    const isBatch = questions.length > 1;
    const bodies = questions.map(
      ({ method, text }, id) =>
        `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${text}}`,
    );
    const all = (error: OriginFailure, retry: Retry, retryAfter?: number) => ({
      outcomes: questions.map((): AskOutcome => ({ kind: 'failure', error, retry })),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
    const share = this.#budget.open();
    try {
      const body = isBatch ? `[${bodies.join(',')}]` : (bodies[0] ?? '');
      const { status, headers, text } = await this.#post(body, queueTimeout, signal, share);
      if (status === 429) {
        const error = this.failure('rate-limited', 'it returned 429, too many requests');
        return all(error, 'again', retryAfterOf(headers));
      }
      const value = parseIfJson(text);
      if (isBatch && refusesBatch(status, value)) {
        this.#takesBatches = false;
        return undefined;
      }
      // Some origins send errors about the chain with a status other than 200.
      if (status !== 200 && !(status < 500 && isReply(value))) {
        const error = this.failure('http', `it returned status ${status}`);
        const mayPass = status >= 500 || status === 408 || status === 425;
        return all(error, mayPass ? 'again' : 'elsewhere', retryAfterOf(headers));
      }
      if (value === undefined) {
        return all(this.failure('malformed', 'its response is not JSON'), 'again');
      }
      const outcomes = this.#outcomes(questions, value, isBatch);
      return { outcomes: await this.#withCheckedClasses(questions, outcomes) };
    } catch (error) {
      if (!(error instanceof OriginFailure)) throw error;
      return all(error, LASTING.has(error.kind) ? 'elsewhere' : 'again');
    } finally {
      share.close();
    }
  }

  failure(kind: OriginFailure['kind'], reason: string): OriginFailure {
    const { variable, url } = this.#proxy ?? {};
    // The proxy may be the reason.
    const route =
      url && OF_CONNECTIONS.has(kind)
        ? `, through the proxy ${url.origin} of ${variable}; NO_PROXY lists exceptions`
        : '';
    return new OriginFailure(kind, this.shown, reason + route);
  }

  #outcomes(questions: readonly Asked[], value: unknown, isBatch: boolean): readonly AskOutcome[] {
    if (!isBatch) return questions.map((question) => this.#single(question, value));
    const replies = new Map<unknown, unknown>();
    for (const reply of Array.isArray(value) ? value : []) {
      if (isObject(reply) && 'id' in reply) replies.set(String(reply['id']), reply);
    }
    // An error of the whole batch has no id, and is no answer to any of its questions.
    const refusal = isError(value) ? this.#refusal(value.error) : undefined;
    return questions.map(
      (question, id) => refusal ?? this.#outcome(question, replies.get(String(id))),
    );
  }

  #single(question: Asked, value: unknown): AskOutcome {
    const reply: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
    const id = isObject(reply) && 'id' in reply ? reply['id'] : null;
    if (id === null || String(id) === '0') return this.#outcome(question, reply);
    return this.#wrong(question, 'the id of another question');
  }

  #outcome(question: Asked, reply: unknown): AskOutcome {
    if (isError(reply)) {
      const error = new OriginError(reply.error, this.shown);
      if (error.isAboutTheChain) return { kind: 'error', error };
      if (isRateLimit(reply.error)) return this.#refusal(reply.error);
      return { kind: 'failure', error, retry: error.mayPass ? 'again' : 'elsewhere' };
    }
    if (!isObject(reply) || !('result' in reply)) {
      return this.#wrong(question, 'neither result nor error');
    }
    const { method, params } = question;
    const { result } = reply;
    const fault = shapeError(method, result) ?? subjectError(method, params, result);
    return fault === undefined ? { kind: 'result', result } : this.#wrong(question, fault);
  }

  /** Replaces classes that do not have the hash that was asked for. */
  #withCheckedClasses(
    questions: readonly Asked[],
    outcomes: readonly AskOutcome[],
  ): Promise<readonly AskOutcome[]> {
    return Promise.all(
      outcomes.map(async (outcome, index) => {
        const question = questions[index];
        if (question?.method !== 'starknet_getClass' || outcome.kind !== 'result') return outcome;
        const { class_hash: hash } = membersOf(question.params);
        if (!isFelt(hash) || (await hasClassHash(stringify(outcome.result), hash))) return outcome;
        return this.#wrong(question, `a class that does not have the hash ${hash}`);
      }),
    );
  }

  #wrong({ method }: Asked, fault: string): AskOutcome {
    const error = this.failure('malformed', `it returned ${fault} for ${method}`);
    return { kind: 'failure', error, retry: 'again' };
  }

  #refusal(error: WireError): AskOutcome {
    const limited = isRateLimit(error);
    const reason = `it ${limited ? 'limits requests' : 'returned an error'}: ${error.code}: ${error.message}`;
    return {
      kind: 'failure',
      error: this.failure(limited ? 'rate-limited' : 'rpc', reason),
      retry: 'again',
    };
  }

  /** Counts the bytes of an answer; throws if they are too many. */
  #count(length: number, share: Share): void {
    const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20);
    if (length > LARGEST_ANSWER) {
      const reason = `its response is larger than ${mebibytes(LARGEST_ANSWER)} MiB`;
      throw this.failure('too-large', reason);
    }
    if (share.take(length - share.held)) return;
    const limit = mebibytes(this.#budget.limit);
    const reason = `pending responses take more than ${limit} MiB together; request less at once`;
    throw this.failure('overloaded', reason);
  }

  async #post(
    body: string,
    queueTimeout: number,
    closing: AbortSignal,
    share: Share,
  ): Promise<Posted> {
    const ending = new AbortController();
    const { signal } = ending;
    let lateness: string | undefined;
    const endBecause = (reason: string) => (): void => {
      lateness = reason;
      ending.abort();
    };
    const close = (): void => ending.abort();
    const seconds = queueTimeout / 1000;
    const timer = setTimeout(endBecause(`no response within ${seconds} s`), queueTimeout);
    const most = WHOLE_ANSWER * queueTimeout;
    const whole = setTimeout(endBecause(`its response took over ${most / 1000} s`), most);
    closing.addEventListener('abort', close);
    let hasBegun = false;
    const onData = (length: number): void => {
      hasBegun = true;
      if (length > 0) timer.refresh();
      this.#count(length, share);
    };
    try {
      closing.throwIfAborted();
      return await this.#poster.post({ body, signal, onData });
    } catch (error) {
      if (error instanceof OriginFailure) throw error;
      if (closing.aborted) {
        const reason = 'the connection was closed by this node';
        throw new OriginFailure('unreachable', this.shown, reason);
      }
      if (lateness !== undefined) throw this.failure('timeout', lateness);
      throw hasBegun
        ? this.failure('malformed', `its response ended early (${innermostReason(error)})`)
        : this.failure('unreachable', unreachable(innermostReason(error)));
    } finally {
      closing.removeEventListener('abort', close);
      clearTimeout(timer);
      clearTimeout(whole);
    }
  }
}

/** Tools match the system's words for a closed port. */
function unreachable(reason: string): string {
  return reason === 'ECONNREFUSED' ? `Connection refused (${reason})` : `no connection (${reason})`;
}

/** Origins without batches answer one with a single error or a status. */
function refusesBatch(status: number, value: unknown): boolean {
  if (isError(value)) return !isRateLimit(value.error) && !new OriginError(value.error, '').mayPass;
  return [400, 404, 405, 413, 415, 422, 501].includes(status);
}

/** Milliseconds; a date is relative to the origin's own clock. */
function retryAfterOf(headers: Posted['headers']): number | undefined {
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  const milliseconds = /^\s*\d+(\.\d+)?\s*$/.test(value)
    ? Number(value) * 1000
    : Date.parse(value) - Date.parse(headers.date ?? '');
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined;
}

/** Codes of providers for limits of any kind; only the message identifies rate limits. */
const LIMITS: ReadonlySet<number> = new Set([-32005, -32029]);

function isRateLimit({ code, message }: WireError): boolean {
  if (code === 429 || /rate.?limit|too many requests|throttl/i.test(message)) return true;
  return LIMITS.has(code) && /limit|exceeded|capacity|quota/i.test(message);
}

function isError(value: unknown): value is { readonly error: WireError } {
  const { code, message } = membersOf(memberOf(value, 'error'));
  return typeof code === 'number' && typeof message === 'string';
}

function isReply(value: unknown): boolean {
  return isError(value) || Array.isArray(value) || (isObject(value) && 'result' in value);
}

function readHeader(line: string): readonly [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
