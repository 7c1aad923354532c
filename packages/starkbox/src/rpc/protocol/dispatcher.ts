// Dispatcher of JSON-RPC 2.0 calls: single calls, batches and notifications.
import { isObject } from '@starkbox/abi/basics';
import { ERRORS } from '@starkbox/spec';
import { answerTooLarge, RpcError, reasonOf } from '../../errors.js';
import { parse, stringify } from '../../json/json.js';
import type { Log } from '../../log.js';
import { type CallReport, during, type Probe, type Stage, stopwatch } from '../../probe.js';
import { milliseconds } from '../../scheduling/slices.js';
import { answerBatch, type Delivery } from './batch.js';
import {
  type HandlerLookup,
  type HandlerTable,
  type Session,
  sessionWith,
} from './call-context.js';
import {
  describeRefusal,
  failed,
  type ObservedCall,
  type ObservedRequest,
  type RequestObserver,
} from './call-observer.js';
import { readDocuments } from './documents.js';
import { type Call, idIn, invalid, isParams, openCall, resultAnswer } from './envelope.js';
import {
  type AroundList,
  type ListOptions,
  type LongList,
  type LongListReader,
  readAroundList,
  withList,
} from './long-list.js';
import { type Method, MethodIndex, MethodTable } from './method-table.js';
import { type ParamsReader, Schema } from './schema.js';

/** Calls; more is a program that fails to divide its work. */
const MAX_BATCH = 1000;

export interface DispatcherOptions {
  /** All handlers, or what finds them, with the index of their methods. */
  readonly handlers: HandlerTable | HandlerSource;
  /** Forbidden methods, by any of their names; an index has its own. */
  readonly restricted?: readonly string[] | undefined;
  readonly log: Log;
  /** Where WebSocket connections are served, once they are. */
  readonly socketUrl?: () => string | undefined;
  /** The documents of this package by default. */
  readonly schema?: Pick<Schema, 'reader'>;
  /** Runs after every call to a method. */
  readonly onCall?: ((report: CallReport) => void) | undefined;
  /** Observes calls with their answers. */
  readonly observer?: RequestObserver | undefined;
  readonly probe?: Probe | undefined;
  /** Reads a list of long requests on another thread. */
  readonly listReader?: LongListReader | undefined;
  /** How long an answer may be, in bytes. */
  readonly maxAnswer?: number;
  /** Runs after a synchronous step that took long. */
  readonly onStall?: ((stage: Stage, method: string, milliseconds: number) => void) | undefined;
}

/** Handlers that are created when they are first needed. */
export interface HandlerSource {
  readonly index: MethodIndex;
  readonly handlerOf: HandlerLookup;
}

function sourceOf({ handlers, restricted }: DispatcherOptions): HandlerSource {
  if (isSource(handlers)) return handlers;
  const index = new MethodIndex(Object.keys(handlers), restricted);
  return { index, handlerOf: (name) => handlers[name] };
}

function isSource(handlers: HandlerTable | HandlerSource): handlers is HandlerSource {
  return handlers['index'] instanceof MethodIndex;
}

/** A longer step is reported as a stall. */
const STALL_MILLISECONDS = 200;
/** Of longer texts, another thread reads a long list. */
const LONG_TEXT = 64 * 1024;

