// A forward proxy as in company networks: absolute addresses for http, tunnels for https.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { listen, portOf } from '../listen.js';

export class ForwardProxy implements AsyncDisposable {
  /** Requests as `POST http://host/path` or `CONNECT host:port`. */
  readonly requests: string[] = [];
  readonly authorizations = new Set<string | undefined>();
  connections = 0;
  /** Status that rejects all requests. */
  refusal: number | undefined;
  readonly #ports: ReadonlyMap<string, number>;
  readonly #sockets = new Set<Duplex>();
  readonly #server = createServer((incoming, response) => this.#forward(incoming, response))
    .on('connection', () => {
      this.connections += 1;
    })
    .on('connect', (incoming: IncomingMessage, socket: Duplex) => this.#tunnel(incoming, socket));

  /** @param ports of this machine, by the host that only the proxy resolves */
  constructor(ports: Readonly<Record<string, number>>) {
    this.#ports = new Map(Object.entries(ports));
  }

  static async start(ports: Readonly<Record<string, number>>): Promise<ForwardProxy> {
    const proxy = new ForwardProxy(ports);
    await listen(proxy.#server);
    return proxy;
  }

  /** Host and port. */
  get address(): string {
    return `127.0.0.1:${portOf(this.#server)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #note({ method, url = '', headers }: IncomingMessage): void {
    this.requests.push(`${method} ${url}`);
    this.authorizations.add(headers['proxy-authorization']);
  }

  #forward(incoming: IncomingMessage, response: ServerResponse): void {
    this.#note(incoming);
    if (this.refusal !== undefined) {
      incoming.resume();
      response.writeHead(this.refusal).end('Forbidden by the proxy');
      return;
    }
    const { hostname, pathname } = new URL(incoming.url ?? '');
    const { 'proxy-authorization': _own, ...headers } = incoming.headers;
    const port = this.#ports.get(hostname) ?? 0;
    const passed = request({ port, host: '127.0.0.1', method: 'POST', path: pathname, headers });
    passed.on('response', (answer) => {
      answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers));
    });
    passed.on('error', () => response.writeHead(502).end());
    incoming.pipe(passed);
  }

  #tunnel(incoming: IncomingMessage, socket: Duplex): void {
    this.#note(incoming);
    if (this.refusal !== undefined) {
      socket.end(`HTTP/1.1 ${this.refusal} Rejected\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const [host = ''] = (incoming.url ?? '').split(':');
    const target = connect(this.#ports.get(host) ?? 0, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    for (const end of [socket, target]) {
      this.#sockets.add(end);
      end.on('error', () => end.destroy()).on('close', () => this.#sockets.delete(end));
    }
  }
}
