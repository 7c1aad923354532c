// Proxies of the environment, by the names and rules that other HTTP clients have.

export interface HttpProxy {
  /** Without credentials. */
  readonly url: URL;
  /** Value of the header `proxy-authorization`. */
  readonly authorization: string | undefined;
  /** The environment variable that sets it. */
  readonly variable: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `HTTP_PROXY` for addresses of http, `HTTPS_PROXY` for https, `NO_PROXY` for exceptions. Names in lower case win, as in
 * curl.
 */
export class Proxies {
  readonly #env: Environment;
  readonly #exceptions: readonly Exception[];

  constructor(env: Environment) {
    this.#env = env;
    const [, list = ''] = variableOf(env, 'no_proxy') ?? [];
    this.#exceptions = list
      .split(/[\s,]+/)
      .filter((entry) => entry !== '')
      .map(exceptionOf);
  }

  /** @throws Error that names the variable if its value is no address of a proxy */
  of(url: URL): HttpProxy | undefined {
    const [variable, value] =
      variableOf(this.#env, url.protocol === 'https:' ? 'https_proxy' : 'http_proxy') ?? [];
    if (variable === undefined || value === undefined) return undefined;
    if (this.#exceptions.some((exception) => matches(exception, url))) return undefined;
    return proxyOf(variable, value);
  }
}

function variableOf(env: Environment, name: string): readonly [string, string] | undefined {
  for (const variable of [name, name.toUpperCase()]) {
    const value = env[variable]?.trim();
    if (value !== undefined && value !== '') return [variable, value];
  }
  return undefined;
}

function proxyOf(variable: string, value: string): HttpProxy {
  const text = /^\w+:\/\//.test(value) ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    const scheme = /^\w+(?=:\/\/)/.exec(value)?.[0];
    // The value may have a password.
    const reason = scheme === undefined ? 'something else' : `one of ${scheme}`;
    throw new Error(`${variable}: expected an address such as http://proxy:3128, got ${reason}`);
  }
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const words = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const basic = `Basic ${Buffer.from(words).toString('base64')}`;
  return { url, authorization: username || password ? basic : undefined, variable };
}

/** A host and all hosts below it, or `*` for all; with a port, only that port. */
interface Exception {
  readonly host: string;
  readonly port: string | undefined;
}

function exceptionOf(entry: string): Exception {
  const [, host = '', port] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
  return {
    host: host
      .replace(/^\*?\./, '')
      .replace(/^\[|\]$/g, '')
      .toLowerCase(),
    port,
  };
}

function matches({ host, port }: Exception, url: URL): boolean {
  const target = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const targetPort = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (port !== undefined && port !== targetPort) return false;
  return host === '*' || target === host || target.endsWith(`.${host}`);
}
