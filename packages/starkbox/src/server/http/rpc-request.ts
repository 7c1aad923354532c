// One JSON-RPC request over HTTP: body, timeout, share of the memory budget and answer.
import { setMaxListeners } from 'node:events';
import { ERRORS } from '@starkbox/spec';
import { RpcError } from '../../errors.js';
import type { Session } from '../../rpc/protocol/call-context.js';
import type { Dispatcher } from '../../rpc/protocol/dispatcher.js';
import { errorAnswer, idOf } from '../../rpc/protocol/envelope.js';
import type { Deadlines, Expiring } from '../../scheduling/deadlines.js';
import type { MemoryBudget, Share } from '../../scheduling/memory-budget.js';
import { type BodyRefusal, type Reading, readBody } from './body.js';
import type { OpenRequest, RequestWork } from './connections.js';
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
  readonly open: OpenRequest;
  readonly session: Session;
  /** Whether nothing comes after this request on its connection. */
  readonly isLast: () => boolean;
  /** The answer to a request that is refused. */
  readonly refuse: (status: number, error: RpcError) => Reply;
}

/** What all requests share. */
export interface SharedLimits {
  readonly budget: MemoryBudget;
  readonly deadlines: Deadlines;
}

/** Seconds. */
const RETRY_AFTER = '1';

/** The answer; undefined if it has been written already. */
export function serveRpcRequest(
  parts: RpcRequest,
  options: RpcRequestOptions,
  { budget, deadlines }: SharedLimits,
): Promise<Reply | undefined> {
  const exchange = new Exchange(parts, options, budget.open());
  return exchange.serve(deadlines);
}

class Exchange implements Expiring, RequestWork {
  readonly #parts: RpcRequest;
  readonly #options: RpcRequestOptions;
  readonly #share: Share;
  readonly #session: RequestSession;
  #reading: Reading | undefined;
  #body: string | undefined;
  #stream: PacedWriter | undefined;
  #answer: ((reply: Reply) => void) | undefined;
  #isWorking = true;
  #isOpen = true;

  constructor(parts: RpcRequest, options: RpcRequestOptions, share: Share) {
    this.#parts = parts;
    this.#options = options;
    this.#share = share;
    this.#session = new RequestSession(parts.session);
  }

  serve(deadlines: Deadlines): Promise<Reply | undefined> {
    this.#parts.open.work = this;
    const deadline = deadlines.add(this);
    return new Promise((resolve, reject) => {
      this.#answer = resolve;
      const worked = (): void => {
        deadlines.delete(deadline);
        this.#isWorking = false;
        this.#releaseShare();
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

  ended(end: 'answered' | 'client gone'): void {
    if (end === 'client gone') {
      this.#session.abort();
      this.#reading?.stop();
    }
    this.#isOpen = false;
    this.#releaseShare();
  }

  /** The share is held until the work has ended and the answer is sent or dropped. */
  #releaseShare(): void {
    if (!this.#isWorking && !this.#isOpen) this.#share.close();
  }

  async #work(): Promise<Reply | undefined> {
    const { request, response } = this.#parts.open;
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
    response.end();
    return undefined;
  }

  readonly #write = (piece: string): Promise<void> => {
    this.#stream ??= beginStream(this.#parts.open.response, this.#parts.isLast());
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

  expire(): void {
    const message = `No response within ${this.#options.timeoutSeconds} s; --timeout sets the limit`;
    const error = new RpcError(-32002, message);
    const body = this.#body;
    if (!this.#stream) {
      const id = body === undefined ? null : idOf(body);
      const reply = json(408, errorAnswer(error, id));
      // The rest of the body is not waited for.
      const headers = { ...reply.headers, ...(body === undefined && { connection: 'close' }) };
      this.#answer?.({ ...reply, headers });
    }
    this.#session.abort(error);
    this.#reading?.stop();
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
