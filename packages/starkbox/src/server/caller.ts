// Knows what a request tells of who makes it: the site, the program, and whether it is our own explorer.
import type { IncomingMessage } from 'node:http';
import type { Session } from '../rpc/protocol/call-context.js';
import type { Door } from './access.js';

/** Sent by pages of our explorer, which browsers let other sites do only if we agreed; we do not. */
const TAG_HEADER = 'x-starkbox-client';
/** The same with a WebSocket, which takes no headers from a script. */
const TAG_QUERY = /[?&]client=([^&]*)/;
const TAG = /^[a-z-]{1,20}$/;

export function callerOf(
  request: Pick<IncomingMessage, 'headers' | 'url'>,
  transport: 'http' | 'ws',
  door: Pick<Door, 'isForeign'> | undefined,
): Session {
  const { headers } = request;
  const { origin, 'user-agent': agent } = headers;
  const tag = transport === 'http' ? headers[TAG_HEADER] : TAG_QUERY.exec(request.url ?? '')?.[1];
  return {
    transport,
    ...(origin === undefined ? {} : { origin }),
    ...(door?.isForeign(headers) ? { isForeign: true } : {}),
    ...(agent === undefined ? {} : { agent }),
    ...(typeof tag === 'string' && TAG.test(tag) && isOwn(request) ? { tag } : {}),
  };
}

/** Pages of this very server; who is no browser may call itself what it wants. */
function isOwn({ headers: { origin, host = '' } }: Pick<IncomingMessage, 'headers'>): boolean {
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}
