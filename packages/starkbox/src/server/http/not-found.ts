// Texts of 404 and 405 responses: what is not served, and what is served where.
import { SPEC_VERSION } from '@starkbox/spec';
import { Explorer } from './explorer-files.js';
import { WALLET_PATH } from './wallet-script.js';

/** What is served besides JSON-RPC. */
export interface Served {
  readonly explorer?: object | undefined;
  readonly wallet?: object | undefined;
  readonly paymaster?: object | undefined;
  /** What takes over WebSocket connections. */
  readonly upgrades?: object;
  /** By the paths of single versions of the specification. */
  readonly versions?: ReadonlyMap<string, unknown>;
}

/** The paths that take JSON-RPC. */
export const RPC_PATHS: readonly string[] = ['/', '/rpc'];
/** The path of the paymaster. */
export const PAYMASTER_PATH = '/paymaster';
/** Paths that take WebSocket connections only begin with it. */
const SOCKET_PATH = '/ws';

const AT = RPC_PATHS.join(' and ');
const SOCKETS_AT = 'WebSocket connections are served at /ws';
/** What looks like the path of a version of the specification. */
const VERSION = /\/v\d/;
/** Characters of a path that are shown. */
const MAX_LENGTH = 100;

/** Text for a path that does not exist. */
export function nothingAt(
  path: string,
  { explorer, wallet, paymaster, upgrades, versions }: Served,
): string {
  if (Explorer.owns(path) && !explorer) {
    return 'The explorer is off: start the node with --ui to serve it at /ui/';
  }
  if (path === WALLET_PATH && !wallet) {
    return `The wallet is off: start the node with --wallet to serve it at ${WALLET_PATH}`;
  }
  if (path === PAYMASTER_PATH && !paymaster) {
    return `The paymaster is off: start the node with --paymaster to serve it at ${PAYMASTER_PATH}`;
  }
  const shortPath = path.slice(0, MAX_LENGTH);
  const rpc = `JSON-RPC is served at ${AT}`;
  const line = VERSION.test(path)
    ? `There is no ${shortPath}: the versions of Starknet JSON-RPC are at ${[...(versions?.keys() ?? [])].join(', ')}; ${SPEC_VERSION} is also at ${AT}`
    : `There is no ${shortPath}: ${rpc}`;
  return upgrades ? `${line}. ${SOCKETS_AT}` : line;
}

/** Text for a method that a path does not take. */
export function wrongMethodAt(path: string, { explorer, upgrades, versions }: Served): string {
  if (path === PAYMASTER_PATH) {
    return 'This path accepts the JSON-RPC of a paymaster: send a POST with the header Content-Type: application/json';
  }
  if (!RPC_PATHS.includes(path) && !versions?.has(path)) {
    return upgrades && path.startsWith(SOCKET_PATH)
      ? `This path accepts only WebSocket connections. JSON-RPC over HTTP is served at ${AT}`
      : `This path accepts only GET. JSON-RPC is served at ${AT}`;
  }
  return [
    'This path accepts JSON-RPC: send a POST with the header Content-Type: application/json',
    ...(upgrades ? [SOCKETS_AT] : []),
    ...(explorer ? ['The explorer is at /ui/'] : []),
  ].join('. ');
}
