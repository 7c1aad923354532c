// One JSON-RPC request over HTTP: body, timeout and answer.
import { setMaxListeners } from 'node:events';
import { ERRORS } from '@starkbox/spec';
import { RpcError } from '../../errors.js';
import type { Session } from '../../rpc/protocol/call-context.js';
import type { Dispatcher } from '../../rpc/protocol/dispatcher.js';
import { errorAnswer, idOf } from '../../rpc/protocol/envelope.js';
import { readBody } from './body.js';
import type { OpenRequest, RequestWork } from './connections.js';
import { json, type Reply } from './reply.js';
import { beginStream, writePiece } from './send-reply.js';

export interface RpcRequestOptions {
  readonly dispatcher: Pick<Dispatcher, 'handle'>;
  /** How long an answer may take. A call that has begun is not interrupted. */
  readonly timeoutSeconds: number;
  /** In bytes. */
  readonly bodyLimit: number;
}

export interface RpcRequest {
  readonly open: OpenRequest;
  readonly session: Session;
  /** Whether nothing comes after this request on its connection. */
  readonly isLast: () => boolean;
  /** The answer to a request that is refused. */
  readonly refuse: (status: number, error: RpcError) => Reply;
}

/** The answer; undefined if it has been written already. */
export function serveRpcRequest(
  parts: RpcRequest,
  options: RpcRequestOptions,
): Promise<Reply | undefined> {
  return new Exchange(parts, options).serve();
}

class Exchange implements RequestWork {
  readonly #parts: RpcRequest;
  readonly #options: RpcRequestOptions;
  readonly #session: RequestSession;
  #body: string | undefined;
  #isStreamed = false;
  #isAnswered = false;
  #answer: ((reply: Reply | undefined) => void) | undefined;

  constructor(parts: RpcRequest, options: RpcRequestOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#session = new RequestSession(parts.session);
  }

  serve(): Promise<Reply | undefined> {
    this.#parts.open.work = this;
    return new Promise((resolve, reject) => {
      this.#answer = (reply) => {
        this.#isAnswered = true;
        resolve(reply);
      };
      this.#work().then(this.#answer, reject);
    });
  }

  recordEnd(end: 'answered' | 'client gone'): void {
    if (end === 'client gone') this.#session.abort();
  }

  async #work(): Promise<Reply | undefined> {
    const { request, response } = this.#parts.open;
    const { bodyLimit, dispatcher } = this.#options;
    const body = await readBody(request, bodyLimit);
    if (body === undefined) {
      const message = `The body exceeds ${bodyLimit} bytes; --request-body-size-limit sets the limit`;
      return this.#parts.refuse(413, new RpcError(ERRORS.INVALID_REQUEST.code, message));
    }
    this.#body = body;
    const answer = await dispatcher.handle(body, this.#session, this.#write);
    if (!this.#isStreamed) return answer === undefined ? { status: 204 } : json(200, answer);
    response.end(answer);
    return undefined;
  }

  readonly #write = (piece: string): Promise<void> => {
    const { response } = this.#parts.open;
    if (!this.#isStreamed) beginStream(response, this.#parts.isLast());
    this.#isStreamed = true;
    return writePiece(response, piece);
  };

  expire(): void {
    const { response } = this.#parts.open;
    // The client does not read its answer.
    if (this.#isAnswered || response.writableNeedDrain) {
      response.destroy();
      return;
    }
    const message = `No response within ${this.#options.timeoutSeconds} s; --timeout sets the limit`;
    const error = new RpcError(-32002, message);
    const body = this.#body;
    if (!this.#isStreamed) {
      const reply = json(408, errorAnswer(error, body === undefined ? null : idOf(body)));
      // The rest of the body is not waited for.
      const headers = { ...reply.headers, ...(body === undefined && { connection: 'close' }) };
      this.#answer?.({ ...reply, headers });
    }
    this.#session.abort(error);
  }
}

/** The caller of one request. Its signal is made when a handler asks for it, because most do not. */
class RequestSession implements Session {
  readonly transport = 'http';
  readonly origin: string | undefined;
  readonly agent: string | undefined;
  readonly tag: string | undefined;
  readonly apiKey: string | undefined;
  #controller: AbortController | undefined;
  #ending: { readonly reason: unknown } | undefined;

  constructor({ origin, agent, tag, apiKey }: Session) {
    this.origin = origin;
    this.agent = agent;
    this.tag = tag;
    this.apiKey = apiKey;
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
