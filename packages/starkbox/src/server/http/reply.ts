// HTTP response before it is written.
import type { IncomingMessage } from 'node:http';
import type { AccessRules } from '../access.js';

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Sent without CORS headers: no other site may read it. */
  readonly isPage?: boolean;
}

export function json(status: number, body: string): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body };
}

/** Whether a foreign page may call is decided by the method, which is not known at a preflight. */
export function preflight(
  { headers }: IncomingMessage,
  access: AccessRules | undefined,
  header?: string,
): Reply {
  const allowed = ['content-type', access?.requiresToken && 'authorization', header];
  return {
    status: 200,
    headers: {
      'access-control-allow-methods': 'GET,POST',
      'access-control-allow-headers': allowed.filter((name) => name).join(),
      // Browsers ask for it before a public page reaches a private address.
      ...(headers['access-control-request-private-network'] && {
        'access-control-allow-private-network': 'true',
      }),
    },
  };
}

export function text(status: number, body: string): Reply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}
