// Answers for an instance that cannot be opened here.
import type { IncomingMessage } from 'node:http';
import { InstanceElsewhere, RpcError } from '../../errors.js';
import type { Log } from '../../log.js';
import { errorAnswer } from '../../rpc/protocol/envelope.js';
import { ERRORS } from '../../spec.js';
import { json, type Reply } from './reply.js';

/** Another node has it, its store is damaged, or its options are refused. */
export function notOpened(err: unknown, request: IncomingMessage, log: Log): Reply {
  if (err instanceof InstanceElsewhere) return sentTo(err, request);
  if (err instanceof RpcError) {
    return json(err.code === ERRORS.LEASE_NOT_HELD.code ? 503 : 500, errorAnswer(err));
  }
  log.error({ err }, 'an instance cannot be opened');
  return json(500, errorAnswer(new RpcError(-32603, 'Internal error')));
}

/** Pages are redirected. Calls get an error with the address: clients of JSON-RPC follow no redirects. */
function sentTo(error: InstanceElsewhere, { method, url = '/' }: IncomingMessage): Reply {
  if (method === 'GET' || method === 'HEAD') {
    return { status: 307, headers: { location: error.url + url } };
  }
  return json(421, errorAnswer(error));
}
