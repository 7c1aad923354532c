// JSON-RPC client over kept-alive connections.
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { membersOf, trust } from '@starkbox/abi/basics';
import type { MethodName, Methods } from 'starkbox';

/** Milliseconds in which a request must be answered. */
const TIMEOUT = 180_000;

export const rpcBody = (method: string, params: unknown = {}, id = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

export interface Answer {
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A JSON-RPC error that a node answered. */
export class RpcError extends Error {
  readonly code: unknown;

  constructor(error: unknown) {
    const { code, message, data } = membersOf(error);
    const more = data === undefined ? '' : `: ${JSON.stringify(data)}`;
    super(`${code} ${message}${more}`.slice(0, 160));
    this.code = code;
  }
}

export class RpcClient {
  /** Of the node or of an instance, without a path of a protocol. */
  readonly url: string;
  readonly #agent: Agent;

  constructor(url: string, connections: number | Agent = 16) {
    this.url = url.replace(/\/(rpc\/?)?$/, '');
    this.#agent =
      typeof connections === 'number'
        ? new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections })
        : connections;
  }

  /** An instance of the node, over the same connections. */
  instance(id: string): RpcClient {
    return new RpcClient(`${this.url}/instances/${id}`, this.#agent);
  }

  /** @throws RpcError if the node answers with an error */
  call<M extends MethodName>(method: M, params?: unknown): Promise<Methods[M]['result']>;
  call(method: string, params?: unknown): Promise<unknown>;
  call(method: string, params: unknown = {}): Promise<unknown> {
    return this.send(rpcBody(method, params));
  }

  /**
   * Sends a request that is written already.
   * @throws RpcError if the node answers with an error
   */
  async send<M extends MethodName>(body: string): Promise<Methods[M]['result']> {
    const { result, error } = await this.answer(body);
    if (error !== undefined) throw new RpcError(error);
    return trust(result);
  }

  async answer(body: string): Promise<Answer> {
    return membersOf(JSON.parse(await this.post(body)));
  }

  /** Whether a method that needs no parameters is answered without an error. */
  async has(method: string): Promise<boolean> {
    return (await this.answer(rpcBody(method))).error === undefined;
  }

  /** The text of an answer with any status. */
  post(body: string): Promise<string> {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const options = { method: 'POST', agent: this.#agent, headers };
    return new Promise((resolve, reject) => {
      const sending = request(`${this.url}/rpc`, options, (response) => {
        text(response).then(resolve, reject);
      });
      sending.setTimeout(TIMEOUT, () => {
        sending.destroy(new Error(`no answer in ${TIMEOUT / 1000} s`));
      });
      sending.on('error', reject).end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