/**
 * Gives calls of every transport to the handlers. A call passes three steps: `#answer` reads its envelope
 * and writes its answer, `#run` measures it, `#perform` checks, validates and handles it.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #methods: MethodTable;
  readonly #schema: Pick<Schema, 'reader'>;
  readonly #maxAnswer: number;
  readonly #listOptions: ListOptions | undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { index, handlerOf } = sourceOf(options);
    this.#methods = new MethodTable(index, handlerOf, options.socketUrl);
    this.#schema = options.schema ?? new Schema(readDocuments);
    this.#maxAnswer = options.maxAnswer ?? Number.POSITIVE_INFINITY;
    const { listReader: reader } = options;
    this.#listOptions = reader && {
      reader,
      nameOf: (method) => this.#methods.nameOf(method),
    };
  }

  /**
   * Answers a JSON-RPC text with another one; undefined if nothing is to be answered.
   *
   * @param delivery may take the first pieces of the answer to a batch; then what is returned is the last one
   */
  async handle(text: string, session: Session, delivery?: Delivery): Promise<string | undefined> {
    const request = this.#options.observer?.recordArrival(session, text);
    let around: Pick<AroundList, 'body'> & Partial<AroundList>;
    try {
      // What is recorded must be complete.
      const list = request || text.length <= LONG_TEXT ? undefined : this.#listOptions;
      around = (list && (await readAroundList(text, list))) ?? {
        body: parse(text),
      };
    } catch (error) {
      const data = { reason: reasonOf(error) };
      return describeRefusal(
        new RpcError(ERRORS.PARSE_ERROR.code, 'Parse error', data),
        request,
        text,
      );
    }
    const { body, list } = around;
    if (Array.isArray(body)) return this.#batch(body, session, request, delivery);
    return this.#answer(body, session, request?.begin(false), list);
  }

  /**
   * Calls a method in this process, with the same rules and the same values as over a wire.
   *
   * @throws RpcError
   */
  async call(
    method: string,
    params: unknown,
    session: Session,
    envelope: Pick<Call, 'jsonrpc' | 'id'> = { jsonrpc: '2.0', id: 0 },
  ): Promise<unknown> {
    const written = params === undefined ? undefined : stringify(params);
    const parsedParams = written === undefined ? undefined : parse(written);
    if (!isParams(parsedParams))
      throw new RpcError(ERRORS.INVALID_PARAMS.code, 'params: expected an object or a list');
    const call = { ...envelope, method, params: parsedParams };
    const observed = this.#options.observer?.recordArrival(session)?.begin(false);
    try {
      const result = await this.#run(call, session);
      observed?.handled();
      const text = stringify(result);
      observed?.ended(this.#methods.nameOf(method), call, resultAnswer(text, 0));
      return parse(text);
    } catch (error) {
      const failure = this.#toRpcError(error, method);
      const { code, message, data } = failure;
      const answer = observed && failed(observed, failure, 0);
      observed?.ended(this.#methods.nameOf(method), call, answer);
      throw new RpcError(code, message, data === undefined ? data : parse(stringify(data)));
    }
  }

  async #batch(
    calls: readonly unknown[],
    session: Session,
    request: ObservedRequest | undefined,
    delivery: Delivery | undefined,
  ): Promise<string | undefined> {
    if (calls.length > MAX_BATCH) {
      const message = `A batch may have ${MAX_BATCH} calls, this one has ${calls.length}: send it in parts`;
      return describeRefusal(
        new RpcError(ERRORS.INVALID_REQUEST.code, message),
        request,
        `${calls.length} calls`,
      );
    }
    // As the reference does: where nothing looks like a call, there is nothing to answer one by one.
    if (!calls.some(isObject)) {
      return describeRefusal(invalid('a batch is a list of calls'), request, calls);
    }
    const alone = sessionWith(session, { listener: undefined });
    return answerBatch({
      calls,
      limit: this.#maxAnswer,
      delivery,
      signal: session.signal,
      make: (call) => this.#answer(call, alone, request?.begin(true)),
      skip: (call, reason) => this.#skip(call, reason, request?.begin(true)),
    });
  }

  /** The answer to a call of a batch that is not made any more. */
  #skip(call: unknown, reason: RpcError, observed: ObservedCall | undefined): string | undefined {
    const isNotification = isObject(call) && call['id'] === undefined;
    const answer = isNotification ? undefined : failed(observed, reason, idIn(call));
    observed?.ended(
      this.#methods.nameOf(isObject(call) ? call['method'] : undefined),
      call,
      answer,
    );
    return answer;
  }

  /**
   * Reads the envelope of a call, runs it and writes the answer; undefined for a notification. A promise only if the
   * call waits for something.
   */
  #answer(
    request: unknown,
    session: Session,
    observed: ObservedCall | undefined,
    list?: LongList,
  ): string | undefined | Promise<string | undefined> {
    const { call, id, error: wrong } = openCall(request);
    const end = (answer: string | undefined): string | undefined => {
      const method = isObject(request) ? request['method'] : undefined;
      observed?.ended(this.#methods.nameOf(method), request, answer);
      return answer;
    };
    if (!call) return end(failed(observed, wrong, id));
    const refuse = (error: unknown): string | undefined => {
      const failure = failed(observed, this.#toRpcError(error, call.method), id);
      return end(id === undefined ? undefined : failure);
    };
    const succeed = (value: unknown): string | undefined => {
      observed?.handled();
      let result: string;
      try {
        result = this.#write(call.method, value);
      } catch (error) {
        return refuse(error);
      }
      return end(id === undefined ? undefined : resultAnswer(result, id));
    };
    let value: unknown;
    try {
      value = this.#run(list ? { ...call, list } : call, session);
    } catch (error) {
      return refuse(error);
    }
    return value instanceof Promise ? value.then(succeed, refuse) : succeed(value);
  }

  /** Runs a call of any transport; the only place that measures it. The result, or a promise of it. */
  #run(call: Call, session: Session): unknown {
    const { onCall, probe } = this.#options;
    if (!onCall && !probe) return this.#perform(call, session);
    const method = this.#methods.nameOf(call.method);
    const run = () =>
      during(probe, { kind: 'request', method }, async () => this.#perform(call, session));
    if (!onCall) return run();
    const { id } = call;
    const { transport } = session;
    return withTime(run, (seconds, errorCode) =>
      onCall({ method, id, transport, seconds, errorCode }),
    );
  }

  /**
   * Checks whether the call may be made, validates its params and gives it to its handler. The result, or a promise
   * of it: most reads wait for nothing.
   */
  #perform(call: Call, session: Session): unknown {
    const method = this.#methods.admit(call.method, session);
    const reader = this.#schema.reader(method.entry.documented);
    if (reader instanceof Promise) {
      return reader.then((read) => this.#validate(read, method, call, session));
    }
    return this.#validate(reader, method, call, session);
  }

  #validate(read: ParamsReader, method: Method, call: Call, session: Session): unknown {
    const begin = milliseconds();
    const params = read(call.params);
    const end = this.#endStage('validate', call.method, begin);
    return this.#handle(method, params, call, session, end);
  }

  #handle(
    { entry, handler }: Method,
    params: Record<string, unknown>,
    call: Call,
    session: Session,
    begin: number,
  ): unknown {
    const { name, prefix, isJournalled } = entry;
    const cause = isJournalled ? this.#causeOf(call, name) : undefined;
    const { listener } = session;
    const result = handler(params, { prefix, session, listener, cause, list: call.list });
    this.#endStage('handle', name, begin);
    return result;
  }

  /** The call as a journal holds it. */
  #causeOf({ list, ...call }: Call, method: string): Call {
    const { listReader } = this.#options;
    if (!list || !listReader) return { ...call, method };
    return { ...call, method, params: withList(call.params, listReader.path, list) };
  }

  #write(method: string, value: unknown): string {
    const begin = milliseconds();
    let text: string | undefined;
    try {
      text = stringify(value);
    } catch (error) {
      // Strings have a limit of their own.
      if (!(error instanceof RangeError) || !/string length/.test(error.message)) throw error;
    }
    this.#endStage('write', method, begin);
    if (text === undefined || text.length > this.#maxAnswer) throw answerTooLarge(this.#maxAnswer);
    return text;
  }

  /** Reports a step that took long; the time of its end. */
  #endStage(stage: Stage, method: string, begin: number): number {
    const end = milliseconds();
    const took = end - begin;
    if (took > STALL_MILLISECONDS) {
      this.#options.onStall?.(stage, this.#methods.nameOf(method), took);
    }
    return end;
  }

  /** The cause of an unexpected failure goes to the log, not over the wire. */
  #toRpcError(error: unknown, method: string): RpcError {
    if (error instanceof RpcError) return error;
    const err = error instanceof Error ? error : new Error(String(error));
    this.#options.log.error({ err, method }, 'A call failed unexpectedly');
    return new RpcError(
      ERRORS.INTERNAL_ERROR.code,
      'Internal error; see the log of the node for the cause',
    );
  }
}

/** Runs a call and reports its seconds and the code of its error. */
async function withTime<T>(
  run: () => Promise<T>,
  report: (seconds: number, errorCode: number | undefined) => void,
): Promise<T> {
  const seconds = stopwatch();
  let errorCode: number | undefined;
  try {
    return await run();
  } catch (error) {
    errorCode = error instanceof RpcError ? error.code : ERRORS.INTERNAL_ERROR.code;
    throw error;
  } finally {
    report(seconds(), errorCode);
  }
}
