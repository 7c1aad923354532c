// Caller of a request, from its headers: site, program, and whether it is the explorer.
import type { IncomingMessage } from 'node:http';
import type { Session } from '../rpc/protocol/call-context.js';

/** Sent by the explorer. Browsers let no other site send it, because the preflight does not allow it. */
const TAG_HEADER = 'x-starkbox-client';
/** The same for a WebSocket, with which scripts cannot send headers. */
const TAG_QUERY = /[?&]client=([^&]*)/;
const TAG = /^[a-z-]{1,20}$/;

export function callerOf(
  request: Pick<IncomingMessage, 'headers' | 'url'>,
  transport: 'http' | 'ws',
): Session {
  const { headers } = request;
  const { origin, 'user-agent': agent } = headers;
  const tag = transport === 'http' ? headers[TAG_HEADER] : TAG_QUERY.exec(request.url ?? '')?.[1];
  return {
    transport,
    origin,
    agent,
    tag: typeof tag === 'string' && TAG.test(tag) && isOwn(request) ? tag : undefined,
  };
}

/** Pages of this server, and programs that are no browsers. */
function isOwn({ headers: { origin, host = '' } }: Pick<IncomingMessage, 'headers'>): boolean {
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}
