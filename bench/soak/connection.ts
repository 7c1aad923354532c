// Connection of a soaked chain: calls over HTTP or its WebSocket, and the errors that are foreseen.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Random } from '../random.js';

/** An answer with an error. */
export class Refusal extends Error {
  readonly code: number;

  constructor(method: string, code: number, message: string) {
    super(`${method} was refused with ${code}: ${message}`);
    this.code = code;
  }
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

const PATIENCE_MILLISECONDS = 60_000;

export class Connection {
  /** That of the node or of an instance, without a path of a protocol. */
  readonly url: string;
  readonly #random: Random;
  #socket: WebSocket | undefined;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #id = 0;
  calls = 0;
  /** Errors that had to come. */
  refusals = 0;

  constructor(url: string, random: Random) {
    this.url = url;
    this.#random = random;
  }

  get socketUrl(): string {
    return `${this.url.replace(/^http/, 'ws')}/ws`;
  }

  async ask(method: string, params: object = {}): Promise<unknown> {
    this.calls += 1;
    this.#id += 1;
    const text = JSON.stringify({ jsonrpc: '2.0', id: this.#id, method, params });
    const answer = await (this.#random.next() < 0.3
      ? this.#overSocket(this.#id, text)
      : this.#overHttp(text));
    if (answer.error) throw new Refusal(method, answer.error.code, answer.error.message);
    return answer.result;
  }

  /** A call that must be refused with a code. */
  async refuses(code: number, method: string, params: object): Promise<void> {
    const answer = await this.ask(method, params).then(
      (result) => `a result, ${JSON.stringify(result)?.slice(0, 200)}`,
      (error: unknown) => (error instanceof Refusal && error.code === code ? undefined : error),
    );
    if (answer !== undefined)
      throw new Error(`${method} has to be refused with ${code}: ${answer}`);
    this.refusals += 1;
  }

  async #overHttp(body: string): Promise<Answer> {
    const response = await fetch(`${this.url}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(PATIENCE_MILLISECONDS),
    });
    return Object(await response.json());
  }

  async #overSocket(id: number, text: string): Promise<Answer> {
    // A socket serves a few calls, so that sockets come and go.
    if (this.#random.next() < 0.02) this.close();
    this.#socket ??= await this.#open();
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`no answer to ${text}`)),
        PATIENCE_MILLISECONDS,
      );
      this.#waiting.set(id, (answer) => {
        clearTimeout(late);
        resolve(answer);
      });
      socket.send(text);
    });
  }

  async #open(): Promise<WebSocket> {
    const socket = new WebSocket(this.socketUrl);
    socket.on('message', (data) => {
      const answer: Answer & { readonly id?: number } = JSON.parse(String(data));
      const take = this.#waiting.get(answer.id ?? -1);
      this.#waiting.delete(answer.id ?? -1);
      take?.(answer);
    });
    await once(socket, 'open');
    return socket;
  }

  close(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }
}
