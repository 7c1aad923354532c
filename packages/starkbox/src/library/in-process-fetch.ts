// A `fetch` that answers JSON-RPC requests in this process, without a port.
import type { Dispatcher } from '../rpc/protocol/dispatcher.js';
import { olderAt, VERSION_PATHS } from '../rpc/versions/versions.js';

export interface FetchedChain {
  readonly dispatcher: Dispatcher;
  older(version: string): Dispatcher;
}

const PATHS: ReadonlySet<string> = new Set(['', '/rpc', ...VERSION_PATHS]);
const JSON_HEADERS = { 'content-type': 'application/json' };

/** A request at a path of the chain. */
export interface PathRequest {
  readonly method: string;
  readonly path: string;
  readonly text: () => string | Promise<string>;
  readonly signal?: AbortSignal | undefined;
}

export interface PathAnswer {
  readonly status: number;
  /** JSON if the status is 200; undefined for notifications. */
  readonly body: string | undefined;
}

/** Answers a request as the server of a node does: the path chooses the version of the specification. */
export async function answerAt(
  chain: FetchedChain,
  { method, path, text, signal }: PathRequest,
): Promise<PathAnswer> {
  if (method === 'GET' && path.endsWith('/is_alive')) return { status: 200, body: 'Alive!!!' };
  const dispatcher = dispatcherAt(path, chain);
  if (method !== 'POST' || !dispatcher) {
    const body = `Nothing is served at ${method} ${path}: send a POST to /rpc\n`;
    return { status: dispatcher ? 405 : 404, body };
  }
  const request = await text();
  signal?.throwIfAborted();
  const body = await dispatcher.handle(request, { transport: 'in-process', signal });
  signal?.throwIfAborted();
  return { status: body === undefined ? 204 : 200, body };
}

/**
 * Takes every URL for one of the chain.
 *
 * @param opened returns the chain, and throws once it is closed
 */
export function inProcessFetch(opened: () => FetchedChain): typeof fetch {
  return async (input, init) => {
    const chain = opened();
    const url = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;
    const isRequest = typeof input === 'object' && !(input instanceof URL);
    const { status, body = null } = await answerAt(chain, {
      method: init?.method ?? (isRequest ? input.method : 'GET'),
      path: new URL(url).pathname,
      text: () => (typeof init?.body === 'string' ? init.body : new Request(input, init).text()),
      signal: (init?.signal ?? (isRequest ? input.signal : undefined)) || undefined,
    });
    return new Response(body, { status, ...(status === 200 ? { headers: JSON_HEADERS } : {}) });
  };
}

/** The dispatcher at a path; undefined if nothing is served there. */
export function dispatcherAt(path: string, chain: FetchedChain): Dispatcher | undefined {
  const served = path.replace(/\/$/, '');
  if (!PATHS.has(served)) return undefined;
  const version = olderAt(served);
  return version === undefined ? chain.dispatcher : chain.older(version);
}
