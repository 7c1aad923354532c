// Address at which a chain is served.
import type { HttpServer } from '../server/http/server.js';

/** Empty until the node listens. */
export class Binding {
  #server: HttpServer | undefined;
  #host: Binding | undefined;
  #path = '';

  /** The chain has a server of its own. */
  bind(server: HttpServer): void {
    this.#server = server;
  }

  /** The chain is served below a path of another one's server. */
  mount(host: Binding, path: string): void {
    this.#host = host;
    this.#path = path;
  }

  get server(): HttpServer | undefined {
    return this.#server ?? this.#host?.server;
  }

  get port(): number | undefined {
    return this.server?.port;
  }

  /** Where all paths of the chain begin. */
  get url(): string | undefined {
    const { server } = this;
    if (!server) return undefined;
    const { host, port } = server;
    const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    return `http://${authority}${this.#server ? '' : this.#path}`;
  }
}
