// HTTP server of the metrics page.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MetricsPage {
  readonly url: string;
  close(): Promise<void>;
}

export interface MetricsPageOptions {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly text: () => Promise<string>;
  /** The message for a Host header that is not admitted. */
  readonly hostRefusal: (header: string | undefined) => string | undefined;
}

/** Those that read metrics are few; connections share the limit of open files with everything else. */
const MAX_CONNECTIONS = 64;
const TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export async function serveMetrics(options: MetricsPageOptions): Promise<MetricsPage> {
  const { host, port, text, hostRefusal } = options;
  const name = host.includes(':') ? `[${host}]` : host;
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('request', (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0];
    request.resume();
    const wrongHost = hostRefusal(request.headers.host);
    if (wrongHost !== undefined) return void response.writeHead(403).end(`${wrongHost}\n`);
    if (path !== '/metrics') return void response.writeHead(404).end();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return void response.writeHead(405, { allow: 'GET,HEAD' }).end();
    }
    text().then(
      (body) => response.writeHead(200, { 'content-type': TYPE }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const reason = `cannot serve metrics on ${name}:${port}: ${error.message}`;
      reject(new Error(`${reason}; choose another address with --metrics-host and --metrics-port`));
    });
    server.listen({ host, port }, resolve);
  });
  const address: AddressInfo | string | null = server.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${name}:${boundPort}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
