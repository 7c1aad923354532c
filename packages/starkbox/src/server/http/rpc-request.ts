// One JSON-RPC request over HTTP: body, timeout, share of the memory budget and answer.
import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERRORS } from '@starkbox/spec';
import { RpcError } from '../../errors.js';
import type { Session } from '../../rpc/protocol/call-context.js';
import type { Dispatcher } from '../../rpc/protocol/dispatcher.js';
import { errorAnswer, idOf } from '../../rpc/protocol/envelope.js';
import type { MemoryBudget, Share } from '../../scheduling/memory-budget.js';
import { type BodyRefusal, type Reading, readBody } from './body.js';
import { json, type Reply } from './reply.js';
import { beginStream, type PacedWriter } from './send-reply.js';

export interface RpcRequestOptions {
  readonly dispatcher: Pick<Dispatcher, 'handle'>;
  /** How long an answer may take. A call that has begun is not interrupted. */
  readonly timeoutSeconds: number;
  /** In bytes. */
  readonly bodyLimit: number;
}

export interface RpcRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly session: Session;
  /** Whether nothing comes after this request on its connection. */
  readonly isLast: () => boolean;
  /** The answer to a request that is refused. */
  readonly refuse: (status: number, error: RpcError) => Reply;
}

/** The longest time that a timer takes. */
const FOREVER_MILLISECONDS = 2 ** 31 - 1;
/** Seconds. */
const RETRY_AFTER = '1';

/** The answer; undefined if it has been written already. */
export function serveRpcRequest(
  parts: RpcRequest,
  options: RpcRequestOptions,
  budget: MemoryBudget,
): Promise<Reply | undefined> {
  const exchange = new Exchange(parts, options, budget.open());
  return exchange.serve();
}

class Exchange {
  readonly #parts: RpcRequest;
  readonly #options: RpcRequestOptions;
  readonly #share: Share;
  readonly #session: RequestSession;
  #reading: Reading | undefined;
  #body: string | undefined;
  #stream: PacedWriter | undefined;

  constructor(parts: RpcRequest, options: RpcRequestOptions, share: Share) {
    this.#parts = parts;
    this.#options = options;
    this.#share = share;
    this.#session = new RequestSession(parts.session);
  }

  serve(): Promise<Reply | undefined> {
    const { request, response } = this.#parts;
    const { socket } = request;
    // The share is held until the work has ended and the answer is sent or dropped.
    let open = 2;
    const ended = (): void => {
      open -= 1;
      if (open === 0) this.#share.close();
    };
    const closed = (): void => {
      socket.off('close', gone);
      response.off('close', closed);
      ended();
    };
    const gone = (): void => {
      this.#session.abort();
      this.#reading?.stop();
      closed();
    };
    // Any number of pipelined requests share a socket.
    socket.setMaxListeners(0).on('close', gone);
    response.on('close', closed);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.#expire(resolve),
        Math.min(this.#options.timeoutSeconds * 1000, FOREVER_MILLISECONDS),
      );
      const worked = (): void => {
        clearTimeout(timer);
        ended();
      };
      this.#work().then(
        (reply) => {
          worked();
          resolve(reply);
        },
        (error: unknown) => {
          worked();
          reject(error);
        },
      );
    });
  }

  async #work(): Promise<Reply | undefined> {
    const { request } = this.#parts;
    const { bodyLimit, dispatcher } = this.#options;
    this.#reading = readBody(request, bodyLimit, this.#share);
    const body = await this.#reading.body;
    this.#reading = undefined;
    // The client is gone, or was answered with a timeout.
    if (body === 'too late') return undefined;
    if (typeof body === 'string') return this.#refuse(body);
    this.#body = body.text;
    const delivery = { share: this.#share, write: this.#write };
    const answer = await dispatcher.handle(body.text, this.#session, delivery);
    if (!this.#stream) return answer === undefined ? { status: 204 } : json(200, answer);
    await this.#stream.write(answer ?? '');
    this.#parts.response.end();
    return undefined;
  }

  readonly #write = (piece: string): Promise<void> => {
    this.#stream ??= beginStream(this.#parts.response, this.#parts.isLast());
    return this.#stream.write(piece);
  };

  #refuse(why: Exclude<BodyRefusal, 'too late'>): Reply {
    const { bodyLimit } = this.#options;
    if (why === 'too long') {
      const message = `The body exceeds ${bodyLimit} bytes; --request-body-size-limit sets the limit`;
      return this.#parts.refuse(413, new RpcError(ERRORS.INVALID_REQUEST.code, message));
    }
    const reply = this.#parts.refuse(503, this.#share.refusal());
    const headers = { ...reply.headers, 'retry-after': RETRY_AFTER, connection: 'close' };
    return { ...reply, headers, lingers: true };
  }

  #expire(resolve: (reply: Reply) => void): void {
    const message = `No response within ${this.#options.timeoutSeconds} s; --timeout sets the limit`;
    const error = new RpcError(-32002, message);
    const body = this.#body;
    if (!this.#stream) {
      const id = body === undefined ? null : idOf(body);
      const reply = json(408, errorAnswer(error, id));
      // The rest of the body is not waited for.
      const headers = { ...reply.headers, ...(body === undefined && { connection: 'close' }) };
      resolve({ ...reply, headers });
    }
    this.#session.abort(error);
    this.#reading?.stop();
  }
}

/** The caller of one request. Its signal is made when a handler asks for it, because most do not. */
class RequestSession implements Session {
  readonly transport = 'http';
  readonly origin?: string;
  readonly agent?: string;
  readonly tag?: string;
  readonly isForeign?: boolean;
  readonly client?: string;
  #controller: AbortController | undefined;
  #ending: { readonly reason: unknown } | undefined;

  constructor({ origin, agent, tag, isForeign, client }: Session) {
    if (origin !== undefined) this.origin = origin;
    if (agent !== undefined) this.agent = agent;
    if (tag !== undefined) this.tag = tag;
    if (isForeign !== undefined) this.isForeign = isForeign;
    if (client !== undefined) this.client = client;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      // Each call of a batch may listen.
      setMaxListeners(0, this.#controller.signal);
      if (this.#ending) this.#controller.abort(this.#ending.reason);
    }
    return this.#controller.signal;
  }

  abort(reason?: unknown): void {
    this.#ending ??= { reason };
    this.#controller?.abort(reason);
  }
}
