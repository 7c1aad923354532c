// Knows JSON-RPC 2.0: envelopes, batches and notifications, names and aliases, and how calls are answered.
import { RpcError } from '../../errors.js';
import { MAX_DEPTH, parse, stringify } from '../../json/json.js';
import type { JsonLimits } from '../../json/parse-in-slices.js';
import type { Log } from '../../log.js';
import { namesOf, type Prefix } from '../../method-names.js';
import { type CallReport, during, type Probe, type Stage, stopwatch } from '../../probe.js';
import { breathe, milliseconds } from '../../scheduling/turns.js';
import { methodFacts } from '../../spec.js';
import { answerBatch, answerTooLarge, type Delivery } from './batch.js';
import {
  type Caller,
  failed,
  refused,
  type Sighting,
  type Turn,
  type Witness,
} from './call-observer.js';
import {
  errorAnswer,
  idIn,
  invalid,
  isId,
  isObject,
  isParams,
  openEnvelope,
  type Params,
  resultAnswer,
} from './envelope.js';
import { didYouMean, nearestMethod } from './method-suggestions.js';
import { isLong, readLong, readShort } from './read-request.js';
import { readDocuments, Schema } from './schema.js';

/** Who calls, as far as an answer may depend on it. */
export interface Session extends Caller {
  /** It may not steer the chain: no `devnet_` methods. */
  readonly isForeign?: boolean;
  /** Who can be told of what happens later: a socket. */
  readonly listener?: Listener | undefined;
  /** Aborted when an answer can no longer be delivered: the client is gone, or was told of a timeout. */
  readonly signal?: AbortSignal | undefined;
}

/** The end of a connection to which more than answers can be sent. */
export interface Listener {
  readonly isOpen: boolean;
  send(text: string): void;
  /** Sends a text in two parts, the second of which many get: it is written once for all of them. */
  sendShared(own: Buffer, shared: Buffer): void;
  /** Runs once the answer to the call under way has been sent. */
  afterAnswer(action: () => void): void;
}

export interface CallContext {
  /** The prefix that the caller used; a method answers under both of its names. */
  readonly prefix: Prefix;
  readonly session: Session;
  /** Where to tell of what happens later; there is none over HTTP, nor in a batch. */
  readonly listener: Listener | undefined;
}

interface Signature {
  of(params: object, context: CallContext): unknown;
}

/**
 * A function that serves a method. As a method's type it accepts narrower parameters, which is
 * right here: the schema of the very method has been held against them.
 */
export type Handler = Signature['of'];

export interface DispatcherOptions {
  /** By canonical name. What has no handler does not exist. */
  readonly handlers: Readonly<Record<string, Handler | undefined>>;
  /** Forbidden methods, by any of their names. */
  readonly restricted: readonly string[] | undefined;
  readonly log: Log;
  /** Where WebSocket connections are served, once they are. */
  readonly socketUrl?: () => string | undefined;
  /** The most calls that a batch may have. */
  readonly maxBatch: number;
  /** The documents of this package by default. */
  readonly schema?: Schema;
  /** Runs a handler, and knows for which call. */
  readonly around?: <T>(call: Call, handle: () => T) => T;
  /** Hears of every call to a method. */
  readonly onCall?: ((report: CallReport) => void) | undefined;
  /** Sees calls with their answers. */
  readonly witness?: Witness | undefined;
  readonly probe?: Probe | undefined;
  /** How deep a text may be nested. */
  readonly maxDepth?: number;
  /** How many values a text may have, names of members included. */
  readonly maxValues?: number;
  /** How long an answer may be, in bytes. */
  readonly maxAnswer?: number;
  /** Hears how long a synchronous step took, if that was long. */
  readonly onStall?: ((stage: Stage, method: string, milliseconds: number) => void) | undefined;
}

/** A call as it came, its method by the canonical name. */
export interface Call {
  readonly jsonrpc: unknown;
  readonly method: string;
  readonly params: object | null | undefined;
  readonly id: unknown;
}

interface Method {
  readonly name: string;
  readonly prefix: CallContext['prefix'];
  readonly handler: Handler;
  readonly needsListener: boolean;
}

/** A step that takes longer is told of. */
const STALL_MILLISECONDS = 200;
/** After a step that took longer, others go first. */
const LONG_STEP_MILLISECONDS = 10;

/** Takes calls from every door and gives them to the handlers. */
export class Dispatcher {
  readonly #methods = new Map<string, Method>();
  readonly #restricted: ReadonlySet<string>;
  readonly #log: Log;
  readonly #maxBatch: number;
  readonly #schema: Schema;
  readonly #onCall: DispatcherOptions['onCall'];
  readonly #witness: Witness | undefined;
  readonly #probe: Probe | undefined;
  readonly #limits: JsonLimits;
  readonly #maxAnswer: number;
  readonly #onStall: DispatcherOptions['onStall'];
  readonly #around: NonNullable<DispatcherOptions['around']>;
  readonly #socketUrl: DispatcherOptions['socketUrl'];

