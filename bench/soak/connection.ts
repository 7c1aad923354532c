// The connection of a client: calls over HTTP or a WebSocket, and the errors that are expected.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Random } from '../harness/rounds.js';
import { type Answer, RpcClient, RpcError, rpcBody } from '../harness/rpc-client.js';

const TIMEOUT = 60_000;
/** Share of calls over the socket, and of these, of new sockets. */
const SOCKET_SHARE = 0.3;
const NEW_SOCKET_SHARE = 0.02;

export class Connection extends RpcClient {
  readonly #random: Random;
  #socket: WebSocket | undefined;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #id = 0;
  calls = 0;
  /** Expected errors. */
  refusals = 0;

  constructor(url: string, random: Random) {
    super(url);
    this.#random = random;
  }

  get socketUrl(): string {
    return `${this.url.replace(/^http/, 'ws')}/ws`;
  }

  override async call(method: string, params: unknown = {}): Promise<unknown> {
    this.calls += 1;
    this.#id += 1;
    const id = this.#id;
    const body = rpcBody(method, params, id);
    const isOverSocket = this.#random.next() < SOCKET_SHARE;
    const { result, error } = await (isOverSocket ? this.#overSocket(id, body) : this.answer(body));
    if (error !== undefined) throw new RpcError(error);
    return result;
  }

  /** A call that must be refused with a code. */
  async refuses(code: number, method: string, params: object): Promise<void> {
    const problem = await this.call(method, params).then(
      (result) => `a result, ${JSON.stringify(result)?.slice(0, 200)}`,
      (error: unknown) => (error instanceof RpcError && error.code === code ? undefined : error),
    );
    if (problem !== undefined) {
      throw new Error(`${method} has to be refused with ${code}: ${problem}`);
    }
    this.refusals += 1;
  }

  async #overSocket(id: number, body: string): Promise<Answer> {
    if (this.#random.next() < NEW_SOCKET_SHARE) this.#closeSocket();
    this.#socket ??= await this.#open();
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to ${body}`)), TIMEOUT);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      socket.send(body);
    });
  }

  async #open(): Promise<WebSocket> {
    const socket = new WebSocket(this.socketUrl);
    socket.on('message', (data) => {
      const { id = -1, ...answer }: Answer & { id?: number } = JSON.parse(String(data));
      this.#waiting.get(id)?.(answer);
      this.#waiting.delete(id);
    });
    await once(socket, 'open');
    return socket;
  }

  #closeSocket(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }

  override close(): void {
    this.#closeSocket();
    super.close();
  }
}
