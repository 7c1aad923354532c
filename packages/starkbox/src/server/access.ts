// Access rules of the server: by Host header, token and Origin header.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

export interface AccessOptions {
  /** The address that the server listens on. */
  readonly host: string;
  /** Further names that a Host header may have; `*` for any. */
  readonly allowedHosts: readonly string[] | undefined;
  /** Sites whose pages may call the node; `*` for any. */
  readonly allowedOrigins: readonly string[] | undefined;
  /** The token that every request has to carry. */
  readonly token: string | undefined;
}

/** Prefix of the subprotocol that carries a token in base64url: browsers cannot send headers with a WebSocket. */
export const TOKEN_PROTOCOL = 'starkbox.bearer.';
/** The subprotocol that the server selects. */
export const SOCKET_PROTOCOL = 'starkbox';

/** Characters of a Host header in messages. */
const MAX_HOST_LENGTH = 100;

/** An Origin header that a message can repeat. */
const SITE = /^(?:null|https?:\/\/[\w.:[\]-]{1,100})$/;
const EXTENSION = /^(chrome|moz|safari-web)-extension:\/\/[\w-]+$/;

/** The same rules hold for HTTP and for WebSockets. */
export class AccessRules {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #digest: Buffer | undefined;
  readonly #admitsAnyHost: boolean;
  readonly #admitsPrivateNames: boolean;
  /** The last admitted Host header: nearly all requests have the same. */
  #admittedHost: string | undefined;

  constructor(options: AccessOptions) {
    const { host, allowedHosts, allowedOrigins, token } = options;
    const isOpen = !isLoopback(host.toLowerCase()) && allowedHosts === undefined;
    this.#hosts = namesOf(options, isOpen);
    this.#origins = new Set(allowedOrigins);
    this.#digest = token === undefined ? undefined : digestOf(token);
    // A rebound page cannot send the token, and paths without one hold no secret.
    this.#admitsAnyHost = this.#hosts.has('*') || (isOpen && this.requiresToken);
    this.#admitsPrivateNames = isOpen;
  }

  get requiresToken(): boolean {
    return this.#digest !== undefined;
  }

  /**
   * Protects against DNS rebinding: a page of another site can point its own host name at this machine, and
   * the Host header then has that name. IP addresses cannot be rebound.
   */
  admitsHost(header: string | undefined): boolean {
    // Only browsers are open to DNS rebinding, and they always send the header.
    if (header === undefined || this.#admitsAnyHost || header === this.#admittedHost) return true;
    const isAdmitted = this.#isOwnName(header);
    if (isAdmitted) this.#admittedHost = header;
    return isAdmitted;
  }

  /** The message for a Host header that is not admitted; undefined for all others. */
  hostRefusal(header: string | undefined): string | undefined {
    if (this.admitsHost(header)) return undefined;
    const quotedHost = JSON.stringify(header?.slice(0, MAX_HOST_LENGTH));
    const name = hostOf(header ?? '');
    const fix =
      name === undefined
        ? 'send the name of the node'
        : `start the node with --allowed-hosts ${name.slice(0, MAX_HOST_LENGTH)}, or connect to its IP address`;
    return `Host ${quotedHost} is not a name of this node: ${fix}`;
  }

  #isOwnName(header: string): boolean {
    const name = hostOf(header);
    if (name === undefined) return false;
    if (isLoopback(name) || isIP(name) !== 0 || this.#hosts.has(name)) return true;
    return this.#admitsPrivateNames && isPrivate(header, name);
  }

  /** Whether a request carries a token, if one is required. */
  admitsToken(headers: IncomingHttpHeaders): boolean {
    if (!this.#digest) return true;
    const token =
      bearerToken(headers.authorization) ?? socketToken(headers['sec-websocket-protocol']);
    return token !== undefined && timingSafeEqual(digestOf(token), this.#digest);
  }

  /** The message for a request from a page that may not call this node; undefined for all other requests. */
  pageRefusal(headers: IncomingHttpHeaders): string | undefined {
    if (this.#admitsPage(headers)) return undefined;
    const { origin = '' } = headers;
    const site = SITE.test(origin) ? origin : undefined;
    const page = site === undefined ? 'A page of another site' : `A page of the site ${site}`;
    return `${page} may not call this node. If you trust the site, start the node with --allowed-origins ${site ?? 'https://SITE'}`;
  }

  /** Programs other than browsers, pages of this machine, browser extensions, the explorer and the allowed origins. */
  #admitsPage(headers: IncomingHttpHeaders): boolean {
    const { origin, host = '' } = headers;
    if (this.#origins.has('*')) return true;
    if (origin === undefined) {
      // Browsers leave the origin out for requests to the same site, and for those whose answer no script reads.
      const site = headers['sec-fetch-site'];
      if (site === undefined || site === 'none') return true;
      return site === 'same-origin' && this.#isOwnName(host);
    }
    if (this.#origins.has(origin) || EXTENSION.test(origin)) return true;
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.origin !== origin) {
      return false;
    }
    if (isLoopback(bare(url.hostname))) return true;
    return url.host === host.toLowerCase() && this.#isOwnName(host);
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

function socketToken(header: string | undefined): string | undefined {
  const protocol = header
    ?.split(',')
    .map((protocolName) => protocolName.trim())
    .find((protocolName) => protocolName.startsWith(TOKEN_PROTOCOL));
  return protocol && Buffer.from(protocol.slice(TOKEN_PROTOCOL.length), 'base64url').toString();
}

/** Lower-case names that this node goes by. */
function namesOf(options: AccessOptions, isOpen: boolean): ReadonlySet<string> {
  const { host, allowedHosts = [] } = options;
  const names = [host, ...allowedHosts, ...(isOpen ? [hostname()] : [])];
  return new Set(names.map((name) => bare(name.toLowerCase())));
}

/** Top-level domains that are reserved, so that no site has a name below them. */
const RESERVED = /\.(home\.arpa|internal|local|test)$/;

/**
 * True for a name outside of public DNS, such as that of a container in its network. A site has a dot in its name:
 * registries give no addresses to top-level domains. A dot at the end skips the search domains of the network.
 */
function isPrivate(header: string, name: string): boolean {
  return RESERVED.test(name) || !header.includes('.');
}

/** The name in a Host header, without its port. */
function hostOf(header: string): string | undefined {
  const match = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.exec(header);
  return match?.[1] && bare(match[1].toLowerCase());
}

function bare(name: string): string {
  return name.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Names that always resolve to this machine. */
function isLoopback(name: string): boolean {
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    (isIP(name) === 4 && name.startsWith('127.'))
  );
}
