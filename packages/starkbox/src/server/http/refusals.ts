// Refusals of requests: host, page, token and type of their body, and instances that cannot be opened here.
import type { IncomingMessage } from 'node:http';
import { ERRORS } from '@starkbox/spec';
import { RpcError } from '../../errors.js';
import type { Log } from '../../log.js';
import { errorAnswer, idOf } from '../../rpc/protocol/envelope.js';
import { callerOf } from '../caller.js';
import { json, type Reply } from './reply.js';
import {
  accessBefore,
  pathOf,
  type RequestedAccess,
  type Target,
  type TargetLookup,
} from './request-target.js';
import { isLocalPeer } from './wallet-script.js';

/** Where refusals are recorded, and the rules that they follow. */
type Rules = Pick<Target, 'onRefusal'> & Pick<TargetLookup, 'access'>;

/** Characters of a refused content type that are shown. */
const MAX_TYPE_LENGTH = 100;
const JSON_TYPE = /^application\/([^;\s]+\+)?json\s*(;|$)/i;

/** Refuses a request for an instance before the instance is looked for. */
export function refuseBeforeLookup(
  request: IncomingMessage,
  options: Rules & TargetLookup,
): Reply | undefined {
  const access = accessBefore(request, options);
  return access && refuseAccess(request, options, access);
}

export function refuseAccess(
  request: IncomingMessage,
  options: Rules,
  what: RequestedAccess,
): Reply | undefined {
  const { access } = options;
  const { headers } = request;
  if (!access) return undefined;
  const wrongHost = access.hostRefusal(headers.host);
  if (wrongHost !== undefined) {
    return refusalOf(request, options, 403, new RpcError(ERRORS.METHOD_FORBIDDEN.code, wrongHost));
  }
  if (what === 'file') return undefined;
  const wrongPage = access.pageRefusal(headers);
  if (wrongPage !== undefined) {
    return refusalOf(request, options, 403, new RpcError(ERRORS.METHOD_FORBIDDEN.code, wrongPage));
  }
  if (access.admitsToken(headers)) return undefined;
  const error = new RpcError(-32001, 'Unauthorized: send the token as Authorization: Bearer');
  const reply = refusalOf(request, options, 401, error);
  return { ...reply, headers: { ...reply.headers, 'www-authenticate': 'Bearer' } };
}

export function refusalOf(
  request: IncomingMessage,
  { onRefusal }: Pick<Target, 'onRefusal'>,
  status: number,
  error: RpcError,
): Reply {
  onRefusal?.(callerOf(request, 'http'), `${request.method} ${pathOf(request)}`, error);
  return json(status, errorAnswer(error));
}

/** A script element cannot send a token, so this machine needs none. The script holds no secret. */
export function refuseWallet(request: IncomingMessage, options: Rules): Reply | undefined {
  const { access } = options;
  const isLocal = isLocalPeer(request.socket.remoteAddress);
  if (isLocal || (access?.requiresToken && access.admitsToken(request.headers))) return undefined;
  const message =
    'Only this machine, or a request with the token of --auth-token, can load the wallet';
  return refusalOf(request, options, 403, new RpcError(ERRORS.METHOD_FORBIDDEN.code, message));
}

export function refuseType(request: IncomingMessage, { onRefusal }: Target): Reply | undefined {
  const type = request.headers['content-type'] ?? '';
  if (JSON_TYPE.test(type)) return undefined;
  const wrong = `Content-Type must be application/json, got ${type.slice(0, MAX_TYPE_LENGTH)}`;
  const reason = type === '' ? 'Missing content type' : wrong;
  const error = new RpcError(ERRORS.INVALID_REQUEST.code, 'Invalid request', { reason });
  return refusalOf(request, { onRefusal }, 200, error);
}

/** An instance that cannot be opened. */
export interface Unopened {
  /** The answer to a request without a call. */
  readonly reply: Reply;
  /** Answers each call with the error. */
  readonly target: Target;
}

/** The data directory is damaged, or its options are refused. */
export function notOpened(err: unknown, log: Log): Unopened {
  if (!(err instanceof RpcError)) log.error({ err }, 'an instance cannot be opened');
  const internal = 'Internal error; see the log of the node for the cause';
  const error = err instanceof RpcError ? err : new RpcError(ERRORS.INTERNAL_ERROR.code, internal);
  const dispatcher = { handle: async (text: string) => errorAnswer(error, idOf(text)) };
  const target = { dispatcher, config: () => errorAnswer(error) };
  return { reply: json(500, errorAnswer(error)), target };
}
