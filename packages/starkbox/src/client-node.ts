// Public API of `starkbox/client` for Node: paths of files, and WebSockets where Node has none.
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { type Platform, rpcUrlOf } from './client/connection.js';
import { openChain } from './client/remote-chain.js';
import type { connect as connectInBrowsers } from './client.js';
import { environment } from './config/environment.js';
import { readRegular } from './files/regular-file.js';

export * from './client.js';

const NODE: Platform = {
  tokenAdvice: 'pass { token } to connect, or set STARKBOX_AUTH_TOKEN',
  fetch: (input, init) => fetch(input, init),
  WebSocket: globalThis.WebSocket ?? WebSocket,
  readArtifact: async (location) =>
    readRegular(
      typeof location === 'string' ? location : fileURLToPath(location),
      String(location),
    ),
};

/** As `connect` of browsers, with the token of the environment by default. */
export const connect: typeof connectInBrowsers = async (url, options = {}) => {
  const token = environment()['STARKBOX_AUTH_TOKEN'];
  const isAuthorized = new Headers(options.headers).has('authorization');
  return openChain(rpcUrlOf(url), token && !isAuthorized ? { token, ...options } : options, NODE);
};
