// Log of the last calls and their answers, without secrets.
import { methodFacts, type REQUEST_ROW } from '@starkbox/spec';
import type { RpcError } from '../../errors.js';
import { parseIfJson, stringify } from '../../json/json.js';
import { stopwatch } from '../../probe.js';
import {
  type Caller,
  describeRefusal,
  type ObservedCall,
  type ObservedRequest,
  type RequestObserver,
} from '../protocol/call-observer.js';
import type { Subscriptions } from '../subscriptions/subscriptions.js';
import { Redaction } from './redaction.js';

/** Limits of clients' calls, and of what pages of the explorer read by themselves. */
const CLIENTS_LIMIT: RingLimit = { calls: 2000, bytes: 14 * 1024 * 1024 };
const EXPLORER_LIMIT: RingLimit = { calls: 200, bytes: 2 * 1024 * 1024 };
/** Of a call or an answer, in characters. */
const MAX_LENGTH = 64 * 1024;
/** What a row takes beside the texts, about. */
const ROW_BYTES = 600;
const PARAMS_PREVIEW = 200;
const RESULT_PREVIEW = 100;
const MAX_MESSAGE_LENGTH = 300;
const MAX_NAME_LENGTH = 200;
/** Longer calls are not read again for the sake of a preview. */
const SHORT = 4000;
/** Clients over HTTP that get an id of their own. */
const MAX_CLIENTS = 500;

/** The tag of what pages of the explorer ask by themselves. */
const EXPLORER = 'ui';

export interface RequestLogOptions {
  readonly subscriptions: Subscriptions;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** What must never be kept. */
  readonly secrets: () => { readonly keys: Iterable<string>; readonly words: readonly string[] };
}

export interface RecordedCall {
  readonly row: REQUEST_ROW;
  readonly request: RecordedBody | undefined;
  readonly response: RecordedBody | undefined;
}

/** As bytes: a part of a long text would keep the whole of it alive. */
export interface RecordedBody {
  readonly head: Buffer;
  /** Of the whole. */
  readonly bytes: number;
  readonly isWhole: boolean;
}

interface RingLimit {
  readonly calls: number;
  readonly bytes: number;
}

/** The newest calls, by their ids. */
class CallRing {
  readonly #limit: RingLimit;
  readonly #calls = new Map<number, RecordedCall>();
  #bytes = 0;

