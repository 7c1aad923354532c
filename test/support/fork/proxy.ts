// A proxy between an origin and a fork that fails in every way, and counts requests.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../listen.js';

export type Mishap =
  | { readonly kind: 'reset' | 'truncate' | 'silence' | 'garbage' }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  /** Another result for one method; the others pass. */
  | { readonly kind: 'result'; readonly of: string; readonly result: unknown };

/** What a request asks: one question, or a batch. */
export interface ProxiedRequest {
  readonly methods: readonly string[];
  readonly isBatch: boolean;
  /** How many requests came before it. */
  readonly index: number;
}

interface Question {
  readonly id: number;
  readonly method: string;
}

export class FaultyProxy implements AsyncDisposable {
  readonly url: string;
  /** Questions by method, those inside of batches included. */
  readonly counts = new Map<string, number>();
  /** Milliseconds before an answer. */
  delay = 0;
  /** What every answer waits for. */
  gate: Promise<void> = Promise.resolve();
  takesBatches = true;
  /** Decides what goes wrong with a request. */
  mishap: (request: ProxiedRequest) => Mishap | undefined = () => undefined;
  requests = 0;
  batches = 0;
  mostAtOnce = 0;
  /** Milliseconds in which requests were being answered, one by one. */
  answering = 0;
  headers: IncomingMessage['headers'] = {};
  readonly #target: string;
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  });
  #atOnce = 0;

  constructor(target: string, url: string) {
    this.#target = target;
    this.url = url;
  }

  static async before(target: string): Promise<FaultyProxy> {
    const probe = new FaultyProxy(target, '');
    // An address is known only once it is bound; the field is for readers.
    return Object.assign(probe, { url: `http://127.0.0.1:${await listen(probe.#server)}` });
  }

  count(method: string): number {
    return this.counts.get(method) ?? 0;
  }

  /** How many slots, nonces, class hashes and classes were asked for. */
  get reads(): number {
    return ['StorageAt', 'Nonce', 'ClassHashAt', 'Class']
      .map((name) => this.count(`starknet_get${name}`))
      .reduce((sum, count) => sum + count, 0);
  }

  forget(): void {
    this.counts.clear();
    this.requests = 0;
    this.batches = 0;
    this.mostAtOnce = 0;
    this.answering = 0;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const begin = performance.now();
    this.#atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
    try {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece);
      const body = Buffer.concat(pieces).toString();
      this.headers = request.headers;
      await this.#answer(body, response);
    } finally {
      this.#atOnce -= 1;
      this.answering += performance.now() - begin;
    }
  }

  async #answer(body: string, response: ServerResponse): Promise<void> {
    const value: Question | readonly Question[] = JSON.parse(body);
    const questions: readonly Question[] = [value].flat();
    const isBatch = Array.isArray(value);
    const methods = questions.map(({ method }) => method);
    for (const method of methods) this.counts.set(method, this.count(method) + 1);
    if (isBatch) this.batches += 1;
    const mishap = this.mishap({ methods, isBatch, index: this.requests });
    this.requests += 1;
    await this.gate;
    if (this.delay > 0) await sleep(this.delay);
    if (mishap?.kind === 'silence') {
      await new Promise((resolve) => response.on('close', resolve));
      return;
    }
    if (mishap?.kind === 'reset') {
      response.socket?.resetAndDestroy();
    } else if (mishap?.kind === 'garbage') {
      response.end('<html>The service is busy</html>');
    } else if (mishap?.kind === 'status') {
      response.writeHead(mishap.status, mishap.headers).end('no');
    } else if (mishap?.kind === 'error') {
      const { code, message } = mishap;
      const errors = questions.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code, message } }));
      response.end(JSON.stringify(isBatch ? errors : errors[0]));
    } else if (isBatch && !this.takesBatches) {
      const error = { code: -32600, message: 'Batches are not served' };
      response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    } else {
      const change = mishap?.kind === 'result' ? changed(questions, mishap) : undefined;
      await this.#pass(body, mishap?.kind === 'truncate', response, change);
    }
  }

  async #pass(
    body: string,
    truncated: boolean,
    response: ServerResponse,
    change: (text: string) => string = (text) => text,
  ): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(this.#target, { method: 'POST', headers, body });
    const text = Buffer.from(change(await answer.text()));
    response.writeHead(answer.status, { ...headers, 'content-length': text.length });
    if (!truncated) {
      response.end(text);
      return;
    }
    response.write(text.subarray(0, text.length / 2));
    await sleep(5);
    response.destroy();
  }
}

/** Puts another result into the answers to one method. */
function changed(
  questions: readonly Question[],
  { of, result }: { readonly of: string; readonly result: unknown },
): (text: string) => string {
  const ids = new Set(questions.filter(({ method }) => method === of).map(({ id }) => id));
  return (text) => {
    const value: { readonly id: number } | readonly { readonly id: number }[] = JSON.parse(text);
    const change = (answer: { readonly id: number }): object =>
      ids.has(answer.id) ? { jsonrpc: '2.0', id: answer.id, result } : answer;
    return JSON.stringify(Array.isArray(value) ? value.map(change) : change(Object(value)));
  };
}
