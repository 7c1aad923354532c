// HTTP requests to one address, over connections that stay open.
import { Agent, type IncomingMessage, request } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { HttpProxy, Proxies } from './proxies.js';

export interface Posted {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

type Headers = Readonly<Record<string, string>>;

export interface PostOptions {
  readonly body: string;
  readonly signal: AbortSignal;
  /** Called with the length of the answer so far, decompressed; 0 when its head has come. */
  readonly onData: (length: number) => void;
}

/** How requests to an address are sent. */
interface Route {
  readonly send: typeof request;
  readonly agent: Agent;
  /** The address to connect to, and the request's path there. */
  readonly url: URL;
  readonly path?: string;
  readonly headers?: Headers;
}

/** Some servers end idle connections after five seconds. */
const IDLE_MILLISECONDS = 4_000;
const MAX_REDIRECTS = 5;

/** Unlike `fetch`, which takes a millisecond of the event loop for a request. */
export class Poster {
  readonly #url: URL;
  readonly #headers: Headers;
  readonly #follows: boolean;
  readonly #settings = { keepAlive: true, timeout: IDLE_MILLISECONDS };
  readonly #agent = new Agent(this.#settings);
  readonly #proxies: Proxies | undefined;
  #secure: Pick<Route, 'send' | 'agent'> | undefined;
  #tunnels: Agent | undefined;

  /** @param follows whether redirects are followed */
  constructor(url: URL, headers: Headers, follows: boolean, proxies?: Proxies) {
    this.#url = url;
    this.#proxies = proxies;
    this.#headers = { 'accept-encoding': 'gzip, deflate, br', 'user-agent': 'node', ...headers };
    this.#follows = follows;
  }

  async post(options: PostOptions): Promise<Posted> {
    let url = this.#url;
    let requestHeaders = this.#headers;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const response = await this.#open(url, requestHeaders, options);
      const { statusCode: status = 0, headers } = response;
      if (status < 300 || status >= 400 || headers.location === undefined) {
        options.onData(0);
        return { status, headers, text: await textOf(response, options.onData) };
      }
      // Its body may be endless.
      response.destroy();
      if (!this.#follows) throw new Error('it redirects');
      const target = new URL(headers.location, url);
      // A password belongs to one site.
      if (target.origin !== url.origin) requestHeaders = withoutPassword(requestHeaders);
      url = target;
    }
    throw new Error('it redirects too often');
  }

  /** Ends idle connections. */
  close(): void {
    this.#agent.destroy();
    this.#secure?.agent.destroy();
    this.#tunnels?.destroy();
  }

  async #open(url: URL, requestHeaders: Headers, options: PostOptions): Promise<IncomingMessage> {
    const proxy = this.#proxies?.of(url);
    const {
      send,
      url: target,
      ...route
    } = proxy ? await this.#through(proxy, url) : { ...(await this.#sender(url)), url };
    const { body, signal } = options;
    const length = Buffer.byteLength(body);
    const headers = { ...requestHeaders, ...route.headers, 'content-length': length };
    return new Promise((resolve, reject) => {
      const begun = send(target, { method: 'POST', signal, ...route, headers }, resolve);
      begun.on('error', (error: NodeJS.ErrnoException) => {
        // The server ended an idle connection just now.
        if (begun.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted) {
          this.#open(url, requestHeaders, options).then(resolve, reject);
        } else {
          reject(error);
        }
      });
      begun.end(body);
    });
  }

  async #through(proxy: HttpProxy, url: URL): Promise<Route> {
    if (url.protocol === 'https:') {
      const { TunnelAgent } = await import('./tunnel.js');
      this.#tunnels ??= new TunnelAgent(proxy, this.#settings);
      return { ...(await this.#sender(url)), agent: this.#tunnels, url };
    }
    const { authorization } = proxy;
    const headers = {
      host: url.host,
      ...(authorization !== undefined && { 'proxy-authorization': authorization }),
    };
    return { ...(await this.#sender(proxy.url)), url: proxy.url, path: url.href, headers };
  }

  async #sender({ protocol }: URL): Promise<Pick<Route, 'send' | 'agent'>> {
    if (protocol !== 'https:') return { send: request, agent: this.#agent };
    const https = await import('node:https');
    this.#secure ??= { send: https.request, agent: new https.Agent(this.#settings) };
    return this.#secure;
  }
}

function withoutPassword({ authorization: _password, ...others }: Headers): Headers {
  return others;
}

function textOf(response: IncomingMessage, onData: PostOptions['onData']): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    const body = decompress(response);
    body
      .on('data', (piece: Buffer) => {
        length += piece.length;
        try {
          onData(length);
          pieces.push(piece);
        } catch (error) {
          pieces.length = 0;
          response.destroy();
          body.destroy();
          reject(error);
        }
      })
      .on('end', () => resolve(Buffer.concat(pieces).toString()))
      .on('error', reject);
  });
}

function decompress(response: IncomingMessage): Readable {
  const ignore = (): void => {};
  switch (response.headers['content-encoding']) {
    case 'gzip':
      return pipeline(response, createGunzip(), ignore);
    case 'deflate':
      return pipeline(response, createInflate(), ignore);
    case 'br':
      return pipeline(response, createBrotliDecompress(), ignore);
    default:
      return response;
  }
}