  constructor(limit: RingLimit) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#calls.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Oldest first. */
  get calls(): readonly RecordedCall[] {
    return [...this.#calls.values()];
  }

  get(id: number): RecordedCall | undefined {
    return this.#calls.get(id);
  }

  add(call: RecordedCall): void {
    this.#calls.set(call.row.id, call);
    this.#bytes += sizeOf(call);
    for (const [id, oldest] of this.#calls) {
      if (this.size <= this.#limit.calls && this.#bytes <= this.#limit.bytes) break;
      this.#calls.delete(id);
      this.#bytes -= sizeOf(oldest);
    }
  }

  clear(): void {
    this.#calls.clear();
    this.#bytes = 0;
  }
}

/** The last calls, while recording is on. Reads of the explorer never displace calls of clients. */
export class RequestLog implements RequestObserver {
  readonly #options: RequestLogOptions;
  readonly #ofClients = new CallRing(CLIENTS_LIMIT);
  readonly #ofExplorer = new CallRing(EXPLORER_LIMIT);
  readonly #sockets = new WeakMap<object, number>();
  readonly #clients = new Map<string, number>();
  readonly #counts = { http: 0, ws: 0, 'in-process': 0, calls: 0, batches: 0 };
  #redaction: Redaction | undefined;
  #isOn = false;
  #keepsBodies = true;

  constructor(options: RequestLogOptions) {
    this.#options = options;
  }

  get state(): { readonly recording: boolean; readonly bodies: boolean } {
    return { recording: this.#isOn, bodies: this.#keepsBodies };
  }

  get kept(): { readonly kept: number; readonly kept_bytes: number } {
    return {
      kept: this.#ofClients.size + this.#ofExplorer.size,
      kept_bytes: this.#ofClients.bytes + this.#ofExplorer.bytes,
    };
  }

  set(isOn: boolean, keepsBodies: boolean): void {
    this.#isOn = isOn;
    this.#keepsBodies = keepsBodies;
    if (!isOn) return;
    const { keys, words } = this.#options.secrets();
    this.#redaction = new Redaction(keys, words);
  }

  clear(): void {
    this.#ofClients.clear();
    this.#ofExplorer.clear();
  }

  recordArrival(caller: Caller, text?: string): ObservedRequest | undefined {
    const redaction = this.#redaction;
    if (!this.#isOn || !redaction) return undefined;
    const seconds = stopwatch();
    const client = this.#clientOf(caller);
    let batch: number | undefined;
    const begin = (inBatch: boolean): ObservedCall => {
      if (inBatch && batch === undefined) {
        this.#counts.batches += 1;
        batch = this.#counts.batches;
      }
      const begun = seconds();
      let handled: number | undefined;
      let failure: RpcError | undefined;
      return {
        handled: () => {
          handled = seconds();
        },
        failed: (error) => {
          failure = error;
        },
        ended: (method, call, answer) => {
          if (methodFacts(method)?.unlogged) return;
          const ended = seconds();
          const answered = handled ?? ended;
          this.#keep({
            redaction,
            caller,
            client,
            method,
            call,
            raw: inBatch ? undefined : text,
            answer,
            failure,
            batch,
            times: {
              duration_ms: milliseconds(ended),
              queue_ms: milliseconds(begun),
              execute_ms: milliseconds(answered - begun),
              encode_ms: milliseconds(ended - answered),
            },
          });
        },
      };
    };
    return { begin };
  }

  /** A request was refused before dispatch. */
  recordRefusal(caller: Caller, what: string, error: RpcError): void {
    describeRefusal(error, this.recordArrival(caller), what);
  }

  #keep(observed: LoggedExchange): void {
    const { method, caller, client, failure, times, answer = '' } = observed;
    const bytes = Buffer.byteLength(observed.raw ?? stringify(observed.call) ?? '');
    const texts = this.#keepsBodies ? textsOf(observed, bytes) : undefined;
    this.#counts.calls += 1;
    const { agent, origin, tag, version, transport } = caller;
    const row: REQUEST_ROW = {
      id: this.#counts.calls,
      time: Math.round(this.#options.now() - times.duration_ms),
      method,
      ...times,
      outcome: failure ? 'error' : 'ok',
      ...(failure
        ? { code: failure.code, message: observed.redaction.text(messageOf(failure)).text }
        : {}),
      transport,
      client,
      ...(agent === undefined ? {} : { agent: agent.slice(0, MAX_NAME_LENGTH) }),
      ...(origin === undefined ? {} : { origin: origin.slice(0, MAX_NAME_LENGTH) }),
      ...(tag === undefined ? {} : { tag }),
      ...(version === undefined ? {} : { version }),
      ...(observed.batch === undefined ? {} : { batch: observed.batch }),
      bytes,
      response_bytes: Buffer.byteLength(answer),
      ...texts?.previews,
    };
    const ring = isReadOfExplorer(row) ? this.#ofExplorer : this.#ofClients;
    ring.add({ row, request: texts?.request, response: texts?.response });
    const { subscriptions } = this.#options;
    if (!subscriptions.has('requests')) return;
    subscriptions.later(() =>
      subscriptions.notify({ topic: 'requests', text: () => stringify(row) }),
    );
  }

  #clientOf({ transport, listener, origin, agent }: Caller): number {
    const connection = listener ? this.#sockets.get(listener) : undefined;
    if (connection !== undefined) return connection;
    const name = listener ? undefined : stringify([transport, origin, agent]);
    const met = name === undefined ? undefined : this.#clients.get(name);
    if (met !== undefined) return met;
    this.#counts[transport] += 1;
    const number = this.#counts[transport];
    if (listener) this.#sockets.set(listener, number);
    if (name === undefined) return number;
    if (this.#clients.size >= MAX_CLIENTS) this.#clients.clear();
    this.#clients.set(name, number);
    return number;
  }

  /** Newest first. */
  list({ after, before, limit, withExplorer }: ListedRange): readonly REQUEST_ROW[] {
    const isWanted = ({ row }: RecordedCall): boolean =>
      row.id > after && row.id < before && (withExplorer || row.tag !== EXPLORER);
    return this.#all()
      .filter(isWanted)
      .slice(-limit)
      .toReversed()
      .map(({ row }) => row);
  }

  get(id: number): RecordedCall | undefined {
    return this.#ofClients.get(id) ?? this.#ofExplorer.get(id);
  }

  /** In the order of their ids. */
  #all(): readonly RecordedCall[] {
    return [...this.#ofClients.calls, ...this.#ofExplorer.calls].sort(
      (call, other) => call.row.id - other.row.id,
    );
  }
}

interface ListedRange {
  /** Ids, both excluded. */
  readonly after: number;
  readonly before: number;
  readonly limit: number;
  readonly withExplorer: boolean;
}

/** Changes of the chain stand among the calls of clients, whichever program makes them. */
function isReadOfExplorer({ tag, method }: REQUEST_ROW): boolean {
  return tag === EXPLORER && methodFacts(method)?.writes !== true;
}

interface LoggedExchange {
  readonly redaction: Redaction;
  readonly caller: Caller;
  readonly client: number;
  readonly method: string;
  readonly call: unknown;
  /** The call as it came, where it came alone. */
  readonly raw: string | undefined;
  readonly answer: string | undefined;
  readonly failure: RpcError | undefined;
  readonly batch: number | undefined;
  readonly times: {
    readonly duration_ms: number;
    readonly queue_ms: number;
    readonly execute_ms: number;
    readonly encode_ms: number;
  };
}

interface Texts {
  readonly request: RecordedBody;
  readonly response: RecordedBody | undefined;
  readonly previews: Pick<REQUEST_ROW, 'params_preview' | 'result_preview'>;
}

function textsOf({ redaction, method, call, raw, answer }: LoggedExchange, bytes: number): Texts {
  // A long call is not written again only to be cut, unless escapes in it may hide a name, or its params may be secret.
  const facts = methodFacts(method);
  const isTakenAsItCame =
    raw !== undefined &&
    raw.length > MAX_LENGTH &&
    !raw.includes('\\u') &&
    facts !== undefined &&
    facts.redacted === undefined;
  const { text, isWhole, secrets } = isTakenAsItCame
    ? redaction.text(raw, { longest: MAX_LENGTH })
    : redaction.call(method, call, MAX_LENGTH);
  const request = { head: Buffer.from(text), bytes, isWhole };
  if (answer === undefined) return { request, response: undefined, previews: before(text) };
  const safe = redaction.answer(method, answer, { secrets, longest: MAX_LENGTH });
  const at = safe.text.indexOf('"result":');
  const result = safe.text.slice(at + 9, safe.isWhole ? -1 : undefined);
  return {
    request,
    response: {
      head: Buffer.from(safe.text),
      bytes: Buffer.byteLength(answer),
      isWhole: safe.isWhole,
    },
    previews: {
      ...before(text),
      ...(at < 0 ? {} : { result_preview: result.slice(0, RESULT_PREVIEW) }),
    },
  };
}

function before(text: string): Pick<REQUEST_ROW, 'params_preview'> {
  const params = text.length <= SHORT ? paramsIn(text) : text.slice(text.indexOf('"params":') + 9);
  return params === undefined ? {} : { params_preview: params.slice(0, PARAMS_PREVIEW) };
}

function paramsIn(text: string): string | undefined {
  const call = parseIfJson(text);
  if (typeof call !== 'object' || call === null || !('params' in call)) return undefined;
  return stringify(call.params);
}

function sizeOf({ request, response }: RecordedCall): number {
  return ROW_BYTES + (request?.head.length ?? 0) + (response?.head.length ?? 0);
}

/** With the reason that some errors have as data. */
function messageOf({ message, data }: RpcError): string {
  const reason =
    typeof data === 'object' && data !== null && 'reason' in data ? data.reason : undefined;
  return `${message}${typeof reason === 'string' ? `: ${reason}` : ''}`.slice(
    0,
    MAX_MESSAGE_LENGTH,
  );
}

function milliseconds(seconds: number): number {
  return Math.round(Math.max(0, seconds) * 1e6) / 1e3;
}
