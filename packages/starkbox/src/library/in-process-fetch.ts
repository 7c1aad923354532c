// A `fetch` that answers JSON-RPC requests in this process, without a port.
import type { Dispatcher } from '../rpc/protocol/dispatcher.js';
import { olderAt, VERSION_PATHS } from '../rpc/versions/versions.js';

export interface FetchedChain {
  readonly dispatcher: Dispatcher;
  older(version: string): Dispatcher;
}

const PATHS: ReadonlySet<string> = new Set(['', '/rpc', ...VERSION_PATHS]);
const JSON_HEADERS = { 'content-type': 'application/json' };

/**
 * Takes every URL for one of the chain: its path chooses the version of the specification.
 *
 * @param opened returns the chain, and throws once it is closed
 */
export function inProcessFetch(opened: () => FetchedChain): typeof fetch {
  return async (input, init) => {
    const chain = opened();
    const url = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;
    const { pathname } = new URL(url);
    const isRequest = typeof input === 'object' && !(input instanceof URL);
    const method = init?.method ?? (isRequest ? input.method : 'GET');
    if (method === 'GET' && pathname.endsWith('/is_alive')) return new Response('Alive!!!');
    const dispatcher = dispatcherAt(pathname, chain);
    if (method !== 'POST' || !dispatcher) {
      return new Response(`Nothing is served at ${method} ${pathname}: send a POST to /rpc\n`, {
        status: dispatcher ? 405 : 404,
      });
    }
    const text = typeof init?.body === 'string' ? init.body : await new Request(input, init).text();
    const signal = init?.signal ?? (isRequest ? input.signal : undefined);
    signal?.throwIfAborted();
    const answer = await dispatcher.handle(text, {
      transport: 'in-process',
      signal: signal ?? undefined,
    });
    signal?.throwIfAborted();
    return answer === undefined
      ? new Response(null, { status: 204 })
      : new Response(answer, { headers: JSON_HEADERS });
  };
}

function dispatcherAt(path: string, chain: FetchedChain): Dispatcher | undefined {
  const served = path.replace(/\/$/, '');
  if (!PATHS.has(served)) return undefined;
  const version = olderAt(served);
  return version === undefined ? chain.dispatcher : chain.older(version);
}
