// Knows who may come in: by the name they call us, the token they bring, and the site whose script they are.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

export interface DoorOptions {
  /** What we listen on. */
  readonly host: string;
  /** Names that we may be called by, besides; `*` for any. */
  readonly allowedHosts: readonly string[] | undefined;
  /** Sites whose pages may use every method; `*` for any. */
  readonly allowedOrigins: readonly string[] | undefined;
  /** What everybody has to show. */
  readonly token: string | undefined;
}

/** Where browsers, which cannot send headers with a WebSocket, put the token: after this, in base64url. */
export const TOKEN_PROTOCOL = 'starkbox.bearer.';
/** The protocol that is agreed upon then. */
export const SOCKET_PROTOCOL = 'starkbox';

const EXTENSION = /^(chrome|moz|safari-web)-extension:\/\/[\w-]+$/;

/** The rules at the entrance. They hold for HTTP and for WebSockets alike. */
export class Door {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #digest: Buffer | undefined;
  readonly #takesAnyHost: boolean;

  constructor({ host, allowedHosts, allowedOrigins, token }: DoorOptions) {
    this.#hosts = new Set([host, ...(allowedHosts ?? [])].map((name) => name.toLowerCase()));
    this.#origins = new Set(allowedOrigins);
    this.#digest = token === undefined ? undefined : digestOf(token);
    // Who opens a door to the network calls it by names that we cannot know.
    this.#takesAnyHost =
      this.#hosts.has('*') || (allowedHosts === undefined && !isLoopback(host.toLowerCase()));
  }

  get asksForToken(): boolean {
    return this.#digest !== undefined;
  }

  /**
   * A page of another site can have its own name lead to this machine; then a browser takes us for a part
   * of that site, and only the name tells. Numbers lead nowhere else.
   */
  admitsHost(header: string | undefined): boolean {
    // Nobody but a browser is in danger, and browsers name the host.
    if (header === undefined || this.#takesAnyHost) return true;
    return this.#isOurName(header);
  }

  #isOurName(header: string): boolean {
    const name = hostOf(header);
    if (name === undefined) return false;
    return isLoopback(name) || isIP(name) !== 0 || this.#hosts.has(name);
  }

  /** Whether a request brings the token, where one is asked for. */
  admitsToken(headers: IncomingHttpHeaders): boolean {
    if (this.#digest === undefined) return true;
    const given = bearer(headers.authorization) ?? socketToken(headers['sec-websocket-protocol']);
    return given !== undefined && timingSafeEqual(digestOf(given), this.#digest);
  }

  /**
   * Whether a request comes from a page whose site may not steer the chain. Who is no browser never does;
   * pages from this machine, browser extensions, our own explorer and the sites that were named may.
   */
  isForeign(headers: IncomingHttpHeaders): boolean {
    const { origin, host = '' } = headers;
    if (this.#origins.has('*')) return false;
    if (origin === undefined) {
      // A browser leaves the origin out where it asks for a page of the same site, or shows no answer.
      const site = headers['sec-fetch-site'];
      if (site === undefined || site === 'none') return false;
      return site !== 'same-origin' || !this.#isOurName(host);
    }
    if (this.#origins.has(origin) || EXTENSION.test(origin)) return false;
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.origin !== origin) {
      return true;
    }
    if (isLoopback(bare(url.hostname))) return false;
    return url.host !== host.toLowerCase() || !this.#isOurName(host);
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function bearer(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

function socketToken(header: string | undefined): string | undefined {
  const protocol = header
    ?.split(',')
    .map((one) => one.trim())
    .find((one) => one.startsWith(TOKEN_PROTOCOL));
  return protocol && Buffer.from(protocol.slice(TOKEN_PROTOCOL.length), 'base64url').toString();
}

/** The name in a Host header, without its port. */
function hostOf(header: string): string | undefined {
  const match = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.exec(header);
  return match?.[1] && bare(match[1].toLowerCase());
}

function bare(name: string): string {
  return name.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Names that lead to this machine whatever a name server says. */
function isLoopback(name: string): boolean {
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    (isIP(name) === 4 && name.startsWith('127.'))
  );
}
