// Public API of `starkbox/client` for Node: paths of files, and WebSockets where Node has none.
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { type ConnectOptions, type Platform, rpcUrlOf } from './client/connection.js';
import { openChain, type RemoteChain } from './client/remote-chain.js';
import { readRegular } from './files/regular-file.js';

export * from './client.js';

const NODE: Platform = {
  WebSocket: globalThis.WebSocket ?? WebSocket,
  readArtifact: async (location) =>
    readRegular(
      typeof location === 'string' ? location : fileURLToPath(location),
      String(location),
    ),
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
  return openChain(rpcUrlOf(url), options, NODE);
}
