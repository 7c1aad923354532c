// Connections to addresses of https through a proxy.
import { type ClientRequest, request } from 'node:http';
import {
  Agent,
  type AgentOptions,
  type RequestOptions,
  request as secureRequest,
} from 'node:https';
import { Duplex } from 'node:stream';
import type { HttpProxy } from './proxies.js';

type Connected = (error: Error | null, stream: Duplex) => void;

/** Limit of the proxy's answer; a request may end earlier by its own limit. */
const ANSWER_MILLISECONDS = 30_000;

/** Opens each connection by `CONNECT`; the agent of Node keeps it for later requests. */
export class TunnelAgent extends Agent {
  readonly #proxy: HttpProxy;
  readonly #asked = new Set<ClientRequest>();

  constructor(proxy: HttpProxy, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(options: RequestOptions, callback?: Connected): undefined {
    const { url, authorization } = this.#proxy;
    const target = `${options.host}:${options.port}`;
    const send = url.protocol === 'https:' ? secureRequest : request;
    const asked = send(url, {
      method: 'CONNECT',
      path: target,
      agent: false,
      headers: {
        host: target,
        ...(authorization !== undefined && { 'proxy-authorization': authorization }),
      },
    });
    this.#asked.add(asked);
    const failed = (error: Error): void => callback?.(error, new Duplex());
    asked
      .setTimeout(ANSWER_MILLISECONDS, () => asked.destroy(new Error('no response to CONNECT')))
      .once('error', failed)
      .once('close', () => this.#asked.delete(asked))
      .once('connect', ({ statusCode }, socket) => {
        socket.setTimeout(0);
        if (statusCode === 200) {
          const secured = super.createConnection(Object.assign({}, options, { socket }));
          if (secured) callback?.(null, secured);
        } else {
          socket.destroy();
          failed(new Error(`the proxy returned status ${statusCode} for CONNECT ${target}`));
        }
      })
      .end();
    return undefined;
  }

  override destroy(): void {
    for (const asked of this.#asked) asked.destroy();
    super.destroy();
  }
}
