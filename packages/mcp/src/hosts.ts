// Hosts that tools may connect to: this machine, and the ones its user allows.

import { ServerError } from './results.js';

const LOOPBACK =
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/;
const WEB = /^(https?|wss?):$/;
const NO_URL = { protocol: '', hostname: '' };
/** Allows every host. */
const ANY = '*';

export class AllowedHosts {
  readonly #names: ReadonlySet<string>;

  /** @param names host names, or `*` for all */
  constructor(names: readonly string[]) {
    this.#names = new Set(names.map((name) => name.toLowerCase()));
  }

  /** Throws unless the URL is one of HTTP at a host that tools may connect to. */
  check(url: string): void {
    const { protocol, hostname } = URL.canParse(url) ? new URL(url) : NO_URL;
    if (!WEB.test(protocol)) {
      throw new ServerError(
        `${url} is not the URL of a node: give one that starts with http:// or https://.`,
      );
    }
    if (LOOPBACK.test(hostname) || this.#names.has(hostname) || this.#names.has(ANY)) return;
    throw new ServerError(
      `${hostname} is not on this machine, and tools connect to no other unless the user allows it: starkbox mcp --allowed-hosts ${hostname}`,
    );
  }

  /** Throws if a parameter of a call is the URL of another host. Several URLs may be in one string. */
  checkParams(params: unknown): void {
    if (typeof params === 'string') {
      // Some parameters hold several URLs; in others a comma is a part of one.
      for (const text of [params, ...params.split(',')]) if (isWebUrl(text)) this.check(text);
    } else if (typeof params === 'object' && params !== null) {
      for (const member of Object.values(params)) this.checkParams(member);
    }
  }
}

/** By the parser of clients, which also accepts `http:host` and line breaks in a URL. */
function isWebUrl(text: string): boolean {
  return URL.canParse(text) && WEB.test(new URL(text).protocol);
}
