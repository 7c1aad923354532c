// A proxy in front of an object store that loses, delays and refuses requests and answers.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

export type Fault =
  /** The connection is cut, and the store gets nothing. */
  | 'lose-request'
  /** The store does it, and the connection is cut instead of an answer. */
  | 'lose-answer'
  /** The store does it, and the answer never comes. */
  | 'hold-answer'
  /** The request reaches the store after so many milliseconds, and its answer the client. */
  | { readonly delay: number }
  /** The request reaches the store once this is resolved. */
  | { readonly before: Promise<unknown> }
  /** The store does it, and the answer reaches the client once this is resolved. */
  | { readonly after: Promise<unknown> }
  /** The connection is cut at once, and the request reaches the store after so many milliseconds. */
  | { readonly late: number }
  /** A status of the proxy; the store gets nothing. */
  | { readonly status: number };

/** A request that the store has answered. */
export interface Answered {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Whether it was to create an object. */
  readonly isCreation: boolean;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export class StoreProxy {
  /** What happens to a request; undefined for nothing. */
  fault: (method: string, path: string) => Fault | undefined = () => undefined;
  /** Called when the store has answered a request, before the client has its answer. */
  onAnswered: (answered: Answered) => void = () => undefined;
  /** Seconds by which the time of the store is ahead in all answers. */
  clockAhead = 0;
  /** The requests so far. */
  requests = 0;
  readonly #target: URL;
  readonly #server = createServer((incoming, response) => {
    void this.#handle(incoming, response).catch(() => response.destroy());
  });
  /** Requests that are still to reach the store. */
  readonly #late = new Set<Promise<unknown>>();

  constructor(target: string) {
    this.#target = new URL(target);
  }

  static async start(target: string): Promise<StoreProxy> {
    const proxy = new StoreProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy is closed');
    return `http://127.0.0.1:${address.port}`;
  }

  /** Gives the next request of a method a fault. */
  once(method: string, fault: Fault): void {
    this.fault = (nextMethod) => {
      if (nextMethod !== method) return undefined;
      this.fault = () => undefined;
      return fault;
    };
  }

  /** Waits until late requests have reached the store. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#late);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    await this.settled();
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests += 1;
    const fault = this.fault(incoming.method ?? '', incoming.url ?? '');
    const body = await buffer(incoming);
    if (fault === 'lose-request') return void incoming.socket.destroy();
    if (typeof fault === 'object' && 'status' in fault) {
      return void response.writeHead(fault.status).end();
    }
    if (typeof fault === 'object' && 'late' in fault) {
      incoming.socket.destroy();
      const forwarded = sleep(fault.late).then(() => this.#forward(incoming, body));
      this.#late.add(forwarded);
      return void forwarded.finally(() => this.#late.delete(forwarded)).catch(() => {});
    }
    if (typeof fault === 'object' && 'delay' in fault) await sleep(fault.delay);
    if (typeof fault === 'object' && 'before' in fault) await fault.before;
    const answer = await this.#forward(incoming, body);
    if (typeof fault === 'object' && 'after' in fault) await fault.after;
    if (fault === 'lose-answer') return void incoming.socket.destroy();
    if (fault === 'hold-answer') return;
    response.writeHead(answer.status, this.#ahead(answer.headers)).end(answer.body);
  }

  #ahead(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
    const { date } = headers;
    if (this.clockAhead === 0 || date === undefined) return headers;
    return { ...headers, date: new Date(Date.parse(date) + this.clockAhead * 1000).toUTCString() };
  }

  /** With the host that the client signed. */
  #forward(incoming: IncomingMessage, body: Buffer): Promise<Answer> {
    const { method, url: path, headers } = incoming;
    const { hostname, port } = this.#target;
    return new Promise((resolve, reject) => {
      request({ hostname, port, method, path, headers }, async (answer) => {
        const { statusCode: status = 0, headers } = answer;
        const isCreation = incoming.headers['if-none-match'] !== undefined;
        this.onAnswered({ method: method ?? '', path: path ?? '', status, isCreation });
        resolve({ status, headers, body: await buffer(answer) });
      })
        .on('error', reject)
        .end(body);
    });
  }
}
