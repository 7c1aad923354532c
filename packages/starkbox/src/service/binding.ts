// Address at which a chain is served.
import type { HttpServer } from '../server/http/server.js';

/** Empty until the node listens. */
export class Binding {
  server: HttpServer | undefined;

  get port(): number | undefined {
    return this.server?.port;
  }

  /** Host and port as they stand in a URL. */
  get authority(): string | undefined {
    if (!this.server) return undefined;
    const { host, port } = this.server;
    return `${host.includes(':') ? `[${host}]` : host}:${port}`;
  }
}