  constructor(options: DispatcherOptions) {
    for (const [name, handler] of Object.entries(options.handlers)) {
      if (handler === undefined) continue;
      const needsListener = methodFacts(name)?.needsListener ?? false;
      for (const { name: alias, prefix } of namesOf(name)) {
        this.#methods.set(alias, { name, prefix, handler, needsListener });
      }
    }
    this.#restricted = new Set(options.restricted?.flatMap(namesOf).map(({ name }) => name));
    this.#log = options.log;
    this.#maxBatch = options.maxBatch;
    this.#schema = options.schema ?? new Schema(readDocuments);
    this.#onCall = options.onCall;
    this.#witness = options.witness;
    this.#probe = options.probe;
    this.#socketUrl = options.socketUrl;
    const { maxDepth = MAX_DEPTH, maxValues = Number.POSITIVE_INFINITY } = options;
    this.#limits = { depth: maxDepth, values: maxValues };
    this.#maxAnswer = options.maxAnswer ?? Number.POSITIVE_INFINITY;
    this.#onStall = options.onStall;
    this.#around = options.around ?? ((_call, handle) => handle());
  }

  /**
   * Answers a JSON-RPC text with another one; undefined if nothing is to be answered.
   *
   * @param delivery may take the first pieces of a long answer; then what is returned is the last one
   */
  async handle(text: string, session: Session, delivery?: Delivery): Promise<string | undefined> {
    const sighting = this.#witness?.came(session, text);
    let body: unknown;
    try {
      body = isLong(text)
        ? await readLong(text, this.#limits, delivery)
        : readShort(text, this.#limits);
    } catch (error) {
      return refused(this.#toRpcError(error, 'unknown'), sighting, text);
    }
    if (Array.isArray(body)) return this.#batch(body, session, sighting, delivery);
    const answer = await this.#single(body, session, sighting?.turn(false));
    if (!delivery || answer === undefined || delivery.share.take(answer.length)) return answer;
    return errorAnswer(delivery.share.refusal(), idIn(body));
  }

  /**
   * Calls a method without a wire between, but with the same rules and the same values.
   *
   * @throws RpcError
   */
  async call(
    method: string,
    params: unknown,
    session: Session,
    envelope: Pick<Call, 'jsonrpc' | 'id'> = { jsonrpc: '2.0', id: 0 },
  ): Promise<unknown> {
    const given = params === undefined ? undefined : parse(stringify(params));
    if (!isParams(given)) throw new RpcError(-32602, 'params: expected an object or a list');
    const turn = this.#witness?.came(session)?.turn(false);
    const end = (answer: string): void =>
      turn?.ended(this.#nameOf(method), { ...envelope, method, params: given }, answer);
    try {
      const result = await this.#run(method, given, session, envelope);
      turn?.ran();
      const text = stringify(result);
      if (turn) end(resultAnswer(text, 0));
      return parse(text);
    } catch (error) {
      const failure = this.#toRpcError(error, method);
      const { code, message, data } = failure;
      turn?.failed(failure);
      if (turn) end(errorAnswer(failure, 0));
      throw new RpcError(code, message, data === undefined ? data : parse(stringify(data)));
    }
  }

  async #batch(
    calls: readonly unknown[],
    session: Session,
    sighting: Sighting | undefined,
    delivery: Delivery | undefined,
  ): Promise<string | undefined> {
    if (calls.length > this.#maxBatch) {
      const message = `A batch may have ${this.#maxBatch} calls, this one has ${calls.length}; --maximum-batch-length sets the limit`;
      return refused(new RpcError(-32600, message), sighting, `${calls.length} calls`);
    }
    // As the reference does: where nothing looks like a call, there is nothing to answer one by one.
    if (!calls.some(isObject)) {
      return refused(invalid('a batch is a list of calls'), sighting, calls);
    }
    const alone = { ...session, listener: undefined };
    return answerBatch({
      calls,
      limit: this.#maxAnswer,
      delivery,
      signal: session.signal,
      make: (call) => this.#single(call, alone, sighting?.turn(true)),
      skip: (call, reason) => this.#skipped(call, reason, sighting?.turn(true)),
    });
  }

  /** The answer to a call of a batch that is not made any more. */
  #skipped(call: unknown, reason: RpcError, turn: Turn | undefined): string | undefined {
    const isNotification = isObject(call) && call['id'] === undefined;
    const answer = isNotification ? undefined : failed(turn, reason, idIn(call));
    turn?.ended(this.#nameOf(isObject(call) ? call['method'] : undefined), call, answer);
    return answer;
  }

  #single(call: unknown, session: Session, turn: Turn | undefined): Promise<string | undefined> {
    return turn ? this.#watched(call, session, turn) : this.#answer(call, session);
  }

  async #watched(call: unknown, session: Session, turn: Turn): Promise<string | undefined> {
    const answer = await this.#answer(call, session, turn);
    turn.ended(this.#nameOf(isObject(call) ? call['method'] : undefined), call, answer);
    return answer;
  }

  #nameOf(method: unknown): string {
    return (typeof method === 'string' && this.#methods.get(method)?.name) || 'unknown';
  }

  async #answer(call: unknown, session: Session, turn?: Turn): Promise<string | undefined> {
    if (!isObject(call)) return failed(turn, invalid('a call is an object'));
    const { id } = call;
    if (id !== undefined && !isId(id)) {
      return failed(turn, invalid('id must be a string, an integer or null'));
    }
    const envelope = openEnvelope(call);
    if (typeof envelope === 'string') return failed(turn, invalid(envelope), id);
    const { method, params } = envelope;
    try {
      const envelope = { jsonrpc: call['jsonrpc'], id };
      const value = await this.#run(method, params, session, envelope);
      turn?.ran();
      const result = this.#write(method, value);
      return id === undefined ? undefined : resultAnswer(result, id);
    } catch (error) {
      const answer = failed(turn, this.#toRpcError(error, method), id);
      return id === undefined ? undefined : answer;
    }
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
    this.#took('write', this.#nameOf(method), begin);
    if (text === undefined || text.length > this.#maxAnswer) throw answerTooLarge(this.#maxAnswer);
    return text;
  }

  /** Milliseconds since a step began. */
  #took(stage: Stage, method: string, begin: number): number {
    const took = milliseconds() - begin;
    if (took > STALL_MILLISECONDS) this.#onStall?.(stage, method, took);
    return took;
  }

  /** Everything that happens to a call, whichever way it came; the only place that measures it. */
  #run(
    name: string,
    params: Params,
    session: Session,
    envelope: Pick<Call, 'jsonrpc' | 'id'>,
  ): Promise<unknown> {
    const method = this.#methods.get(name)?.name ?? 'unknown';
    return during(this.#probe, { kind: 'request', method }, () =>
      this.#perform(name, params, session, envelope),
    );
  }

  async #perform(
    name: string,
    params: Params,
    session: Session,
    envelope: Pick<Call, 'jsonrpc' | 'id'>,
  ): Promise<unknown> {
    const method = this.#methods.get(name);
    const seconds = this.#onCall && stopwatch();
    let errorCode: number | undefined;
    try {
      if (this.#restricted.has(name)) throw new RpcError(-32604, 'Method forbidden');
      if (session.isForeign && method?.name.startsWith('devnet_')) {
        throw new RpcError(-32604, 'Method forbidden', { reason: FOREIGN });
      }
      if (method === undefined) throw notFound(noSuchMethod(name, this.#methods.keys()));
      if (method.needsListener && !session.listener) {
        throw notFound(this.#needsSocket(session));
      }
      const reader = this.#schema.reader(method.name);
      const read = typeof reader === 'function' ? reader : await reader;
      const { prefix, handler } = method;
      let begin = milliseconds();
      const given = read(params);
      if (this.#took('validate', method.name, begin) > LONG_STEP_MILLISECONDS) {
        await breathe();
        begin = milliseconds();
      }
      const result = this.#around({ ...envelope, method: method.name, params }, () =>
        handler(given, { prefix, session, listener: session.listener }),
      );
      this.#took('handle', method.name, begin);
      return await result;
    } catch (error) {
      errorCode = error instanceof RpcError ? error.code : -32603;
      throw error;
    } finally {
      if (seconds) {
        this.#onCall?.({
          method: method?.name ?? 'unknown',
          id: envelope.id,
          transport: session.transport,
          seconds: seconds(),
          errorCode,
        });
      }
    }
  }

  #needsSocket({ transport }: Session): string {
    if (transport === 'ws') return 'A subscription cannot be part of a batch: send it alone';
    const url = this.#socketUrl?.();
    return `Subscriptions need a WebSocket: ${url ?? 'connect to the path /ws of a node that listens'}`;
  }

  /** Nobody outside learns more of an unexpected failure than that there was one. */
  #toRpcError(error: unknown, method: string): RpcError {
    if (error instanceof RpcError) return error;
    const err = error instanceof Error ? error : new Error(String(error));
    this.#log.error({ err, method }, 'A call failed unexpectedly');
    return new RpcError(-32603, 'Internal error; the log of the node has the cause');
  }
}

function notFound(reason: string): RpcError {
  return new RpcError(-32601, 'Method not found', { reason });
}

/** Of a name that is no method, in characters. */
const LONGEST_NAME = 100;

function noSuchMethod(name: string, known: Iterable<string>): string {
  return `There is no method ${name.slice(0, LONGEST_NAME)}${didYouMean(nearestMethod(name, known))}`;
}

const FOREIGN =
  'Pages of this site may not steer the chain; --allowed-origins names those that may';
