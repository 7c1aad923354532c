// Public API of `starkbox/client` for browsers: no engine, no modules of Node.
import {
  type ConnectOptions,
  fetchArtifact,
  type Platform,
  rpcUrlOf,
} from './client/connection.js';
import { openChain, type RemoteChain } from './client/remote-chain.js';

export { ConnectionError, type ConnectOptions } from './client/connection.js';
export { isRpcError } from './client/methods.js';
export type * from './client/public-types.js';
export type {
  InstanceOptions,
  InstanceRow,
  Instances,
  RemoteChain,
} from './client/remote-chain.js';
export { RpcError } from './errors.js';

const BROWSER: Platform = {
  fetch: (input, init) => fetch(input, init),
  // Read when a subscription begins: a page may replace it.
  get WebSocket() {
    return globalThis.WebSocket;
  },
  readArtifact: fetchArtifact,
};

/**
 * Connects to a running node. The chain has the same methods as a chain of `createChain`.
 *
 * @param url the URL of the node, or of one of its instances
 * @example
 * const chain = await connect('http://127.0.0.1:5050');
 * await chain.mint('0x123', 10n ** 18n);
 * @throws TypeError if the URL is no HTTP URL
 * @throws ConnectionError if no Starkbox node responds at the URL, or it requires a token
 */
export async function connect(
  url: string | URL,
  options: ConnectOptions = {},
): Promise<RemoteChain> {
  return openChain(rpcUrlOf(url), options, BROWSER);
}
