// Target of a request: the node's own chain or an instance, and a path of it.
import type { IncomingMessage } from 'node:http';
import type { RpcError } from '../../errors.js';
import type { Session } from '../../rpc/protocol/call-context.js';
import type { AccessRules } from '../access.js';
import { Explorer } from './explorer-files.js';
import type { RpcRequestOptions } from './rpc-request.js';
import { WALLET_PATH } from './wallet-script.js';

/** A chain that is served. */
export interface Target {
  readonly dispatcher: RpcRequestOptions['dispatcher'];
  /** Dispatchers of single versions of the specification, by their paths. */
  readonly versions?: Pick<ReadonlyMap<string, RpcRequestOptions['dispatcher']>, 'get'>;
  /** The dispatcher of the paymaster; undefined without one. */
  readonly paymaster?: RpcRequestOptions['dispatcher'] | undefined;
  /** The configuration as JSON, for `GET /config`; undefined where `devnet_getConfig` is restricted. */
  readonly config: () => string | undefined;
  /** Called for requests that are refused before dispatch. */
  readonly onRefusal?: ((session: Session, what: string, error: RpcError) => void) | undefined;
}

/** What a request is for: a chain, and a path of it. */
export interface Destination {
  readonly target: Target;
  readonly path: string;
}

export const NO_INSTANCE =
  'No such instance: it was never created, was deleted or has expired; devnet_listInstances lists all';

const INSTANCES = '/instances/';
const INSTANCE_PATH = /^\/instances\/([^/]+)(\/.*)?$/;

/** Another chain by its id; a promise while it is being opened. */
export type FindInstance = (id: string, hold: Hold) => Target | Promise<Target> | undefined;

/** Keeps an instance open: is given a function to call once, when the request or its socket has ended. */
export type Hold = (release: () => void) => void;

export interface TargetLookup {
  readonly instance?: FindInstance | undefined;
  readonly access?: AccessRules | undefined;
}

/** Undefined if the path names an instance that does not exist. */
export function destinationOf(
  request: IncomingMessage,
  mainTarget: Target,
  { instance, access }: TargetLookup,
  hold: Hold,
): Destination | Promise<Destination | undefined> | undefined {
  const whole = pathOf(request);
  const instancePath = instance && instancePathOf(whole);
  if (!instancePath) return { target: mainTarget, path: whole };
  const { id, path } = instancePath;
  const lacksToken = access?.admitsToken(request.headers) === false;
  if (request.method === 'OPTIONS' || lacksToken) return { target: mainTarget, path };
  // The explorer is the same for all chains, and shows by itself that an instance does not exist.
  const substitute = Explorer.owns(path) ? mainTarget : undefined;
  const destinationAt = (instanceTarget: Target | undefined): Destination | undefined => {
    const target = instanceTarget ?? substitute;
    return target && { target, path };
  };
  const target = instance(id, hold);
  return target instanceof Promise ? target.then(destinationAt) : destinationAt(target);
}

/** A call, or a file or preflight, which hold no secret and change nothing. */
export type RequestedAccess = 'call' | 'file';

/** What to check before an instance is looked for, which would load it, or reveal that it exists. */
export function accessBefore(
  request: IncomingMessage,
  { instance }: TargetLookup,
): RequestedAccess | undefined {
  const instancePath = instance && instancePathOf(pathOf(request));
  if (!instancePath) return undefined;
  return isOpenTo(request, instancePath.path) ? 'file' : 'call';
}

/** A preflight carries no token, nor does a browser that loads files, which are the same for all chains. */
function isOpenTo({ method }: IncomingMessage, path: string): boolean {
  return method === 'OPTIONS' || path === WALLET_PATH || Explorer.owns(path);
}

function instancePathOf(whole: string): { readonly id: string; readonly path: string } | undefined {
  if (!whole.startsWith(INSTANCES)) return undefined;
  const [, id, path = '/'] = INSTANCE_PATH.exec(whole) ?? [];
  return id === undefined ? undefined : { id, path };
}

export function pathOf(request: IncomingMessage): string {
  const url = request.url ?? '/';
  // Proxies may send an absolute URL.
  const path = url.startsWith('/') ? url : url.replace(/^[a-z]+:\/\/[^/]*/i, '') || '/';
  const query = path.indexOf('?');
  return query === -1 ? path : path.slice(0, query);
}
